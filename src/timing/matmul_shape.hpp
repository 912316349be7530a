// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>

#include "timing/pe_array_timing.hpp"
#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// What an nc_matmul or an nc_transpose of the Tensor engine asks of the array.
MatmulShape matmul_shape(const Instruction& instruction);

/// 4 × 4 blocks of the array that an array tile occupies.
std::uint16_t array_region(const Instruction& instruction, const TensorConfig& config);

}  // namespace trnsim
