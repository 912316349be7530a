// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "workload/kernels/matmul_stream.hpp"

namespace trnsim::kernel {

/// Block sizes of the optimized schedule: batch → M super-block → n block → k block → m block. All m
/// blocks of a super-block accumulate in SBUF over the k blocks; without a second k block PSUM alone
/// accumulates and there is one super-block.
struct BlockPlan {
  std::uint64_t block_m = 0, block_n = 0;  ///< Columns of M and N.
  std::uint64_t block_k = 0;               ///< K tiles.
  std::uint64_t super_m = 0;               ///< Rows of M with an accumulator.
  std::uint64_t stage_n = 0;               ///< Columns of one store.
  std::uint64_t lhs_buffers = 2, rhs_buffers = 2;
  std::uint64_t stages = 4;
  std::uint64_t lookahead = 1;  ///< Blocks whose loads are emitted ahead.
  std::vector<BufferSpec> buffers;

  std::uint64_t hbm_bytes = 0;
  double estimate_ns = 0;

  [[nodiscard]] std::uint64_t k_blocks(const MatmulProblem& p) const { return ceil_div(p.k_tiles(), block_k); }
  [[nodiscard]] std::uint64_t n_blocks(const MatmulProblem& p) const { return ceil_div(p.n, block_n); }
  [[nodiscard]] std::uint64_t m_blocks(const MatmulProblem& p) const { return ceil_div(p.m, block_m); }
  [[nodiscard]] std::uint64_t supers(const MatmulProblem& p) const { return ceil_div(p.m, super_m); }
  /// All of lhsT is one block, which is loaded once for all n blocks.
  [[nodiscard]] bool lhs_resident(const MatmulProblem& p) const { return k_blocks(p) == 1 && block_m >= p.m; }
  [[nodiscard]] std::uint64_t lhs_passes(const MatmulProblem& p) const { return lhs_resident(p) ? 1 : n_blocks(p); }
  /// K tiles loaded: [K tile, block] rows.
  [[nodiscard]] std::uint64_t lhs_loads(const MatmulProblem& p) const { return p.batch * lhs_passes(p) * m_blocks(p) * p.k_tiles(); }
  [[nodiscard]] std::uint64_t rhs_loads(const MatmulProblem& p) const { return p.batch * supers(p) * n_blocks(p) * p.k_tiles(); }
  /// PSUM groups: (m tile, n tile, k block).
  [[nodiscard]] std::uint64_t groups(const MatmulProblem& p) const;
  [[nodiscard]] std::uint64_t stores(const MatmulProblem& p) const;
};

/// The blocks for this problem on this chip. Feasible blocks are taken in the order of their SBUF
/// footprint and replace the best so far when they move no more HBM bytes in no more estimated time, so
/// that more SBUF never gives more bytes. Throws WorkloadError with the sizes when none fits.
BlockPlan choose_blocks(const MatmulProblem& problem, const ChipConfig& chip);

std::unique_ptr<RecordSource> optimized_source(const MatmulProblem& problem, const BlockPlan& plan);

/// Instructions of the whole program, in closed form.
std::uint64_t optimized_instructions(const MatmulProblem& problem, const BlockPlan& plan);

}  // namespace trnsim::kernel
