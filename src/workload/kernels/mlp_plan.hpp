// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "workload/generator.hpp"
#include "workload/kernels/matmul_stream.hpp"

namespace trnsim::kernel {

/// Rows of a layer's result that one stationary tile makes: columns [first, first + count) of its weights.
struct MlpPiece {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t slot = 0;  ///< Position in the tile of the result: tokens of a block per slot.
};

/// K tiles [first, first + tiles) whose weights come with one copy; all have the same rows.
struct MlpSlab {
  std::uint64_t first = 0;
  std::uint32_t tiles = 1;
};

/// One of the two products, result[M, tokens] = weights[K, M]ᵀ × input[K, tokens].
struct MlpLayer {
  MatmulProblem p;     ///< m rows of the result, n the tokens of the core, k rows of the input.
  unsigned sides = 1;  ///< Weight matrices: two in the gated first product.
  std::vector<MlpPiece> pieces;
  std::vector<MlpSlab> slabs;
  std::uint64_t chunk = 1;  ///< Pieces whose sums are in PSUM together.
  [[nodiscard]] std::uint64_t chunks() const { return ceil_div(pieces.size(), chunk); }
  /// Columns of the weights of one chunk.
  [[nodiscard]] Span columns(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t pieces_of(std::uint64_t index) const { return part(index, chunk, pieces.size()).count; }
};

/// One core's multi-layer perceptron and its loops: token block → product → chunk of the result → K.
struct MlpPlan {
  std::uint64_t tokens = 1, hidden = 1, ffn = 1;
  DType dtype = DType::Bf16, out_dtype = DType::Bf16;
  ActFn function = ActFn::Silu;
  bool gated = true;
  unsigned queues = 1;
  std::uint64_t block = 1;     ///< Tokens that go through both products together.
  std::uint32_t per_bank = 1;  ///< Pieces with the tokens of a block in one PSUM bank.
  std::array<MlpLayer, 2> layers;
  std::vector<BufferSpec> buffers;

  [[nodiscard]] std::uint64_t blocks() const { return ceil_div(tokens, block); }
  [[nodiscard]] std::uint32_t element() const { return element_bytes(dtype); }
  [[nodiscard]] std::uint64_t macs() const { return tokens * hidden * ffn * (gated ? 3 : 2); }
  [[nodiscard]] std::uint64_t hbm_bytes() const;
  /// PSUM banks that one side of a chunk takes.
  [[nodiscard]] std::uint64_t banks_of(const MlpLayer& layer, std::uint64_t chunk) const {
    return ceil_div(layer.pieces_of(chunk), per_bank);
  }
  /// Type of the activated gate.
  [[nodiscard]] DType gate_dtype() const { return bits_of(dtype) == 8 ? DType::Bf16 : dtype; }
};

/// Runs of equally tall pieces [first, first + count) of a layer that lie in one PSUM bank.
std::vector<Span> mlp_runs(const MlpPlan& plan, const MlpLayer& layer, std::uint64_t chunk);

/// Reads and checks the parameters: one plan per core. Throws WorkloadError.
std::vector<MlpPlan> mlp_plans(ParamReader& params, const ChipConfig& chip, unsigned cores);

/// HBM tensors of one core: xT, the weights of both products in the order of their use, outT.
std::vector<TensorInfo> mlp_tensors(const MlpPlan& plan, unsigned core, unsigned cores);

std::unique_ptr<RecordSource> mlp_source(const MlpPlan& plan);

/// Instructions of the whole program, in closed form.
std::uint64_t mlp_instructions(const MlpPlan& plan);

}  // namespace trnsim::kernel
