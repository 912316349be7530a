// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>

#include "workload/kernels/matmul_blocks.hpp"

namespace trnsim::kernel {
namespace {

/// A block multiplies all its (m tile, n tile) pairs over its k tiles. Pairs go in groups of half the
/// PSUM banks, k outermost, so that eviction of one group overlaps with the next and work starts with
/// the first k tile.
class OptimizedSource final : public MatmulStream {
 public:
  OptimizedSource(const MatmulProblem& problem, const BlockPlan& plan) : MatmulStream(problem), b_(plan) {
    place(plan.buffers, plan.lhs_loads(p_), plan.rhs_loads(p_), plan.groups(p_), plan.stores(p_));
    lhs_.width = static_cast<std::uint32_t>(std::min(plan.block_m, p_.m_columns()));
    rhs_.width = static_cast<std::uint32_t>(plan.block_n);
    TensorId first = next_tile_;
    for (auto it = plan.buffers.rbegin(); it != plan.buffers.rend(); ++it) {
      first -= static_cast<TensorId>(it->count);
      if (it->name == "acc") acc_ = TileRing(*it, first, ~std::uint64_t{0});
    }
    k_blocks_ = plan.k_blocks(p_);
    n_blocks_ = plan.n_blocks(p_);
    supers_ = plan.supers(p_);
    resident_ = plan.lhs_resident(p_);
    rhs_total_ = plan.rhs_loads(p_);
  }

  RecordStream records() override {
    Block ahead, now;
    bool more = true;
    for (std::uint64_t loaded = 0, block = 0; now.batch < p_.batch; ++block, advance(now)) {
      for (; more && loaded <= block + b_.lookahead; ++loaded) {
        co_yield load_block(ahead);
        if (ahead.m + 1 == m_blocks(ahead)) rhs_ahead_ += k_span(ahead).count;
        advance(ahead);
        more = ahead.batch < p_.batch;
      }
      if (b_.lookahead > 0) co_yield load_rhs_until(rhs_base_ + k_span(now).count + next_rhs_share(now));
      co_yield multiply_block(now);
    }
    co_yield store_all();
  }

  RecordStream summary() override {
    for (const Alike super : alike(supers_, 0)) {
      for (const Alike n : alike(n_blocks_, resident_ ? 1 : 0)) {
        for (const Alike k : alike(k_blocks_, 1, kLastTilesOfK)) {
          Block b{0, super.first, n.first, k.first, 0};
          const std::uint64_t blocks = p_.batch * super.count * n.count * k.count;
          co_yield load_alike(rhs_, b, n_span(b), blocks);
          for (const Alike m : alike(m_blocks(b), 0)) {
            b.m = m.first;
            if (!resident_ || b.n == 0) co_yield load_alike(lhs_, b, m_span(b), blocks * m.count);
            co_yield multiply_alike(b, blocks * m.count);
          }
        }
      }
    }
  }

 private:
  struct Block {
    std::uint64_t batch = 0, super = 0, n = 0, k = 0, m = 0;  ///< m counts within the super-block.
  };
  struct Pair {                ///< One output tile of the running block.
    std::uint64_t m_tile = 0;  ///< Within the block.
    Span rows, columns;        ///< Within the block's loads.
  };

  [[nodiscard]] Span super_span(const Block& b) const { return part(b.super, b_.super_m, p_.m); }
  [[nodiscard]] std::uint64_t m_blocks(const Block& b) const { return ceil_div(super_span(b).count, b_.block_m); }
  [[nodiscard]] Span m_span(const Block& b) const {
    const Span super = super_span(b);
    const Span block = part(b.m, b_.block_m, super.count);
    return {super.first + block.first, block.count};
  }
  [[nodiscard]] Span n_span(const Block& b) const { return part(b.n, b_.block_n, p_.n); }
  [[nodiscard]] Span k_span(const Block& b) const { return part(b.k, b_.block_k, p_.k_tiles()); }

  void advance(Block& b) const {
    if (++b.m < m_blocks(b)) return;
    b.m = 0;
    if (++b.k < k_blocks_) return;
    b.k = 0;
    if (++b.n < n_blocks_) return;
    b.n = 0;
    if (++b.super < supers_) return;
    b.super = 0;
    ++b.batch;
  }

  RecordStream load_block(Block b) {
    const Span k = k_span(b);
    for (std::uint64_t i = 0; i < k.count; ++i) {
      co_yield load_rhs_until(rhs_ahead_ + i + 1);
      if (!resident_ || b.n == 0) co_yield load(lhs_, lhs_loaded_++, b.batch, k.first + i, m_span(b));
    }
  }

  /// The next block of rhs is spread over the m blocks of the running one, so that it does not hold up
  /// their lhsT.
  [[nodiscard]] std::uint64_t next_rhs_share(const Block& b) const { return ceil_div(b_.block_k * (b.m + 1), m_blocks(b)); }

  RecordStream load_rhs_until(std::uint64_t count) {
    for (count = std::min(count, rhs_total_); rhs_loaded_ < count;) {
      const Span k = k_span(rhs_block_);
      co_yield load(rhs_, rhs_loaded_++, rhs_block_.batch, k.first + rhs_k_, n_span(rhs_block_));
      if (++rhs_k_ < k.count) continue;
      rhs_k_ = 0;
      rhs_block_.m = m_blocks(rhs_block_) - 1;
      advance(rhs_block_);
    }
  }

  RecordStream multiply_block(Block b) {
    const std::uint64_t n_tiles = ceil_div(n_span(b).count, p_.tile_n);
    const std::uint64_t pairs = ceil_div(m_span(b).count, p_.tile_m) * n_tiles;
    for (std::uint64_t first = 0; first < pairs;) {
      const std::uint64_t count = std::min(pairs - first, group_size());
      co_yield multiply_group(b, first, count, first + count == pairs);
      for (std::uint64_t i = first; i < first + count; ++i) co_yield evict(b, pair(b, i, n_tiles));
      first += count;
    }
    if (b.m + 1 == m_blocks(b)) rhs_base_ += k_span(b).count;
    if (frees_lhs(b)) lhs_base_ += k_span(b).count;
  }

  /// Loads of one side for `blocks` like this one.
  RecordStream load_alike(MatmulSide& side, Block b, Span columns, std::uint64_t blocks) {
    for (const Alike i : alike(k_span(b).count, 1, kLastTilesOfK)) {
      weight_ = blocks * i.count;
      co_yield load(side, &side == &lhs_ ? lhs_loaded_++ : rhs_loaded_++, 0, k_span(b).first + i.first, columns);
    }
  }

  /// Multiplies, evictions and stores of `blocks` like this one.
  RecordStream multiply_alike(Block b, std::uint64_t blocks) {
    const std::uint64_t n_tiles = ceil_div(n_span(b).count, p_.tile_n);
    for (const Alike row : alike(ceil_div(m_span(b).count, p_.tile_m), 0)) {
      for (std::uint64_t column = 0; column < n_tiles; ++column) {
        const Pair t = pair(b, row.first * n_tiles + column, n_tiles);
        for (const Alike i : alike(k_span(b).count, 1, kLastTilesOfK)) {
          weight_ = blocks * row.count * i.count;
          co_yield multiply(groups_, {0, t.rows}, {0, t.columns}, k_span(b).first + i.first, i.first > 0);
        }
        weight_ = blocks * row.count;
        co_yield evict(b, t);
      }
      co_yield store_all();
    }
  }

  /// The first group of a program takes all banks: its pace is set by the loads, not by eviction.
  [[nodiscard]] std::uint64_t group_size() const { return groups_ == 0 ? psum_.count() : std::max<std::uint64_t>(1, psum_.count() / 2); }
  [[nodiscard]] bool frees_lhs(const Block& b) const { return !resident_ || b.n + 1 == n_blocks_; }

  [[nodiscard]] Pair pair(const Block& b, std::uint64_t index, std::uint64_t n_tiles) const {
    const std::uint64_t m_tile = index / n_tiles;
    return {m_tile, part(m_tile, p_.tile_m, m_span(b).count), part(index % n_tiles, p_.tile_n, n_span(b).count)};
  }

  RecordStream multiply_group(Block b, std::uint64_t first, std::uint64_t count, bool last_of_block) {
    const Span k = k_span(b);
    const std::uint64_t n_tiles = ceil_div(n_span(b).count, p_.tile_n);
    for (std::uint64_t i = 0; i < k.count; ++i) {
      for (std::uint64_t j = 0; j < count; ++j) {
        const Pair t = pair(b, first + j, n_tiles);
        if (i == 0 && psum_.first_use(groups_ + j)) co_yield psum_.declare(groups_ + j);
        co_yield multiply(groups_ + j, {lhs_base_ + i, t.rows}, {rhs_base_ + i, t.columns}, k.first + i, i > 0);
      }
      if (!last_of_block) continue;
      if (frees_lhs(b) && lhs_.data.last_use(lhs_base_ + i)) co_yield release_input(lhs_, lhs_base_ + i);
      if (b.m + 1 == m_blocks(b) && rhs_.data.last_use(rhs_base_ + i)) co_yield release_input(rhs_, rhs_base_ + i);
    }
  }

  /// PSUM → accumulator, or with the last k block → staging tile, which is stored when it is full.
  RecordStream evict(Block b, Pair t) {
    const bool last_k = b.k + 1 == k_blocks_;
    const std::uint64_t row = (b.m * b_.block_m + t.rows.first) / p_.tile_m;  // accumulator of this m tile
    const Operand sum = psum_.operand(groups_, t.rows.count, 0, t.columns.count);
    const Operand acc = acc_.operand(row, t.rows.count, t.columns.first * element_bytes(DType::Fp32), t.columns.count);
    const std::uint64_t staged = t.columns.first % b_.stage_n;
    if (last_k && staged == 0) {
      while (stores_.blocks(staged_, stage_.count())) co_yield store_next();
      if (stage_.first_use(staged_)) co_yield stage_.declare(staged_);
    }
    if (!last_k && t.columns.first == 0 && first_block(b)) co_yield acc_.declare(row);
    const Operand stage = stage_.operand(staged_, t.rows.count, staged * element_bytes(p_.out_dtype), t.columns.count);
    if (b.k == 0) {
      co_yield evict_(last_k ? stage : acc, sum);
    } else {
      co_yield add_(last_k ? stage : acc, sum, acc);
    }
    if (psum_.last_use(groups_)) co_yield psum_.release(groups_);
    ++groups_;
    const bool row_done = t.columns.first + t.columns.count == n_span(b).count;
    if (last_k && k_blocks_ > 1 && row_done && last_sum(b, row)) co_yield acc_.release(row);
    if (last_k && (row_done || staged + t.columns.count == b_.stage_n)) push_store(b, t, staged + t.columns.count);
  }

  [[nodiscard]] bool first_block(const Block& b) const { return b.batch == 0 && b.super == 0 && b.n == 0 && b.k == 0; }

  /// Whether no later super-block, n block or product uses accumulator `row`.
  [[nodiscard]] bool last_sum(const Block& b, std::uint64_t row) const {
    if (b.batch + 1 < p_.batch || b.n + 1 < n_blocks_) return false;
    if (b.super + 1 == supers_) return true;
    const std::uint64_t rows_of_last = ceil_div(p_.m - (supers_ - 1) * b_.super_m, p_.tile_m);
    return b.super + 2 == supers_ && row >= rows_of_last;
  }

  void push_store(const Block& b, const Pair& t, std::uint64_t columns) {
    const std::uint32_t bytes = element_bytes(p_.out_dtype);
    const std::uint64_t row = m_span(b).first + t.rows.first;
    const std::uint64_t column = n_span(b).first + t.columns.first + t.columns.count - columns;
    const auto count = static_cast<std::uint32_t>(columns);
    stores_.push(hbm_operand(kOut, p_.out_dtype, t.rows.count, ((b.batch * p_.m + row) * p_.n + column) * bytes, p_.n * bytes, count),
                 stage_.operand(staged_, t.rows.count, 0, count), staged_, copies_.count());
    ++staged_;
  }

  BlockPlan b_;
  TileRing acc_;
  InstructionEmitter add_ = adder();
  std::uint64_t k_blocks_ = 1, n_blocks_ = 1, supers_ = 1;
  bool resident_ = false;
  std::uint64_t lhs_loaded_ = 0, rhs_loaded_ = 0;  ///< Loads emitted.
  std::uint64_t lhs_base_ = 0, rhs_base_ = 0;      ///< First load of the running block.
  std::uint64_t rhs_ahead_ = 0, rhs_total_ = 0;    ///< First load of rhs for the block whose lhsT comes next; all.
  Block rhs_block_;                                ///< Next load of rhs: its block and K tile within.
  std::uint64_t rhs_k_ = 0;
  std::uint64_t groups_ = 0;  ///< PSUM groups evicted.
  std::uint64_t staged_ = 0;  ///< Staging tiles filled.

  static InstructionEmitter adder() {
    InstructionEmitter add(Opcode::TensorTensor, EngineKind::Vector);
    add.fields().alu0 = AluOp::Add;
    return add;
  }
};

}  // namespace

std::unique_ptr<RecordSource> optimized_source(const MatmulProblem& problem, const BlockPlan& plan) {
  return std::make_unique<OptimizedSource>(problem, plan);
}

}  // namespace trnsim::kernel
