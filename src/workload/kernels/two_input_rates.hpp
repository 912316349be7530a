// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

#include "trnsim/config/chip_config.hpp"

namespace trnsim::kernel {

/// How fast tensor_tensor on tiles in SBUF is where, for generators that choose an engine. Estimates:
/// durations come from the timing model.
struct TwoInputRates {
  double vector_ns = 0;    ///< Per column, while GpSimd leaves the ports alone.
  double shared_ns = 0;    ///< Per column, while GpSimd works too.
  double gpsimd_ns = 0;    ///< Per column.
  bool exclusive = false;  ///< One of the two engines at a time.

  /// Time of both for `total` columns of which GpSimd takes `given`, beside `other_ns` that Vector does anyway.
  [[nodiscard]] double together(double total, double given, double other_ns) const;
};

TwoInputRates two_input_rates(const ChipConfig& chip, DType dtype);

}  // namespace trnsim::kernel
