// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>

#include "workload/generator.hpp"
#include "workload/kernels/attention_problem.hpp"

namespace trnsim::kernel {

inline constexpr std::uint64_t kTurnLag = 2, kSumLag = 4;  ///< Steps from the scores of a step to its transposes and its output sums.

/// Buffers and engine shares of flash attention on one chip.
struct AttentionPlan {
  bool resident = true;             ///< K and V of a head stay in SBUF for all its query tiles.
  bool range_select = true;         ///< The Vector engine masks from PSUM; else GpSimd in SBUF.
  bool scalar_copies = true;        ///< The Scalar engine has tensor_copy; else activation copies.
  std::uint64_t lookahead = 3;      ///< Steps whose loads are emitted ahead.
  std::uint32_t vector_pieces = 0;  ///< Of a full block's transposed pieces, evicted by the Vector engine.
  DType transposed = DType::Bf16;   ///< Of the transposes in PSUM.
  std::vector<BufferSpec> buffers;
};

AttentionPlan plan_attention(const AttentionProblem& problem, const ChipConfig& chip);

std::unique_ptr<RecordSource> attention_source(const AttentionProblem& problem, const AttentionPlan& plan);

/// Instructions of the whole program, from the shapes of one head.
std::uint64_t attention_instructions(const AttentionProblem& problem, const AttentionPlan& plan);

}  // namespace trnsim::kernel
