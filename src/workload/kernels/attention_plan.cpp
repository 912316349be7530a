// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/attention_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/error.hpp"

namespace trnsim::kernel {
namespace {

/// What Vector may be loaded with, against Scalar: with BF16 the simulated time is least at this division of the copies or next to it.
constexpr double kVectorRoom = 1.1;

/// PSUM banks: scores, transposes, outputs, each `depth` deep.
struct PsumDepth {
  std::uint32_t scores, transposes, outputs;
};

std::uint32_t score_banks(const AttentionProblem& p) { return static_cast<std::uint32_t>(ceil_div(p.block, p.moving)); }

std::uint32_t transpose_banks(const AttentionProblem& p, const AttentionPlan& plan, const ChipConfig& chip) {
  const std::uint64_t bytes = ceil_div(p.block, p.row_tile) * p.row_tile * element_bytes(plan.transposed);
  return static_cast<std::uint32_t>(ceil_div(bytes, chip.psum.bank_bytes_per_partition));
}

PsumDepth psum_depth(const AttentionProblem& p, const AttentionPlan& plan, const ChipConfig& chip) {
  const std::uint32_t scores = score_banks(p), transposes = transpose_banks(p, plan, chip);
  for (const PsumDepth d : {PsumDepth{2, 2, 2}, PsumDepth{2, 1, 2}, PsumDepth{2, 1, 1}, PsumDepth{1, 1, 1}}) {
    if (d.scores * scores + d.transposes * transposes + d.outputs <= chip.psum.banks) return d;
  }
  throw WorkloadError(fmt::format("kernel attention: scores, transposes and outputs take {} PSUM banks, {} has {}", scores + transposes + 1,
                                  chip.name, chip.psum.banks));
}

/// Pieces that the Vector engine evicts so that it and the Scalar engine finish a block together, with room
/// for Vector: exponentials wait for its maxima.
std::uint32_t vector_share(const AttentionProblem& p, const AttentionPlan& plan, const ChipConfig& chip) {
  const auto pieces = static_cast<std::uint32_t>(ceil_div(p.block, p.row_tile));
  const bool fast = plan.transposed == p.dtype && is_16bit_float(p.dtype);
  const double vector_floor = chip.vector.min_interval_cycles + chip.vector.issue_overhead_cycles;
  const double vector_piece = p.row_tile / (fast ? chip.vector.fast_mode_psum : 1.0) / chip.vector.clock_ghz;
  const double scalar_piece = p.row_tile / chip.scalar.clock_ghz;
  // Maximum, merges of maximum, sum and output; exponentials with row sum.
  const double vector_own = (p.block + chip.vector.issue_overhead_cycles + 3 * vector_floor) / chip.vector.clock_ghz;
  const double scalar_own =
      (p.block + chip.scalar.accumulator_read_interval_cycles + chip.scalar.min_interval_cycles) / chip.scalar.clock_ghz;
  std::uint32_t best = 0;
  double best_time = 1e300;
  for (std::uint32_t n = 0; n <= pieces; ++n) {
    const double overhead = n > 0 ? chip.vector.issue_overhead_cycles / chip.vector.clock_ghz : 0;
    const double time = std::max(kVectorRoom * (vector_own + n * vector_piece + overhead), scalar_own + (pieces - n) * scalar_piece);
    if (time < best_time) best_time = time, best = n;
  }
  return best;
}

class BufferList {
 public:
  BufferList(const AttentionProblem& p, const AttentionPlan& plan, const ChipConfig& chip)
      : p_(p),
        plan_(plan),
        depth_(psum_depth(p, plan, chip)),
        turned_banks_(transpose_banks(p, plan, chip)),
        bank_(chip.psum.bank_bytes_per_partition) {}

  std::vector<BufferSpec> list() {
    const std::uint32_t d = p_.head_dim, e = p_.element(), r = p_.row_tile, pieces = static_cast<std::uint32_t>(ceil_div(p_.block, r));
    const std::uint64_t blocks = p_.key_blocks(), ahead = plan_.lookahead, steps = all_steps();
    const std::uint64_t loads = plan_.resident ? p_.units * blocks : steps;
    const std::uint64_t keys = std::min(loads, plan_.resident ? blocks + std::min(blocks, ahead) : ahead + 1);
    add("q", p_.dtype, d, r, r * e, ahead + 1);
    add("kT", p_.dtype, d, p_.block, p_.block * e, keys);
    add("v", p_.dtype, r, pieces * d, pieces * d * e, std::min(loads, keys + kSumLag));
    add("p", p_.dtype, r, p_.block, p_.block * e, std::min(steps, kTurnLag + 2));
    add("pT", p_.dtype, r, pieces * r, pieces * r * e, std::min(steps, kSumLag - kTurnLag + 2));
    if (p_.causal) add("masked", DType::Fp32, r, p_.block, p_.block * 4, 2);
    add("stat", DType::Fp32, r, 8, 32, std::min(steps, kSumLag + 3));
    if (blocks > 1) add("acc", DType::Fp32, r, d, d * 4, 2);
    add("stage", p_.dtype, r, d, d * e, 4);
    add("identity", p_.dtype, r, r, r * e, 1);
    add("scores", DType::Fp32, r, p_.block, bank_ * score_banks(p_), depth_.scores, Buffer::Psum);
    add("turned", plan_.transposed, r, pieces * r, bank_ * turned_banks_, depth_.transposes, Buffer::Psum);
    add("sums", DType::Fp32, r, d, bank_, depth_.outputs, Buffer::Psum);
    return std::move(buffers_);
  }

 private:
  [[nodiscard]] std::uint64_t all_steps() const {
    std::uint64_t steps = 0;
    for (const QueryTile& tile : p_.query_tiles()) steps += tile.blocks;
    return p_.units * steps;
  }

  void add(const std::string& name, DType dtype, std::uint32_t partitions, std::uint32_t columns, std::uint64_t bytes, std::uint64_t count,
           Buffer home = Buffer::Sbuf) {
    buffers_.push_back({name, home, dtype, fmt::format("[{}, {}]", partitions, columns), partitions,
                        home == Buffer::Psum ? static_cast<std::uint32_t>(bytes) : tile_bytes(bytes), count});
  }

  const AttentionProblem& p_;
  const AttentionPlan& plan_;
  PsumDepth depth_;
  std::uint32_t turned_banks_, bank_;
  std::vector<BufferSpec> buffers_;
};

std::uint64_t key_load_instructions(const AttentionProblem& p, std::uint64_t block) {
  const std::uint64_t count = std::min<std::uint64_t>(p.block, p.seq_k - block * p.block);
  return 1 + (count >= p.row_tile ? 1 : 0) + (count % p.row_tile > 0 ? 1 : 0);
}

/// The three stages of one step.
std::uint64_t step_instructions(const AttentionProblem& p, const AttentionPlan& plan, const QueryTile& tile, std::uint64_t index) {
  const KeyBlock keys = p.key_block(tile, index);
  const std::uint32_t whole = keys.count / p.row_tile, by_vector = std::min(plan.vector_pieces, whole);
  const std::uint64_t maxima = !keys.masked ? 1 : plan.range_select ? 2 : 3;
  const std::uint64_t evictions = (by_vector > 0 ? 1 : 0) + (whole > by_vector ? 1 : 0) + (keys.count % p.row_tile > 0 ? 1 : 0);
  const std::uint64_t merges = (index > 0 ? 3 : 0) + (tile.blocks > 1 ? 1 : 0);
  return ceil_div(keys.count, p.moving) + maxima + 1 + 2 * ceil_div(keys.count, p.row_tile) + evictions + merges;
}

}  // namespace

AttentionPlan plan_attention(const AttentionProblem& p, const ChipConfig& chip) {
  AttentionPlan plan;
  plan.range_select = chip.gen() != Generation::V2;
  plan.scalar_copies = chip.gen() != Generation::V2 && chip.scalar.tensor_ops;
  plan.transposed = chip.tensor.transpose_mode ? p.dtype : DType::Fp32;
  plan.vector_pieces = vector_share(p, plan, chip);
  for (const bool resident : {true, false}) {
    for (const std::uint64_t lookahead : {std::uint64_t{3}, std::uint64_t{1}, std::uint64_t{0}}) {
      plan.resident = resident;
      plan.lookahead = lookahead;
      plan.buffers = BufferList(p, plan, chip).list();
      if (footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition()) return plan;
    }
  }
  check_capacity("attention", plan.buffers, chip);
  return plan;
}

std::uint64_t attention_instructions(const AttentionProblem& p, const AttentionPlan& plan) {
  std::uint64_t unit = 0;
  for (const QueryTile& tile : p.query_tiles()) {
    unit += 4;  // load, reciprocal, scale, store
    for (std::uint64_t j = 0; j < tile.blocks; ++j) {
      unit += step_instructions(p, plan, tile, j) + (plan.resident ? 0 : key_load_instructions(p, j));
    }
  }
  for (std::uint64_t j = 0; plan.resident && j < p.key_blocks(); ++j) unit += key_load_instructions(p, j);
  return p.units * unit + 2;  // two make the identity
}

}  // namespace trnsim::kernel
