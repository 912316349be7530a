// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>

#include "timing/cost_rules.hpp"
#include "trnsim/config/engine_config.hpp"
#include "trnsim/isa/instruction.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Durations of one instruction, in cycles of its engine.
struct EngineCost {
  Cycles interval;                                 ///< Start to the earliest start of the next independent instruction.
  Cycles issue;                                    ///< Part of the interval without work: issue overhead and the shortest interval.
  Cycles latency;                                  ///< Start to result visible.
  Charge charge = Charge::None;                    ///< The number of the description that the time comes from.
  bool floored = false;                            ///< The interval is the shortest of the engine.
  bool read_out = false;                           ///< A second step reads an accumulator out.
  std::uint8_t operand_reads = 0;                  ///< [P,1] operands.
  bool fast = false;                               ///< Uses a Vector 2x or 4x mode, which needs the bus shared with GpSimd.
  Cycles slow_interval, slow_issue, slow_latency;  ///< Without the fast mode; valid when `fast`.
};

/// A configured factor (cycles per element, penalty) as a fraction of 1,024, so that durations are
/// integer arithmetic; products round up.
class Factor {
 public:
  explicit Factor(double value = 1);
  [[nodiscard]] std::uint64_t times(std::uint64_t n) const { return ceil_div(n * scaled_, kOne); }
  [[nodiscard]] std::uint64_t divided(std::uint64_t n) const { return ceil_div(n * kOne, scaled_); }
  [[nodiscard]] bool faster_than_one() const { return scaled_ < kOne; }

 private:
  static constexpr std::uint64_t kOne = 1024;
  std::uint64_t scaled_;
};

/// By Charge.
using ChargeFactors = std::array<Factor, kChargeCount>;

/// Elements per partition that an instruction streams: the longest streamed operand.
std::uint64_t streamed_columns(const Instruction& instruction);
/// Number of [P,1] operands read from memory (bias, scale, operand0, operand1).
unsigned scalar_operands(const Instruction& instruction);

/// Vector engine. Left out: how partitions are spread over lanes (cost does not depend on them).
class VectorTiming {
 public:
  explicit VectorTiming(const VectorConfig& config, Generation generation = Generation::V3);
  [[nodiscard]] EngineCost cost(const Instruction& instruction) const;

 private:
  [[nodiscard]] std::uint64_t work(const CostRule& rule, const Use& use) const;
  [[nodiscard]] const Factor& factor(Charge charge) const { return factors_[static_cast<std::size_t>(charge)]; }

  VectorConfig config_;
  Generation generation_;
  ChargeFactors factors_;
  Factor penalty_;
};

/// Scalar engine. The activation table load is a separate instruction of `table_load`.
class ScalarTiming {
 public:
  explicit ScalarTiming(const ScalarConfig& config);
  [[nodiscard]] EngineCost cost(const Instruction& instruction) const;
  [[nodiscard]] Time table_load() const { return table_load_; }

 private:
  ScalarConfig config_;
  ChargeFactors factors_;
  Factor penalty_;
  Time table_load_;
};

/// GpSimd. AWS states that no general rule exists; the rates per class of operation are data.
class GpSimdTiming {
 public:
  explicit GpSimdTiming(const GpSimdConfig& config);
  [[nodiscard]] EngineCost cost(const Instruction& instruction) const;

 private:
  [[nodiscard]] std::uint64_t work(const CostRule& rule, const Use& use) const;
  [[nodiscard]] std::uint64_t local_gather(const Instruction& instruction) const;

  GpSimdConfig config_;
  ChargeFactors factors_;
};

}  // namespace trnsim
