// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/matmul_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/error.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kStageBytes = 4096;  ///< Per partition of one store: saturates the DMA engines.
constexpr double kSlack = 1.01;              ///< Time that fewer bytes may cost.
constexpr double kLoadMargin = 1.15;         ///< Share by which loads should be faster than the array.

/// Counts of one n block's tiles: `tile_n` columns each, cut at the block's end.
std::uint64_t n_tiles_of_blocks(const MatmulProblem& p, std::uint64_t block_n) {
  const std::uint64_t full = p.n / block_n, rest = p.n % block_n;
  return full * ceil_div(block_n, p.tile_n) + ceil_div(rest, p.tile_n);
}

std::uint64_t stage_stores_of_row(const MatmulProblem& p, const BlockPlan& b) {
  const std::uint64_t full = p.n / b.block_n, rest = p.n % b.block_n;
  return full * ceil_div(b.block_n, b.stage_n) + ceil_div(rest, b.stage_n);
}

/// Counts of the buffers that follow from the block sizes; `depth` 2 is double buffering.
void set_counts(BlockPlan& b, const MatmulProblem& p, std::uint64_t depth) {
  b.lhs_buffers = std::min(depth, b.lhs_loads(p) / p.k_tiles() * b.k_blocks(p));
  b.rhs_buffers = std::min(depth, b.rhs_loads(p) / p.k_tiles() * b.k_blocks(p));
  b.lookahead = depth - 1;
  const std::uint64_t saturating = kStageBytes / element_bytes(p.out_dtype) / p.tile_n * p.tile_n;
  b.stage_n = std::min(b.block_n, std::max<std::uint64_t>(p.tile_n, saturating));
  b.stages = std::min<std::uint64_t>(depth == 1 ? 1 : 4, b.stores(p));
}

struct TileSizes {  ///< Bytes per partition of one tile.
  std::uint64_t lhs = 0, rhs = 0, acc = 0, stage = 0;
  std::uint64_t acc_count = 0;
};

TileSizes tile_sizes(const BlockPlan& b, const MatmulProblem& p) {
  const auto input = [&p](std::uint64_t columns) {
    return tile_bytes(columns * p.halves() * p.element()) + (p.mx() ? tile_bytes(columns) : 0);
  };
  return {input(std::min(b.block_m, p.m_columns())), input(b.block_n), tile_bytes(b.block_n * element_bytes(DType::Fp32)),
          tile_bytes(b.stage_n * element_bytes(p.out_dtype)), b.k_blocks(p) > 1 ? ceil_div(std::min(b.super_m, p.m), p.tile_m) : 0};
}

std::uint64_t sbuf_bytes(const BlockPlan& b, const MatmulProblem& p) {
  const TileSizes t = tile_sizes(b, p);
  return b.block_k * (b.lhs_buffers * t.lhs + b.rhs_buffers * t.rhs) + t.acc_count * t.acc + b.stages * t.stage;
}

void list_buffers(BlockPlan& b, const MatmulProblem& p) {
  const TileSizes t = tile_sizes(b, p);
  const std::uint32_t rows = p.output_partitions();
  add_side_buffers(b.buffers, p, "lhsT", static_cast<std::uint32_t>(std::min(b.block_m, p.m_columns())), b.lhs_buffers * b.block_k);
  add_side_buffers(b.buffers, p, "rhs", static_cast<std::uint32_t>(b.block_n), b.rhs_buffers * b.block_k);
  if (t.acc_count > 0) {
    b.buffers.push_back(
        {"acc", Buffer::Sbuf, DType::Fp32, fmt::format("[{}, {}]", rows, b.block_n), rows, static_cast<std::uint32_t>(t.acc), t.acc_count});
  }
  b.buffers.push_back(
      {"stage", Buffer::Sbuf, p.out_dtype, fmt::format("[{}, {}]", rows, b.stage_n), rows, static_cast<std::uint32_t>(t.stage), b.stages});
  b.buffers.push_back(psum_buffer(p, b.groups(p)));
}

std::uint64_t bytes_moved(const BlockPlan& b, const MatmulProblem& p) {
  const std::uint64_t lhs = p.batch * b.lhs_passes(p) * p.m_columns();
  const std::uint64_t rhs = p.batch * b.supers(p) * p.n;
  std::uint64_t bytes = (lhs + rhs) * p.k_rows() * p.element() + p.batch * p.m * p.n * element_bytes(p.out_dtype);
  if (p.mx()) bytes += (lhs + rhs) * scale_rows(p.k_rows());
  return bytes;
}

/// Rough times that rank the blocks; a run's time comes from the simulation alone.
class Estimate {
 public:
  Estimate(const MatmulProblem& problem, const ChipConfig& chip)
      : p_(problem),
        rate_(std::min(chip.dma.engines, chip.dma.engines_per_ring() * problem.queues) * chip.dma.engine_gb_per_s),
        issue_(chip.dma.hardware_mode.available ? chip.dma.hardware_mode.issue_interval_ns : chip.dma.static_mode.issue_interval_ns) {
    rows_ = count(p_.input_partitions()) / chip.dma.engines_per_ring() * chip.dma.descriptor_ns;
    const double passes = p_.dtype == DType::Fp32 ? chip.tensor.fp32_passes : 1;
    const double cycles = std::max<double>(p_.moving_columns() * passes, chip.tensor.min_interval_cycles);
    multiply_ = (cycles + chip.tensor.issue_overhead_cycles) / chip.tensor.clock_ghz;
    const DmaModeConfig& mode = chip.dma.hardware_mode.available ? chip.dma.hardware_mode : chip.dma.static_mode;
    latency_ = 1.5 * (mode.load_start_ns + chip.dma.completion_load_ns + mode.issue_interval_ns);
    evict_ = (p_.moving_columns() + chip.vector.issue_overhead_cycles) / chip.vector.clock_ghz;
  }

  [[nodiscard]] double of(const BlockPlan& b) const {
    const double lhs = load(b.block_m), rhs = load(b.block_n);
    const double loads = count(b.lhs_loads(p_)) * lhs + count(b.rhs_loads(p_)) * rhs;
    const double store_bytes = count(p_.output_partitions()) * count(b.stage_n) * element_bytes(p_.out_dtype);
    const double dma = kLoadMargin * (loads + count(b.stores(p_)) * std::max(issue_, store_bytes / rate_));
    const double blocks = count(p_.batch * b.n_blocks(p_) * b.m_blocks(p_) * b.k_blocks(p_));
    const double multiplies = count(p_.batch * p_.m_tiles() * n_tiles_of_blocks(p_, b.block_n) * p_.k_tiles()) * multiply_;
    // Tiles of lhsT are loaded one block ahead: a short block does not hide their latency.
    const double array = b.lhs_resident(p_) ? multiplies : std::max(multiplies, blocks * (latency_ + count(b.block_k) * lhs));
    const double vector = count(b.groups(p_)) * evict_;
    const std::uint64_t first = std::min<std::uint64_t>(
        p_.banks, ceil_div(std::min(b.block_m, p_.m), p_.tile_m) * ceil_div(b.block_n, p_.tile_n));  // groups of the first pass over K
    const double start = count(b.block_k) * std::max(0.0, lhs + rhs - count(first) * multiply_) + lhs + rhs;
    return std::max({dma, array, vector}) + start;
  }

 private:
  static double count(std::uint64_t n) { return static_cast<double>(n); }
  [[nodiscard]] double load(std::uint64_t columns) const {
    const double bytes = count(columns) * p_.input_partitions() * p_.halves() * p_.element();
    return std::max(issue_, bytes / rate_ + rows_) + (p_.mx() ? issue_ : 0);
  }

  const MatmulProblem& p_;
  double rate_, issue_, rows_ = 0 /* descriptors of a load */, multiply_ = 0, evict_ = 0, latency_ = 0;
};

/// 1, 2, 3, 4, 6, 8, 12 … up to and including `limit`.
std::vector<std::uint64_t> steps_to(std::uint64_t limit) {
  std::vector<std::uint64_t> steps;
  for (std::uint64_t power = 1; power < limit; power *= 2) {
    steps.push_back(power);
    if (power >= 2 && power + power / 2 < limit) steps.push_back(power + power / 2);
  }
  steps.push_back(limit);
  return steps;
}

/// Accumulating over k blocks costs the Vector engine one pass per block: the array must be busy longer.
std::uint64_t smallest_k_block(const MatmulProblem& p, const ChipConfig& chip) {
  const double passes = p.dtype == DType::Fp32 ? chip.tensor.fp32_passes : 1;
  const double array = std::max<double>(p.moving_columns() * passes, chip.tensor.min_interval_cycles) / chip.tensor.clock_ghz;
  const double vector = (p.moving_columns() + chip.vector.issue_overhead_cycles) / chip.vector.clock_ghz;
  const auto tiles = static_cast<std::uint64_t>(vector / array * 1.1) + 1;
  return std::min(p.k_tiles(), tiles);
}

/// Block sizes that fit. There are thousands for a large problem: nothing here but what tells them apart.
struct Candidate {
  std::uint64_t sbuf_bytes = 0, super_m = 0;
  std::uint32_t block_m = 0, block_n = 0, block_k = 0;
  std::uint32_t number = 0;  ///< In the order in which they were found.

  [[nodiscard]] bool operator<(const Candidate& other) const {
    return sbuf_bytes != other.sbuf_bytes ? sbuf_bytes < other.sbuf_bytes : number < other.number;
  }
};

struct Search {
  const MatmulProblem& p;
  const ChipConfig& chip;
  std::uint64_t k_from = 1, depth = 2;
  std::vector<Candidate> found;

  [[nodiscard]] BlockPlan plan(const Candidate& c) const {
    BlockPlan b;
    b.block_m = c.block_m;
    b.block_n = c.block_n;
    b.block_k = c.block_k;
    b.super_m = c.super_m;
    set_counts(b, p, depth);
    return b;
  }

  /// False when it does not fit.
  bool add(std::uint64_t block_m, std::uint64_t block_n, std::uint64_t block_k, std::uint64_t super_m) {
    Candidate c;
    c.block_m = static_cast<std::uint32_t>(block_m);
    c.block_n = static_cast<std::uint32_t>(block_n);
    c.block_k = static_cast<std::uint32_t>(block_k);
    c.super_m = super_m;
    c.number = static_cast<std::uint32_t>(found.size());
    c.sbuf_bytes = sbuf_bytes(plan(c), p);
    if (c.sbuf_bytes > chip.sbuf_bytes_per_partition()) return false;
    found.push_back(c);
    return true;
  }

  void run() {
    const std::uint64_t m_tiles = p.m_tiles();
    const std::vector<std::uint64_t> steps_k = steps_to(p.k_tiles()), steps_m = steps_to(std::min<std::uint64_t>(m_tiles, 64));
    for (const std::uint64_t n : steps_to(ceil_div(p.n, 128))) {
      for (const std::uint64_t k : steps_k) {
        if (k < k_from) continue;
        for (const std::uint64_t m : steps_m) {
          const std::uint64_t block_m = m * p.tile_m, block_n = std::min(n * 128, p.n);
          if (k == p.k_tiles()) {
            add(block_m, block_n, k, m_tiles * p.tile_m);
            continue;
          }
          for (const std::uint64_t supers : steps_to(ceil_div(m_tiles, m))) {
            if (!add(block_m, block_n, k, supers * block_m)) break;  // more rows only take more accumulators
          }
        }
      }
    }
  }
};

BlockPlan best_of(Search& search, const Estimate& estimate) {
  std::sort(search.found.begin(), search.found.end());
  BlockPlan best;
  double fastest = 0;
  for (const Candidate& c : search.found) {
    const bool first = &c == search.found.data();
    BlockPlan b = search.plan(c);
    b.hbm_bytes = bytes_moved(b, search.p);
    if (!first && b.hbm_bytes > best.hbm_bytes) continue;
    b.estimate_ns = estimate.of(b);
    const bool fewer_bytes = b.hbm_bytes < best.hbm_bytes && b.estimate_ns <= kSlack * fastest;
    if (!first && !fewer_bytes && b.estimate_ns >= best.estimate_ns) continue;
    fastest = first ? b.estimate_ns : std::min(fastest, b.estimate_ns);
    best = std::move(b);
  }
  list_buffers(best, search.p);
  return best;
}

}  // namespace

std::uint64_t BlockPlan::groups(const MatmulProblem& p) const {
  return p.batch * p.m_tiles() * n_tiles_of_blocks(p, block_n) * k_blocks(p);
}

std::uint64_t BlockPlan::stores(const MatmulProblem& p) const { return p.batch * p.m_tiles() * stage_stores_of_row(p, *this); }

BlockPlan choose_blocks(const MatmulProblem& p, const ChipConfig& chip) {
  const Estimate estimate(p, chip);
  // First with double buffers and k blocks that keep the array ahead of the Vector engine, then anything.
  const std::uint64_t asked = p.buffers, least = std::max<std::uint64_t>(1, asked);
  for (const auto& [k_from, depth] : {std::pair{smallest_k_block(p, chip), asked == 0 ? 2 : asked}, std::pair{std::uint64_t{1}, least}}) {
    Search search{p, chip, k_from, depth, {}};
    search.run();
    if (!search.found.empty()) return best_of(search, estimate);
  }
  BlockPlan smallest;
  smallest.block_m = smallest.super_m = p.tile_m;
  smallest.block_n = std::min<std::uint64_t>(128, p.n);
  smallest.block_k = 1;
  set_counts(smallest, p, least);
  list_buffers(smallest, p);
  check_capacity("matmul", smallest.buffers, chip);
  return smallest;
}

std::uint64_t optimized_instructions(const MatmulProblem& p, const BlockPlan& b) {
  const std::uint64_t loads = (b.lhs_loads(p) + b.rhs_loads(p)) * (p.mx() ? 2 : 1);
  const std::uint64_t multiplies = p.batch * p.m_tiles() * n_tiles_of_blocks(p, b.block_n) * p.k_tiles();
  return loads + multiplies + b.groups(p) + b.stores(p);
}

}  // namespace trnsim::kernel
