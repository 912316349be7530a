// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "workload/kernels/matmul_stream.hpp"

namespace trnsim::kernel {

/// Buffers and look-ahead of the schedules that load tile by tile: naive, hoisted, blocked.
struct TiledPlan {
  std::uint32_t block_m = 1, block_n = 1;  ///< Tiles of M and N that share a pass over K.
  bool hoisted = false;                    ///< The m block's whole K is loaded once, not per n block.
  std::uint64_t lookahead = 0;             ///< Steps over K whose loads are emitted ahead of their use.
  std::vector<BufferSpec> buffers;

  [[nodiscard]] std::uint64_t m_blocks(const MatmulProblem& p) const { return ceil_div(p.m_tiles(), block_m); }
  [[nodiscard]] std::uint64_t n_blocks(const MatmulProblem& p) const { return ceil_div(p.n_tiles(), block_n); }
  [[nodiscard]] std::uint64_t lhs_loads(const MatmulProblem& p) const;
  [[nodiscard]] std::uint64_t rhs_loads(const MatmulProblem& p) const { return p.batch * m_blocks(p) * p.n_tiles() * p.k_tiles(); }
  [[nodiscard]] std::uint64_t outputs(const MatmulProblem& p) const { return p.batch * p.m_tiles() * p.n_tiles(); }
};

/// The look-ahead asked for, or the deepest that fits. Throws WorkloadError with the sizes when none does.
TiledPlan plan_tiled(const MatmulProblem& problem, const ChipConfig& chip);

std::unique_ptr<RecordSource> tiled_source(const MatmulProblem& problem, const TiledPlan& plan);

/// Instructions of the whole program, in closed form.
std::uint64_t tiled_instructions(const MatmulProblem& problem, const TiledPlan& plan);

}  // namespace trnsim::kernel
