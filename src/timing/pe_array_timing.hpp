// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/config/engine_config.hpp"
#include "trnsim/dtype.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// What the array has to do for one nc_matmul or Tensor-path nc_transpose.
struct MatmulShape {
  std::uint32_t rows = 0;        ///< Contraction: partitions of both operands.
  std::uint32_t stationary = 0;  ///< Columns of the stationary operand.
  std::uint32_t moving = 0;      ///< Columns of the moving operand.
  DType dtype = DType::Bf16;     ///< The wider of the two operand types.
  bool double_row = false;       ///< Two K-halves per pass; `stationary` and `moving` count one half.
  bool transpose = false;
  bool onezero = false;
};

/// Durations of the PE array, in Tensor-engine cycles.
///
/// A matmul is a LoadStationary, which runs under the multiply before it, and a MultiplyMoving.
/// Left out: where inside the array a result is, and the unpublished conditions of the fast load.
class PeArrayTiming {
 public:
  explicit PeArrayTiming(const TensorConfig& config) : config_(config) {}

  /// Passes of the moving operand through the array (FP32 4, transposes and one-zero hints 2).
  [[nodiscard]] std::uint32_t passes(const MatmulShape& shape) const;
  /// Array time of the moving operand without floor and overhead.
  [[nodiscard]] Cycles streaming(const MatmulShape& shape) const { return Cycles{std::uint64_t{shape.moving} * passes(shape)}; }
  /// When the next MultiplyMoving may start.
  [[nodiscard]] Cycles interval(const MatmulShape& shape) const;
  /// Start of MultiplyMoving until its result is visible in PSUM.
  [[nodiscard]] Cycles latency(const MatmulShape& shape) const { return streaming(shape) + Cycles{config_.pipe_latency_cycles}; }
  /// LoadStationary of the operand.
  [[nodiscard]] Cycles load(const MatmulShape& shape) const;

 private:
  TensorConfig config_;
};

}  // namespace trnsim
