// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/chip_config.hpp"

namespace trnsim {

Generation ChipConfig::gen() const { return generation_from(generation).value_or(Generation::V3); }

double rate_multiplier(const TensorConfig& tensor, DType dtype, bool double_row) {
  switch (dtype) {
    case DType::Fp32: return 1.0 / tensor.fp32_passes;
    case DType::Fp8E4M3:
    case DType::Fp8E5M2: return double_row ? tensor.fp8_rate : 1.0;
    case DType::MxFp8: return tensor.mxfp8_rate;
    case DType::MxFp4: return tensor.mxfp4_rate;
    case DType::Bf16:
    case DType::Fp16:
    case DType::Tf32: return 1.0;
    default: return 0.0;  // no integer matmul in nki.isa
  }
}

double peak_flops(const TensorConfig& tensor, DType dtype, bool double_row) {
  return 2.0 * tensor.rows * tensor.columns * tensor.clock_ghz * 1e9 * rate_multiplier(tensor, dtype, double_row);
}

}  // namespace trnsim
