// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/generator.hpp"
#include "workload/kernels/emit.hpp"
#include "workload/kernels/matmul_problem.hpp"

namespace trnsim::kernel {

/// One input of a matmul: its HBM tensor and the SBUF tiles [K tile, `width`] that its loads take in turn.
struct MatmulSide {
  TensorId tensor = kLhs, scale_tensor = kLhsScale;
  std::uint64_t columns = 0;  ///< Of the HBM tensor.
  std::uint32_t width = 0;    ///< Of one tile.
  TileRing data, scale;
};

/// Columns [first, first + count) of M or N.
struct Span {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

/// Buffers of one side, scales included.
void add_side_buffers(std::vector<BufferSpec>& buffers, const MatmulProblem& p, const std::string& name, std::uint32_t width,
                      std::uint64_t count);
BufferSpec psum_buffer(const MatmulProblem& p, std::uint64_t uses);

/// Part `index` of `total` in parts of `size`.
inline Span part(std::uint64_t index, std::uint64_t size, std::uint64_t total) {
  const std::uint64_t first = index * size;
  return {first, static_cast<std::uint32_t>(total - first < size ? total - first : size)};
}

/// What the schedules of matmul have in common: loads, multiplies, eviction and late stores.
class MatmulStream : public RecordSource {
 public:
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 protected:
  explicit MatmulStream(const MatmulProblem& problem);

  /// Numbers the tiles of all buffers; `uses` by buffer name, in their order.
  void place(const std::vector<BufferSpec>& buffers, std::uint64_t lhs_uses, std::uint64_t rhs_uses, std::uint64_t psum_uses,
             std::uint64_t stage_uses);

  /// Loads one K tile of the columns of `span` as use number `use` of the side's tiles.
  RecordStream load(MatmulSide& side, std::uint64_t use, std::uint64_t batch, std::uint64_t k_tile, Span span);
  RecordStream release_input(MatmulSide& side, std::uint64_t use);

  struct Factor {  ///< Columns of an input tile that take part in a multiply.
    std::uint64_t use = 0;
    Span span;  ///< Counted from the tile's first column.
  };
  const Record& multiply(std::uint64_t psum_use, Factor stationary, const Factor& moving, std::uint64_t k_tile, bool accumulate);

  /// Stores that are due before the next load; all of them at the end.
  RecordStream store_next();
  RecordStream store_all();

  MatmulProblem p_;
  MatmulSide lhs_, rhs_;
  TileRing psum_, stage_;
  CopyEmitter copies_;
  StoreQueue stores_;
  InstructionEmitter evict_{Opcode::TensorCopy, EngineKind::Vector};
  TensorId next_tile_ = 0;

 private:
  Operand input_operand(const MatmulSide& side, const Factor& factor, const KTile& k) const;

  InstructionEmitter matmul_{Opcode::NcMatmul, EngineKind::Tensor};
  InstructionEmitter matmul_mx_{Opcode::NcMatmulMx, EngineKind::Tensor};
};

}  // namespace trnsim::kernel
