// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/config/engine_config.hpp"
#include "trnsim/isa/instruction.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Durations of one instruction, in cycles of its engine.
struct EngineCost {
  Cycles interval;                                 ///< Start to the earliest start of the next independent instruction.
  Cycles issue;                                    ///< Part of the interval without work: issue overhead and the shortest interval.
  Cycles latency;                                  ///< Start to result visible.
  bool fast = false;                               ///< Uses a Vector 2x or 4x mode, which needs the bus shared with GpSimd.
  Cycles slow_interval, slow_issue, slow_latency;  ///< Without the fast mode; valid when `fast`.
};

/// A configured factor (cycles per element, penalty) as a fraction of 1,024, so that durations are
/// integer arithmetic; products round up.
class Factor {
 public:
  explicit Factor(double value);
  [[nodiscard]] std::uint64_t times(std::uint64_t n) const { return ceil_div(n * scaled_, kOne); }

 private:
  static constexpr std::uint64_t kOne = 1024;
  std::uint64_t scaled_;
};

/// Elements per partition that an instruction streams: the longest streamed operand.
std::uint64_t streamed_columns(const Instruction& instruction);
/// Number of [P,1] operands read from memory (bias, scale, operand0, operand1).
unsigned scalar_operands(const Instruction& instruction);

/// Vector engine. Left out: how partitions are spread over lanes (cost does not depend on them).
class VectorTiming {
 public:
  explicit VectorTiming(const VectorConfig& config);
  [[nodiscard]] EngineCost cost(const Instruction& instruction) const;

 private:
  struct Rate {
    Factor per_element;
    bool fast;
  };
  [[nodiscard]] Rate rate(const Instruction& instruction) const;
  [[nodiscard]] Rate copy_rate(const Instruction& instruction) const;
  [[nodiscard]] Rate two_input_rate(const Instruction& instruction) const;
  [[nodiscard]] bool short_type(DType t) const;

  VectorConfig config_;
  Factor one_, copy16_, copy_strided_, copy_psum_, copy_other_, tt_sbuf_, tt_16_, reduce16_, memset16_, reciprocal_, exponential_, penalty_;
};

/// Scalar engine. The activation table load is a separate instruction of `table_load`.
class ScalarTiming {
 public:
  explicit ScalarTiming(const ScalarConfig& config);
  [[nodiscard]] EngineCost cost(const Instruction& instruction) const;
  [[nodiscard]] Time table_load() const { return table_load_; }

 private:
  ScalarConfig config_;
  Factor copy16_, penalty_;
  Time table_load_;
};

/// GpSimd. AWS states that no general rule exists; the rates per class of operation are data.
class GpSimdTiming {
 public:
  explicit GpSimdTiming(const GpSimdConfig& config);
  [[nodiscard]] EngineCost cost(const Instruction& instruction) const;

 private:
  GpSimdConfig config_;
  Factor one_, two_input_, transcendental_, power_;
};

}  // namespace trnsim
