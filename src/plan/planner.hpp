// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "plan/access_ledger.hpp"
#include "plan/hbm_layout.hpp"
#include "plan/step.hpp"
#include "plan/tile_allocator.hpp"
#include "plan/transfer.hpp"
#include "timing/access_pieces.hpp"
#include "timing/dma_timing.hpp"
#include "timing/elementwise_timing.hpp"
#include "timing/pe_array_timing.hpp"
#include "timing/sequencer_timing.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"
#include "trnsim/observer.hpp"

namespace trnsim {

/// Turns the records of one core's program into steps: places tiles, finds dependencies and turns
/// them into semaphore waits, cuts copies for the DMA engines, asks the timing model for durations.
///
/// Works on one record at a time; what it remembers is bounded by the memories' size, not by the
/// program's length (explicit instruction ids excepted: 8 bytes each).
class Planner {
 public:
  Planner(const ChipConfig& config, Program& program, std::size_t core, const HbmLayout& layout, const Progress& progress,
          RunObserver* observer = nullptr);

  /// Plans the next instruction into `step`; false at the end of the program, and after an error.
  bool next(Step& step);

  /// Actor and count that an `after` id stands for, once planned.
  [[nodiscard]] std::optional<Wait> find_id(std::uint64_t id) const;

  void recycle(Transfer* transfer) { transfers_.release(transfer); }
  [[nodiscard]] const TileAllocator& sbuf() const { return sbuf_; }
  [[nodiscard]] const TileAllocator& psum() const { return psum_; }
  /// Lines of the kernel's source by the number that steps have; the first stands for none.
  [[nodiscard]] const std::vector<SourceLine>& sources() const { return sources_; }
  [[nodiscard]] std::uint64_t planned() const { return planned_; }
  /// Rings in use: trigger engine and ring number of each ring actor, in order of first use.
  struct RingKey {
    EngineKind engine;
    std::uint8_t ring;
    bool operator==(const RingKey&) const = default;
  };
  [[nodiscard]] const std::vector<RingKey>& rings() const { return rings_; }

 private:
  struct Tile {
    Buffer buffer = Buffer::Sbuf;
    std::uint32_t address = 0;
    std::uint16_t partition = 0, partitions = 0;
    std::uint32_t bytes = 0;  ///< Per partition.
    bool alive = false;
  };
  /// A stationary operand that a part of the array holds.
  struct Loaded {
    std::uint16_t array_region;
    DType dtype;
    Region region;
  };

  void declare(const Record& record);
  void release(TensorId id);
  void plan(const Instruction& instruction, Step& step);
  void plan_array(const Instruction& instruction, Step& step, const Access& access);
  void plan_elementwise(const Instruction& instruction, Step& step, const Access& access);
  void plan_control(const Instruction& instruction, Step& step, const Access& access);
  void plan_dma(const Instruction& instruction, Step& step, const Access& trigger);
  void fill_transfer(const Instruction& instruction, Transfer& transfer) const;
  [[nodiscard]] EngineCost lane_cost(const Instruction& instruction, EngineKind engine) const;
  [[nodiscard]] std::uint32_t source_number(const SourceLine& at);
  void add_explicit_waits(const Instruction& instruction, Step& step);
  void finish_waits(Step& step);
  void tell(const Instruction& instruction, const Step& step);

  [[nodiscard]] Region region_of(const Operand& operand) const;
  [[nodiscard]] Region region_of_tile(TensorId id) const;
  [[nodiscard]] Pattern pattern_of_tensor(TensorId id) const;
  /// `whole`: an address at run time may pick any part of the tensor.
  void read(const Operand& operand, const Access& access, bool whole = false);
  void write(const Operand& operand, const Access& access, bool whole = false);
  void read_further(const InstructionExtras& extras, const Access& access, Step& step);
  void write_further(const InstructionExtras& extras, const Access& access, Step& step);
  void count_traffic(const Operand& operand, bool write, Step& step) const;
  [[nodiscard]] bool keep_loaded(const Region& region, std::uint16_t array_region, DType dtype);
  void forget_loaded(const Region& written);
  Actor ring_actor(EngineKind engine, std::uint8_t ring, std::uint32_t line);

  const ChipConfig* config_;
  Program* program_;
  std::size_t core_;
  const HbmLayout* layout_;
  const Progress* progress_;
  RunObserver* observer_;
  PeArrayTiming pe_;
  VectorTiming vector_;
  ScalarTiming scalar_;
  GpSimdTiming gpsimd_;
  DmaTiming dma_;
  SequencerTiming sequencer_;
  TileAllocator sbuf_, psum_;
  AccessLedger sbuf_ledger_, psum_ledger_;
  std::vector<TensorLedger> tensors_;
  std::vector<Tile> tiles_;
  std::vector<Loaded> loaded_;
  std::vector<RingKey> rings_;
  TransferPool transfers_;
  WaitSet waits_;
  std::vector<std::uint64_t> counts_;                              ///< Per actor: instructions planned.
  std::array<std::vector<std::uint64_t>, kEngineCount> observed_;  ///< Per engine and actor: count waited for already.
  std::vector<Wait> ids_;
  std::vector<SourceLine> sources_{SourceLine{}};
  std::unordered_map<std::uint64_t, std::uint32_t> source_numbers_;  ///< By file and line.
  std::uint32_t last_source_ = 0;
  std::uint64_t planned_ = 0;
  bool software_descriptors_ = false;
  bool over_ = false;  ///< At its end, or an error left it behind.
};

}  // namespace trnsim
