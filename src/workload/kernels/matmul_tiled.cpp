// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/matmul_tiled.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/error.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kDeepestLookahead = 8;  ///< Steps; two or more copies each cover the DMA latency.

std::vector<BufferSpec> tiled_buffers(const MatmulProblem& p, const TiledPlan& plan) {
  std::vector<BufferSpec> buffers;
  const std::uint64_t ahead = plan.lookahead;
  const std::uint64_t panel = plan.hoisted ? p.k_tiles() : 1;
  add_side_buffers(buffers, p, "lhsT", p.stationary_columns(),
                   std::min(plan.lhs_loads(p), plan.block_m * (panel + std::min(ahead, panel * (plan.hoisted ? 1 : ahead)))));
  add_side_buffers(buffers, p, "rhs", p.moving_columns(), std::min(plan.rhs_loads(p), plan.block_n * (1 + ahead)));
  const std::uint64_t group = std::uint64_t{plan.block_m} * plan.block_n;
  const std::uint64_t stages = ahead == 0 ? 1 : ahead < 4 ? 2 : group + 4;
  buffers.push_back({"stage", Buffer::Sbuf, p.out_dtype, fmt::format("[{}, {}]", p.output_partitions(), p.moving_columns()),
                     p.output_partitions(), tile_bytes(std::uint64_t{p.moving_columns()} * element_bytes(p.out_dtype)),
                     std::min(plan.outputs(p), stages)});
  buffers.push_back(psum_buffer(p, plan.outputs(p)));
  return buffers;
}

/// One pass over K of a block is a run of steps; a step loads and multiplies one K tile.
class TiledSource final : public MatmulStream {
 public:
  TiledSource(const MatmulProblem& problem, const TiledPlan& plan) : MatmulStream(problem), plan_(plan) {
    place(plan.buffers, plan.lhs_loads(p_), plan.rhs_loads(p_), plan.outputs(p_), plan.outputs(p_));
    lhs_.width = p_.stationary_columns();
    rhs_.width = p_.moving_columns();
    steps_ = p_.batch * plan.m_blocks(p_) * plan.n_blocks(p_) * p_.k_tiles();
  }

  RecordStream records() override {
    Step ahead, now;
    for (std::uint64_t loaded = 0, step = 0; step < steps_; ++step, advance(now)) {
      for (; loaded < steps_ && loaded <= step + plan_.lookahead && fits(ahead); ++loaded, advance(ahead)) co_yield load_step(ahead);
      co_yield multiply_step(now);
      if (now.k + 1 == p_.k_tiles()) co_yield evict_group(now);
    }
    co_yield store_all();
  }

  RecordStream summary() override {
    for (const Alike m : alike(plan_.m_blocks(p_))) {
      for (const Alike n : alike(plan_.n_blocks(p_))) {
        for (const Alike k : alike(p_.k_tiles(), 1, kLastTilesOfK)) {
          const Step step{0, m.first, n.first, k.first};
          weight_ = p_.batch * m.count * n.count * k.count;
          co_yield load_step(step);
          co_yield multiply_step(step);
          if (k.first + 1 == p_.k_tiles()) co_yield evict_group(step);
          co_yield store_all();
        }
      }
    }
  }

 private:
  struct Step {
    std::uint64_t batch = 0, m = 0, n = 0, k = 0;  ///< Block numbers and K tile.
  };

  void advance(Step& s) const {
    if (++s.k < p_.k_tiles()) return;
    s.k = 0;
    if (++s.n < plan_.n_blocks(p_)) return;
    s.n = 0;
    if (++s.m < plan_.m_blocks(p_)) return;
    s.m = 0;
    ++s.batch;
  }
  [[nodiscard]] std::uint64_t tiles_m(const Step& s) const { return part(s.m, plan_.block_m, p_.m_tiles()).count; }
  [[nodiscard]] std::uint64_t tiles_n(const Step& s) const { return part(s.n, plan_.block_n, p_.n_tiles()).count; }
  [[nodiscard]] Span span_m(const Step& s, std::uint64_t i) const { return part(s.m * plan_.block_m + i, p_.tile_m, p_.m); }
  [[nodiscard]] Span span_n(const Step& s, std::uint64_t j) const { return part(s.n * plan_.block_n + j, p_.tile_n, p_.n); }
  [[nodiscard]] bool loads_lhs(const Step& s) const { return !plan_.hoisted || s.n == 0; }
  [[nodiscard]] bool frees_lhs(const Step& s) const { return !plan_.hoisted || s.n + 1 == plan_.n_blocks(p_); }

  /// Whether the tiles of this step's loads are no longer needed by a multiply that is still to come.
  [[nodiscard]] bool fits(const Step& s) const {
    const std::uint64_t lhs = loads_lhs(s) ? tiles_m(s) : 0;
    return lhs_loaded_ + lhs <= lhs_freed_ + lhs_.data.count() && rhs_loaded_ + tiles_n(s) <= rhs_freed_ + rhs_.data.count();
  }

  RecordStream load_step(Step s) {
    if (loads_lhs(s)) {
      for (std::uint64_t i = 0; i < tiles_m(s); ++i) co_yield load(lhs_, lhs_loaded_++, s.batch, s.k, span_m(s, i));
    }
    for (std::uint64_t j = 0; j < tiles_n(s); ++j) co_yield load(rhs_, rhs_loaded_++, s.batch, s.k, span_n(s, j));
  }

  RecordStream multiply_step(Step s) {
    const std::uint64_t lhs = lhs_freed_ + (frees_lhs(s) ? 0 : s.k * tiles_m(s));
    const bool last_block = frees_lhs(s);
    for (std::uint64_t i = 0; i < tiles_m(s); ++i) {
      const Factor stationary{lhs + i, {0, span_m(s, i).count}};
      for (std::uint64_t j = 0; j < tiles_n(s); ++j) {
        const std::uint64_t bank = outputs_ + i * tiles_n(s) + j;
        if (s.k == 0 && psum_.first_use(bank)) co_yield psum_.declare(bank);
        co_yield multiply(bank, stationary, {rhs_freed_ + j, {0, span_n(s, j).count}}, s.k, s.k > 0);
        if (i + 1 == tiles_m(s) && rhs_.data.last_use(rhs_freed_ + j)) co_yield release_input(rhs_, rhs_freed_ + j);
      }
      if (last_block && lhs_.data.last_use(lhs + i)) co_yield release_input(lhs_, lhs + i);
    }
    rhs_freed_ += tiles_n(s);
    if (last_block) lhs_freed_ += tiles_m(s);
  }

  RecordStream evict_group(Step s) {
    for (std::uint64_t i = 0; i < tiles_m(s); ++i) {
      for (std::uint64_t j = 0; j < tiles_n(s); ++j, ++outputs_) {
        while (stores_.blocks(outputs_, stage_.count())) co_yield store_next();
        if (stage_.first_use(outputs_)) co_yield stage_.declare(outputs_);
        const Span rows = span_m(s, i), columns = span_n(s, j);
        const Operand staged = stage_.operand(outputs_, rows.count, 0, columns.count);
        co_yield evict_(staged, psum_.operand(outputs_, rows.count, 0, columns.count));
        if (psum_.last_use(outputs_)) co_yield psum_.release(outputs_);
        const std::uint64_t row_bytes = p_.n * element_bytes(p_.out_dtype);
        const std::uint64_t offset = (s.batch * p_.m + rows.first) * row_bytes + columns.first * element_bytes(p_.out_dtype);
        stores_.push(hbm_operand(kOut, p_.out_dtype, rows.count, offset, row_bytes, columns.count), staged, outputs_, copies_.count());
      }
    }
  }

  TiledPlan plan_;
  std::uint64_t steps_ = 0;
  std::uint64_t lhs_loaded_ = 0, lhs_freed_ = 0, rhs_loaded_ = 0, rhs_freed_ = 0;
  std::uint64_t outputs_ = 0;  ///< PSUM groups evicted; numbers the banks and the staging tiles.
};

}  // namespace

std::uint64_t TiledPlan::lhs_loads(const MatmulProblem& p) const {
  return p.batch * p.m_tiles() * p.k_tiles() * (hoisted ? 1 : n_blocks(p));
}

TiledPlan plan_tiled(const MatmulProblem& p, const ChipConfig& chip) {
  TiledPlan plan;
  plan.hoisted = p.schedule != "naive";
  plan.block_m = plan.block_n = p.schedule == "blocked" ? 2 : 1;
  if (p.banks < plan.block_m * plan.block_n) {
    throw WorkloadError(fmt::format("kernel matmul: schedule blocked accumulates in {} PSUM banks, {} has {}", plan.block_m * plan.block_n,
                                    chip.name, p.banks));
  }
  for (plan.lookahead = p.buffers == 0 ? kDeepestLookahead : p.buffers - 1;; --plan.lookahead) {
    plan.buffers = tiled_buffers(p, plan);
    if (p.buffers != 0 || plan.lookahead == 0 || footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition()) break;
  }
  check_capacity("matmul", plan.buffers, chip);
  return plan;
}

std::unique_ptr<RecordSource> tiled_source(const MatmulProblem& problem, const TiledPlan& plan) {
  return std::make_unique<TiledSource>(problem, plan);
}

std::uint64_t tiled_instructions(const MatmulProblem& p, const TiledPlan& plan) {
  const std::uint64_t loads = (plan.lhs_loads(p) + plan.rhs_loads(p)) * (p.mx() ? 2 : 1);
  return loads + plan.outputs(p) * (p.k_tiles() + 2);
}

}  // namespace trnsim::kernel
