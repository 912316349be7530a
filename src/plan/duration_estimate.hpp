// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>

#include "timing/dma_timing.hpp"
#include "timing/elementwise_timing.hpp"
#include "timing/pe_array_timing.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// Clocks of the engines and rings of one core that run instructions in a given order, without contention. Times in fs.
class DurationEstimate {
 public:
  explicit DurationEstimate(const ChipConfig& config);

  /// Earliest start of an instruction whose inputs are made at `ready`.
  [[nodiscard]] std::uint64_t start(const Instruction& instruction, std::uint64_t ready) const;
  /// Runs it; when a consumer on any engine may start.
  std::uint64_t run(const Instruction& instruction, std::uint64_t ready);
  /// Latest start so far.
  [[nodiscard]] std::uint64_t now() const { return now_; }

 private:
  static constexpr std::size_t kRings = 16;
  struct Cost {
    std::uint64_t interval, latency;
  };
  [[nodiscard]] Cost cost(const Instruction& instruction) const;
  [[nodiscard]] Cost array_cost(const Instruction& instruction) const;
  std::uint64_t copy(const Instruction& instruction, std::uint64_t start);

  PeArrayTiming array_;
  VectorTiming vector_;
  ScalarTiming scalar_;
  GpSimdTiming gpsimd_;
  DmaTiming dma_;
  std::uint64_t engines_, sets_;  ///< DMA engines of a ring; sets of them that the rings take in turn.
  std::array<std::uint64_t, kEngineCount> cycle_{}, free_{};
  std::array<std::array<std::uint64_t, kRings>, kEngineCount> rings_{};
  std::array<std::uint64_t, kRings> engines_free_{};  ///< Of the DMA engines of a set together.
  std::uint64_t hop_, now_ = 0;
};

}  // namespace trnsim
