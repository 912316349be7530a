// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/instruction.hpp"
#include "trnsim/units.hpp"
#include "workload/params.hpp"

namespace trnsim::kernel {

/// Tiles at the end of K that may differ from the others: a short one, and with double row an odd row.
inline constexpr std::uint64_t kLastTilesOfK = 2;

/// Rows of the contraction that one matmul covers, in stored elements (packed x4 elements for MX).
/// In double row a tile has two halves of `rows`, one behind the other.
struct KTile {
  std::uint64_t row = 0;
  std::uint32_t rows = 0;
  std::uint32_t halves = 1;
};

/// One core's product lhsT[K,M]ᵀ × rhs[K,N] → out[M,N], `batch` times on independent operands.
struct MatmulProblem {
  std::uint64_t m = 1, n = 1, k = 1, batch = 1;
  DType dtype = DType::Bf16, out_dtype = DType::Bf16;
  bool double_row = false;
  std::uint32_t tile_m = 128;  ///< Largest stationary tile, columns.
  std::uint32_t tile_n = 512;  ///< Largest moving tile, columns: one PSUM bank of FP32.
  std::uint32_t tile_k = 128;  ///< Partitions of an input tile.
  std::uint32_t banks = 8;
  unsigned queues = 1;
  std::uint64_t buffers = 0;  ///< Sets of input tiles that take turns; 0 = as the schedule sees fit.
  std::uint64_t m_total = 1;  ///< Over all cores.
  std::string schedule;

  [[nodiscard]] bool mx() const { return is_mx(dtype); }
  [[nodiscard]] std::uint32_t element() const { return element_bytes(dtype); }
  [[nodiscard]] std::uint32_t halves() const { return double_row ? 2 : 1; }
  /// Rows and columns of the stored operands. MX operands are stored in whole groups: the Tensor engine
  /// takes them from 32 partitions at a time, and an even number of stationary columns.
  [[nodiscard]] std::uint64_t k_rows() const { return mx() ? ceil_div(k, 128) * 32 : k; }
  [[nodiscard]] std::uint64_t m_columns() const { return mx() ? stored(m) : m; }
  template <class Count>
  [[nodiscard]] Count stored(Count columns) const {
    return mx() ? (columns + 1) / 2 * 2 : columns;
  }
  [[nodiscard]] std::uint64_t m_tiles() const { return ceil_div(m, tile_m); }
  [[nodiscard]] std::uint64_t n_tiles() const { return ceil_div(n, tile_n); }
  [[nodiscard]] std::uint64_t k_tiles() const;
  [[nodiscard]] KTile k_tile(std::uint64_t index) const;
  /// Largest number of partitions of an input tile and of the stationary columns.
  [[nodiscard]] std::uint32_t input_partitions() const { return k_tile(0).rows; }
  [[nodiscard]] std::uint32_t output_partitions() const { return static_cast<std::uint32_t>(m < tile_m ? m : tile_m); }
  [[nodiscard]] std::uint32_t moving_columns() const { return static_cast<std::uint32_t>(n < tile_n ? n : tile_n); }
  [[nodiscard]] std::uint32_t stationary_columns() const { return stored(output_partitions()); }
  [[nodiscard]] std::uint64_t macs() const { return batch * m * n * k; }
};

/// Partitions that hold the scales of `rows` partitions of MX elements: one per 8 partitions.
constexpr std::uint32_t scale_rows(std::uint64_t rows) { return static_cast<std::uint32_t>((rows + 7) / 8); }

/// Tensor numbers of a matmul program.
inline constexpr TensorId kLhs = 0, kRhs = 1, kOut = 2, kLhsScale = 3, kRhsScale = 4;

/// Reads and checks the parameters: one problem per core. Throws WorkloadError.
std::vector<MatmulProblem> matmul_problems(ParamReader& params, const ChipConfig& chip, unsigned cores);

/// HBM tensors of one core. A slice of M gets the core's number in its name; rhs is shared by all.
std::vector<TensorInfo> matmul_tensors(const MatmulProblem& problem, unsigned core, unsigned cores);

}  // namespace trnsim::kernel
