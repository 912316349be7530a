// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/matmul_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trnsim::kernel {

void add_side_buffers(std::vector<BufferSpec>& buffers, const MatmulProblem& p, const std::string& name, std::uint32_t width,
                      std::uint64_t count) {
  const std::uint32_t partitions = p.input_partitions();
  const std::string shape = p.double_row ? fmt::format("[{}, 2, {}]", partitions, width) : fmt::format("[{}, {}]", partitions, width);
  const std::uint64_t bytes = std::uint64_t{width} * p.halves() * p.element();
  buffers.push_back({name, Buffer::Sbuf, p.dtype, shape, partitions, tile_bytes(bytes), count});
  if (!p.mx()) return;
  const std::uint32_t scales = scale_rows(partitions);
  buffers.push_back(
      {name + "_scale", Buffer::Sbuf, DType::Uint8, fmt::format("[{}, {}]", scales, width), scales, tile_bytes(width), count});
}

BufferSpec psum_buffer(const MatmulProblem& p, std::uint64_t uses) {
  const std::uint32_t columns = p.moving_columns();
  return {"psum",
          Buffer::Psum,
          DType::Fp32,
          fmt::format("[{}, {}]", p.stationary_columns(), columns),
          p.stationary_columns(),
          p.tile_n * element_bytes(DType::Fp32),
          std::min<std::uint64_t>(p.banks, uses)};
}

MatmulStream::MatmulStream(const MatmulProblem& problem) : p_(problem), copies_(problem.queues) {
  lhs_.columns = p_.m_columns();
  rhs_.tensor = kRhs;
  rhs_.scale_tensor = kRhsScale;
  rhs_.columns = p_.n;
  next_tile_ = p_.mx() ? 5 : 3;
}

void MatmulStream::place(const std::vector<BufferSpec>& buffers, std::uint64_t lhs_uses, std::uint64_t rhs_uses, std::uint64_t psum_uses,
                         std::uint64_t stage_uses) {
  for (const BufferSpec& b : buffers) {
    if (b.name == "lhsT") lhs_.data = TileRing(b, next_tile_, lhs_uses);
    if (b.name == "lhsT_scale") lhs_.scale = TileRing(b, next_tile_, lhs_uses);
    if (b.name == "rhs") rhs_.data = TileRing(b, next_tile_, rhs_uses);
    if (b.name == "rhs_scale") rhs_.scale = TileRing(b, next_tile_, rhs_uses);
    if (b.name == "psum") psum_ = TileRing(b, next_tile_, psum_uses);
    if (b.name == "stage") stage_ = TileRing(b, next_tile_, stage_uses);
    next_tile_ += static_cast<TensorId>(b.count);
  }
}

RecordStream MatmulStream::load(MatmulSide& side, std::uint64_t use, std::uint64_t batch, std::uint64_t k_tile, Span span) {
  while (stores_.due(copies_.count())) co_yield store_next();
  const KTile k = p_.k_tile(k_tile);
  if (&side == &lhs_) span.count = p_.stored(span.count);
  if (side.data.first_use(use)) co_yield side.data.declare(use);
  const std::uint64_t row_bytes = side.columns * p_.element();
  const Operand src = hbm_operand(side.tensor, p_.dtype, k.rows, (batch * p_.k_rows() + k.row) * row_bytes + span.first * p_.element(),
                                  row_bytes, span.count);
  const Operand dst = side.data.operand(use, k.rows, 0, span.count);
  co_yield copies_.copy(repeated(dst, static_cast<std::int32_t>(side.width), k.halves),
                        repeated(src, static_cast<std::int32_t>(k.rows * side.columns), k.halves));
  if (!p_.mx()) co_return;
  if (side.scale.first_use(use)) co_yield side.scale.declare(use);
  const std::uint64_t row = batch * scale_rows(p_.k_rows()) + k.row / 8;
  co_yield copies_.copy(
      side.scale.operand(use, scale_rows(k.rows), 0, span.count),
      hbm_operand(side.scale_tensor, DType::Uint8, scale_rows(k.rows), row * side.columns + span.first, side.columns, span.count));
}

RecordStream MatmulStream::release_input(MatmulSide& side, std::uint64_t use) {
  if (!side.data.last_use(use)) co_return;
  co_yield side.data.release(use);
  if (p_.mx()) co_yield side.scale.release(use);
}

Operand MatmulStream::input_operand(const MatmulSide& side, const Factor& factor, const KTile& k) const {
  const Operand o = side.data.operand(factor.use, k.rows, factor.span.first * p_.element(), factor.span.count);
  return repeated(o, static_cast<std::int32_t>(side.width), k.halves);
}

const Record& MatmulStream::multiply(std::uint64_t psum_use, Factor stationary, const Factor& moving, std::uint64_t k_tile,
                                     bool accumulate) {
  stationary.span.count = p_.stored(stationary.span.count);
  const KTile k = p_.k_tile(k_tile);
  const Operand dst = psum_.operand(psum_use, stationary.span.count, 0, moving.span.count);
  if (!p_.mx()) {
    matmul_.fields().accumulate = accumulate;
    matmul_.fields().perf_mode = k.halves == 2 ? PerfMode::DoubleRow : PerfMode::None;
    return matmul_(dst, input_operand(lhs_, stationary, k), input_operand(rhs_, moving, k));
  }
  matmul_mx_.fields().accumulate = accumulate;
  return matmul_mx_(dst, input_operand(lhs_, stationary, k), input_operand(rhs_, moving, k),
                    lhs_.scale.operand(stationary.use, scale_rows(k.rows), stationary.span.first, stationary.span.count),
                    rhs_.scale.operand(moving.use, scale_rows(k.rows), moving.span.first, moving.span.count));
}

RecordStream MatmulStream::store_next() {
  const StoreQueue::Store store = stores_.pop();
  co_yield copies_.copy(store.dst, store.src);
  if (stage_.last_use(store.use)) co_yield stage_.release(store.use);
}

RecordStream MatmulStream::store_all() {
  while (!stores_.empty()) co_yield store_next();
}

}  // namespace trnsim::kernel
