// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/pe_array_timing.hpp"

#include <algorithm>

namespace trnsim {

std::uint32_t PeArrayTiming::passes(const MatmulShape& shape) const {
  if (shape.dtype != DType::Fp32) return 1;
  const bool halved = (shape.transpose && config_.transpose_mode) || shape.onezero;
  return halved ? std::max(1U, config_.fp32_passes / 2) : config_.fp32_passes;
}

Cycles PeArrayTiming::interval(const MatmulShape& shape) const {
  // An FP32 matmul is issued as one instruction per two passes, each with its own overhead
  // (profiles of Trainium2 show two per nc_matmul).
  const std::uint32_t issues = (passes(shape) + 1) / 2;
  const std::uint64_t work = std::max<std::uint64_t>(streaming(shape).value, config_.min_interval_cycles);
  return Cycles{work + std::uint64_t{config_.issue_overhead_cycles} * issues};
}

Cycles PeArrayTiming::load(const MatmulShape& shape) const {
  const std::uint64_t fast = ceil_div(shape.stationary, config_.fast_load_factor);
  const std::uint64_t factor = shape.dtype == DType::Fp32 ? config_.fp32_load_factor : 1;
  return Cycles{std::max<std::uint64_t>(fast, config_.load_min_cycles) * factor};
}

}  // namespace trnsim
