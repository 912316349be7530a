// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <vector>

#include "core/instruction_window.hpp"
#include "dma/dma_ring.hpp"
#include "engine/lane_engine.hpp"
#include "engine/sync_engine.hpp"
#include "engine/tensor_engine.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {

/// One NeuronCore: five engines, SBUF and PSUM ports, semaphores, DMA rings and DMA engines.
class Core : public sc_core::sc_module {
 public:
  sc_core::sc_port<HbmIf> hbm{"hbm"};

  struct Work {
    std::uint32_t core;
    Program& program;
    const HbmLayout& layout;
    CompletionFrontier& frontier;
  };
  Core(sc_core::sc_module_name name, const ChipConfig& config, const Work& work, Context& context);

  /// Every instruction taken and every copy complete.
  [[nodiscard]] bool finished() const;
  /// Last result visible and last engine free.
  [[nodiscard]] Time end() const;
  /// Latest start booked; a stopped run lasts at least until then.
  [[nodiscard]] Time last_start() const;
  [[nodiscard]] std::uint64_t instructions() const { return window_.taken(); }
  /// Lines on what each unit waits for; empty units are left out.
  void describe_waits(std::vector<std::string>& lines) const;
  CoreSnapshot snapshot(Time end);
  /// Peak use of SBUF and PSUM by partition.
  void add_partitions(std::vector<PartitionPeak>& to) const;
  /// After `snapshot`: what the lines of the program's source cost.
  void add_sources(std::vector<SourceCounters>& to) const;

 private:
  [[nodiscard]] Engine::Parts parts(EngineKind kind, double ghz);
  [[nodiscard]] std::array<const Engine*, kEngineCount> engines() const { return {&tensor_, &vector_, &scalar_, &gpsimd_, &sync_}; }
  void bind(Engine& engine);
  [[nodiscard]] std::vector<DmaEngine*> engines_of_ring(std::size_t ring);
  [[nodiscard]] std::uint64_t dma_engines_used() const;

  ChipConfig config_;
  std::uint32_t number_;
  bool names_sources_;
  SourceAccount sources_;
  DmaAccount dma_account_;
  SemaphoreFile semaphores_;
  Ports ports_;
  Planner planner_;
  InstructionWindow window_;
  TensorEngine tensor_;
  LaneEngine vector_, scalar_, gpsimd_;
  SyncEngine sync_;
  sc_core::sc_vector<DmaEngine> dma_engines_;
  sc_core::sc_vector<DmaRing> rings_;
};

}  // namespace trnsim
