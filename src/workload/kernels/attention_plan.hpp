// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <vector>

#include "workload/generator.hpp"
#include "workload/kernels/attention_problem.hpp"
#include "workload/kernels/two_input_rates.hpp"

namespace trnsim::kernel {

/// Tiles of `keys` keys whose scores with one query tile become exponentials together. With a mask it is
/// one tile.
struct KeyPiece {
  std::uint32_t first = 0, tiles = 1;  ///< Of the block.
  std::uint32_t keys = 128;            ///< Of a tile, on the partitions.
  std::uint32_t row = 0;               ///< First query row computed: those before see none of the keys.
  std::uint32_t masked = 0;            ///< End of the rows that do not see all keys; 0 where all do.
};

/// Row tiles of a query tile as one instruction takes them.
struct RowPart {
  std::uint32_t first = 0, tiles = 1;
  std::uint32_t rows = 128;  ///< Of a tile, on the partitions.
};

/// Sets of statistics beside those of the key blocks and query tiles: of the steps under way.
inline constexpr std::uint64_t kStepStatistics = 5;
/// Numbers of a set, before one per row tile.
inline constexpr std::uint32_t kStatisticFields = 4;

/// Buffers and engine shares of flash attention on one chip.
struct AttentionPlan {
  std::vector<QueryTile> tiles;      ///< Of one unit.
  bool resident = true;              ///< K and V of a head stay in SBUF for all its query tiles.
  std::uint64_t lookahead = 3;       ///< Steps whose loads are emitted ahead.
  std::uint32_t score_banks = 2;     ///< PSUM banks of one piece.
  std::uint32_t bank_columns = 512;  ///< FP32 numbers per partition of a PSUM bank.
  std::uint32_t bank_sums = 4;       ///< Row tiles whose outputs share a bank.
  DType exponentials = DType::Bf16;
  bool by_scalar = false;       ///< The Scalar engine squares, having few exponentials.
  std::uint32_t by_gpsimd = 0;  ///< Of the columns of a key block, those that GpSimd squares.
  std::vector<BufferSpec> buffers;

  [[nodiscard]] std::uint32_t row_tiles(std::uint32_t row_tile) const {
    return static_cast<std::uint32_t>(ceil_div(tiles.front().rows(), row_tile));
  }
  /// Key blocks of a unit that some query sees.
  [[nodiscard]] std::uint64_t key_blocks() const { return tiles.back().blocks; }
  /// Of a set of statistics, per partition.
  [[nodiscard]] std::uint32_t statistic_bytes(std::uint32_t row_tile) const {
    return tile_bytes(std::uint64_t{kStatisticFields + row_tiles(row_tile)} * element_bytes(DType::Fp32));
  }
};

/// Pieces that the products with V follow behind the exponentials.
inline constexpr std::uint64_t kSumLag = 2;

AttentionPlan plan_attention(const AttentionProblem& problem, const ChipConfig& chip);

/// Key block `index` as a query tile sees it, in order of the keys.
std::vector<KeyPiece> key_pieces(const AttentionProblem& problem, const AttentionPlan& plan, const QueryTile& tile, std::uint64_t index);

/// Rows from row tile `first` on; the tiles of a part share a PSUM bank.
std::vector<RowPart> row_parts(const AttentionProblem& problem, const AttentionPlan& plan, const QueryTile& tile, std::uint32_t first);

std::unique_ptr<RecordSource> attention_source(const AttentionProblem& problem, const AttentionPlan& plan);

/// Instructions of the whole program, from the shapes of one head.
std::uint64_t attention_instructions(const AttentionProblem& problem, const AttentionPlan& plan);

}  // namespace trnsim::kernel
