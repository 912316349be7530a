// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "workload/kernels/buffers.hpp"
#include "workload/params.hpp"

namespace trnsim::kernel {

/// Query rows that share the partitions: positions [first, first + count) of `heads` query heads.
struct QueryTile {
  std::uint64_t head = 0;
  std::uint32_t heads = 1;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t blocks = 0;  ///< Key blocks with an unmasked pair.

  [[nodiscard]] std::uint32_t rows() const { return heads * count; }
};

/// Keys [first, first + count) as one query tile sees them.
struct KeyBlock {
  std::uint64_t first = 0;
  std::uint32_t count = 0;  ///< Up to the last key that any of the rows may see.
  bool masked = false;      ///< Some pair is masked.
};

/// One core's attention: `units` pairs of (sample, KV head), each with `group` query heads.
struct AttentionProblem {
  std::uint64_t units = 1, group = 1;
  std::uint64_t seq_q = 1, seq_k = 1;
  std::uint64_t q_total = 1, q_first = 0;  ///< Queries of all cores, position of this core's first.
  std::uint32_t head_dim = 64;
  DType dtype = DType::Bf16;
  bool causal = false;
  bool backward = false;
  unsigned queues = 1;
  std::uint32_t row_tile = 128;  ///< Query rows per tile, and keys per transposed piece.
  std::uint32_t moving = 512;    ///< Key columns of one matmul.
  std::uint32_t block = 1024;    ///< Keys per block.

  [[nodiscard]] std::uint32_t element() const { return element_bytes(dtype); }
  [[nodiscard]] std::uint64_t key_blocks() const { return ceil_div(seq_k, block); }
  /// Keys that the query at `position` may see.
  [[nodiscard]] std::uint64_t visible(std::uint64_t position) const;
  /// Query tiles of one unit: by position, so that the number of key blocks never falls.
  [[nodiscard]] std::vector<QueryTile> query_tiles() const;
  [[nodiscard]] KeyBlock key_block(const QueryTile& tile, std::uint64_t index) const;
  /// The same in whole pieces of `row_tile` keys, or up to the end of the block.
  [[nodiscard]] KeyBlock padded_block(const QueryTile& tile, std::uint64_t index) const;
  [[nodiscard]] std::uint32_t keys_of(std::uint64_t index) const;  ///< Of a whole block.
  [[nodiscard]] std::uint64_t unmasked_pairs() const;
};

inline constexpr TensorId kQuery = 0, kKey = 1, kValue = 2, kResult = 3;
/// The backward pass reads the result and has more.
inline constexpr TensorId kResultGradient = 4, kLogSumExp = 5, kQueryGradient = 6, kKeyGradient = 7, kValueGradient = 8, kKeySum = 9,
                          kValueSum = 10;

/// Reads and checks the parameters: one problem per core. Throws WorkloadError.
std::vector<AttentionProblem> attention_problems(ParamReader& params, const ChipConfig& chip, unsigned cores);

/// HBM tensors of one core: qT[units, group, d, seq_q], kT[units, d, seq_k], v[units, seq_k, d], o; in the
/// backward pass also those of the gradients, with `sums` the FP32 sums of dK and dV.
std::vector<TensorInfo> attention_tensors(const AttentionProblem& problem, unsigned core, unsigned cores, bool sums = false);

}  // namespace trnsim::kernel
