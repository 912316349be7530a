// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/matmul_shape.hpp"

#include <algorithm>

namespace trnsim {

MatmulShape matmul_shape(const Instruction& instruction) {
  const bool transposes = instruction.op == Opcode::NcTranspose;
  const Operand& stationary = instruction.operands[1];
  MatmulShape shape;
  shape.rows = stationary.partitions;
  shape.double_row = instruction.perf_mode == PerfMode::DoubleRow;
  const std::uint32_t halves = shape.double_row ? 2 : 1;
  shape.stationary = static_cast<std::uint32_t>(stationary.columns()) / halves;
  // The moving operand of a transpose is an identity as wide as the data has partitions.
  shape.moving = transposes ? stationary.partitions : static_cast<std::uint32_t>(instruction.operands[2].columns()) / halves;
  shape.transpose = instruction.transpose || transposes;
  shape.onezero = instruction.onezero;
  const bool fp32 = stationary.dtype == DType::Fp32 || (!transposes && instruction.operands[2].dtype == DType::Fp32);
  shape.dtype = fp32 ? DType::Fp32 : stationary.dtype;
  return shape;
}

std::uint16_t array_region(const Instruction& i, const TensorConfig& config) {
  const std::uint32_t row_block = std::max(1U, config.rows / 4), column_block = std::max(1U, config.columns / 4);
  const std::uint32_t rows = std::min<std::uint32_t>(i.tile_rows, config.rows),
                      columns = std::min<std::uint32_t>(i.tile_cols, config.columns);
  std::uint16_t region = 0;
  for (std::uint32_t r = i.tile_row / row_block; r < std::min(4U, (i.tile_row + rows + row_block - 1) / row_block); ++r) {
    for (std::uint32_t c = i.tile_col / column_block; c < std::min(4U, (i.tile_col + columns + column_block - 1) / column_block); ++c) {
      region = static_cast<std::uint16_t>(region | 1U << (4 * r + c));
    }
  }
  return region;
}

}  // namespace trnsim
