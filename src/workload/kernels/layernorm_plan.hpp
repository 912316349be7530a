// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/kernels/buffers.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {

inline constexpr std::uint32_t kStatisticsColumns = 512;  ///< Most that one bn_stats takes.

/// Rows on partitions. A row stays in SBUF where it fits, else it comes twice, in chunks.
struct LayerNormPlan {
  std::uint64_t rows = 1, columns = 1;
  std::uint32_t row_tile = 128;
  DType dtype = DType::Bf16;
  unsigned queues = 1;
  std::uint64_t chunk = 1;  ///< Columns of a tile: all of them, or those of one step.
  std::uint64_t piece = 1;  ///< Columns of one copy and of one instruction that normalises.
  bool resident = true;     ///< One pass over a row.
  std::uint64_t depth = 4;  ///< Tiles of x: written, normalised in place and stored.
  bool beta_on_gpsimd = false;
  std::vector<std::uint64_t> slices;  ///< Rows per core.
  std::vector<BufferSpec> buffers;

  [[nodiscard]] std::uint64_t tiles(std::uint64_t of_rows) const { return ceil_div(of_rows, row_tile); }
  [[nodiscard]] std::uint64_t chunks() const { return ceil_div(columns, chunk); }
  [[nodiscard]] unsigned passes() const { return resident ? 1 : 2; }
  /// Instructions of bn_stats for so many columns.
  [[nodiscard]] static std::uint64_t groups(std::uint64_t of_columns) { return ceil_div(of_columns, kStatisticsColumns); }
};

LayerNormPlan plan_layernorm(ParamReader& params, const ChipConfig& chip, unsigned cores);

/// HBM tensors of one core; of all rows for a core that is none.
std::vector<TensorInfo> layernorm_tensors(const LayerNormPlan& plan, unsigned core);

/// Instructions of one program, in closed form.
std::uint64_t layernorm_instructions(const LayerNormPlan& plan, std::uint64_t rows);

}  // namespace trnsim::kernel
