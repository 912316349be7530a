// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>

#include "analysis/totals.hpp"
#include "trnsim/config/chip_config.hpp"

namespace trnsim {

/// What the work of a finished run asks of each resource of a chip, in ns and per core, with the counts of the
/// run and the numbers of any chip description. The description of the run itself gives the run's own loads.
struct Loads {
  std::array<double, kEngineCount> engine{};   ///< Intervals of the instructions: work, floors, overheads.
  std::array<double, kEngineCount> latency{};  ///< Start to result visible on another engine, summed over instructions.
  double issue = 0;                            ///< Issue intervals of the busiest ring.
  double dma = 0;                              ///< Descriptors and payload, over the DMA engines.
  double hbm = 0;                              ///< Data bus of the stacks, refresh included.
  double load_trip = 0, store_trip = 0;        ///< Trigger to data usable of one short copy; 0 without such copies.
};

/// The counts of one run, taken once.
class LoadModel {
 public:
  LoadModel(const ChipConfig& chip, const Totals& totals, double cores);
  [[nodiscard]] Loads loads(const ChipConfig& chip) const;

 private:
  [[nodiscard]] double tensor_cycles(const TensorConfig& tensor) const;
  [[nodiscard]] double exposed_load_cycles(const TensorConfig& tensor, double interval) const;
  [[nodiscard]] double throttle_cycles(const TensorConfig& tensor) const;
  [[nodiscard]] double vector_work(const VectorConfig& vector) const;
  [[nodiscard]] double drain_cycles(const ScalarConfig& scalar) const;
  [[nodiscard]] double scalar_work(const ScalarConfig& scalar) const;
  [[nodiscard]] double vector_cycles(const VectorConfig& vector) const;
  [[nodiscard]] double scalar_cycles(const ScalarConfig& scalar) const;
  [[nodiscard]] double gpsimd_cycles(const GpSimdConfig& gpsimd) const;
  /// Work by charge with the numbers of a description, in cycles; `start` is part of the work of each instruction.
  template <class Config>
  [[nodiscard]] double charged_cycles(EngineKind kind, const Config& now, const Config& then, double start_now, double start_then) const;
  void add_dma(const ChipConfig& chip, Loads& loads) const;
  [[nodiscard]] const EngineCounters& counters(EngineKind kind) const { return engine_of(totals_->engines, kind); }

  const ChipConfig* base_;
  const Totals* totals_;
  double cores_;
};

}  // namespace trnsim
