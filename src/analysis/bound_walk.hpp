// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "timing/clock.hpp"
#include "timing/dma_timing.hpp"
#include "timing/elementwise_timing.hpp"
#include "timing/pe_array_timing.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim {

/// What the instructions of one core need of each resource at least, added up one by one.
class BoundWalk {
 public:
  explicit BoundWalk(const ChipConfig& chip);

  /// `count` times.
  void add(const Instruction& instruction, std::uint64_t count = 1);
  /// Counts the copies added so far as spread evenly over so many rings of their engine, whatever their `ring` said.
  void spread_copies(unsigned rings);

  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  [[nodiscard]] std::uint64_t hbm_bytes() const { return hbm_bytes_; }
  /// Cycles with moving data in the array.
  [[nodiscard]] double array_ns() const;
  /// Intervals of the Tensor engine's instructions.
  [[nodiscard]] double tensor_ns() const;
  /// Intervals of the instructions of the Vector, Scalar or GpSimd engine.
  [[nodiscard]] double lane_ns(EngineKind engine) const;
  /// The ring with most issue intervals, up to the completion of its last copy.
  [[nodiscard]] double issue_ns() const;
  /// Descriptors and payload spread evenly over the DMA engines.
  [[nodiscard]] double dma_ns() const;

 private:
  struct Ring {
    std::uint64_t interval_fs = 0, longest_fs = 0;  ///< Sum and largest of its issue intervals.
    std::uint64_t around_fs = kForever.value;       ///< Smallest sum of start and completion.
  };

  void add_array(const Instruction& instruction, std::uint64_t count);
  void add_lanes(const Instruction& instruction, EngineKind engine, std::uint64_t count);
  void add_copy(const Instruction& instruction, std::uint64_t count);

  const ChipConfig* chip_;
  PeArrayTiming array_;
  VectorTiming vector_;
  ScalarTiming scalar_;
  GpSimdTiming gpsimd_;
  DmaTiming dma_;
  std::array<Clock, kEngineCount> clocks_;
  std::array<std::uint64_t, kEngineCount> lane_cycles_{};
  std::uint64_t block_cycles_ = 0;      ///< Interval × blocks of the array, of 16.
  std::uint64_t transpose_cycles_ = 0;  ///< Intervals of transposes that run beside other work.
  std::uint64_t streaming_cycles_ = 0;  ///< As block_cycles_, without floors and overheads.
  std::uint64_t array_instructions_ = 0;
  std::map<std::uint32_t, Ring> rings_;  ///< By engine and number.
  unsigned spread_ = 1;                  ///< Rings that an entry stands for.
  std::uint64_t engine_fs_ = 0, around_fs_ = kForever.value, hbm_bytes_ = 0, instructions_ = 0;
};

}  // namespace trnsim
