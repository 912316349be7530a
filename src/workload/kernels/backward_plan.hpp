// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <vector>

#include "workload/generator.hpp"
#include "workload/kernels/attention_problem.hpp"

namespace trnsim::kernel {

/// Query tiles [first, first + tiles) that are loaded together: positions of one head, or with several
/// query heads per KV head heads at one position. All have as many rows.
struct QueryChunk {
  std::uint64_t first = 0;
  std::uint32_t tiles = 1;
};

/// Chunks whose queries and sums of dQ stay in SBUF while the key blocks pass: [first, end) in chunks and tiles.
struct QueryRange {
  std::uint64_t first_chunk = 0, end_chunk = 0;
  std::uint64_t first_tile = 0, end_tile = 0;
  std::uint64_t blocks = 0;  ///< Key blocks that its last tile sees.
};

/// Loops, buffers and engine shares of the backward pass on one chip.
struct BackwardPlan {
  bool scalar_copies = true;       ///< The Scalar engine has tensor_copy; else activation copies.
  DType transposed = DType::Bf16;  ///< Of the transposes in PSUM.
  std::uint32_t bank = 2048;       ///< Bytes per partition of a PSUM bank.
  std::uint64_t lookahead = 5;     ///< Steps whose loads are emitted ahead.
  std::vector<QueryTile> tiles;    ///< Of one unit, as all below.
  std::vector<QueryChunk> chunks;
  std::vector<std::uint64_t> chunk_of;  ///< By tile.
  std::vector<QueryRange> ranges;
  std::vector<BufferSpec> buffers;

  /// Over several ranges dK and dV are summed in HBM.
  [[nodiscard]] bool sums() const { return ranges.size() > 1; }
  /// The first tile of a range that sees a key block.
  [[nodiscard]] std::uint64_t first_tile(const QueryRange& range, std::uint64_t block) const;
  /// Keys of a block as one tile multiplies them. The first tile takes all where partial sums are stored.
  [[nodiscard]] KeyBlock keys(const AttentionProblem& p, std::uint64_t tile, std::uint64_t block, bool first) const;
  [[nodiscard]] bool adds_sums(std::uint64_t range, std::uint64_t block) const { return range > 0 && block < ranges[range - 1].blocks; }
  /// Where dK starts in the tile of both gradients.
  [[nodiscard]] std::uint64_t key_gradient_offset(const AttentionProblem& p) const;
  [[nodiscard]] std::uint32_t gradient_banks(const AttentionProblem& p) const;
};

BackwardPlan plan_backward(const AttentionProblem& problem, const ChipConfig& chip);

std::unique_ptr<RecordSource> backward_source(const AttentionProblem& problem, const BackwardPlan& plan);

/// Instructions of the whole program, from the shapes of one unit.
std::uint64_t backward_instructions(const AttentionProblem& problem, const BackwardPlan& plan);

}  // namespace trnsim::kernel
