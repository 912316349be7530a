// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/kernels/buffers.hpp"
#include "workload/kernels/emit.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {

/// What a kernel over rows of a [rows, cols] tensor does with a row.
struct RowKernel {
  std::string name;
  unsigned row_passes = 1;    ///< Passes over a row that does not fit SBUF as a whole.
  bool second_input = false;  ///< A second tensor of the same shape.
  bool gamma = false;         ///< A vector [cols] that scales every row.
  unsigned statistics = 0;    ///< FP32 values per row kept beside it.
  unsigned flops = 0;         ///< Useful operations per element.
};

/// Rows on partitions, as many as there are; columns whole or in chunks.
struct RowPlan {
  std::uint64_t rows = 1, columns = 1;
  std::uint32_t row_tile = 128;  ///< Rows of a tile: one on each partition.
  DType dtype = DType::Bf16;
  unsigned queues = 1;
  std::uint64_t chunk = 1;            ///< Columns of a tile.
  unsigned passes = 1;                ///< Over the chunks of a row; 1 when the row stays in SBUF.
  std::uint64_t lookahead = 2;        ///< Steps whose loads are emitted ahead.
  std::vector<std::uint64_t> slices;  ///< Rows per core.
  std::vector<BufferSpec> buffers;

  [[nodiscard]] std::uint64_t tiles(std::uint64_t of_rows) const { return ceil_div(of_rows, row_tile); }
  [[nodiscard]] std::uint64_t chunks() const { return ceil_div(columns, chunk); }
};

/// Reads the parameters and finds the widest chunk and the deepest look-ahead that fit.
RowPlan plan_rows(const RowKernel& kernel, ParamReader& params, const ChipConfig& chip, unsigned cores);

/// HBM tensors of one core: inputs first, the output last.
std::vector<TensorInfo> row_tensors(const RowKernel& kernel, const RowPlan& plan, unsigned core);

/// Loop order and buffers; `steps` are the kernel's own lines.
std::string describe_rows(const RowKernel& kernel, const RowPlan& plan, const ChipConfig& chip, const std::string& steps);

}  // namespace trnsim::kernel
