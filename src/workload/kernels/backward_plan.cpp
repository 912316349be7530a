// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/backward_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "trnsim/error.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint32_t kChunkTiles[]{4, 1};  ///< Rows of 1 KiB in the loads of a 16-bit chunk, else what fits.
constexpr std::uint64_t kSpareChunks = 4;     ///< Still in the pipeline, or loaded ahead.
constexpr std::uint64_t kKeyBuffers = 6;

bool joins(const AttentionProblem& p, const QueryTile& a, const QueryTile& b) {
  if (a.heads > 1 || b.heads > 1 || a.count != b.count) return false;
  if (p.seq_q * p.head_dim > std::numeric_limits<std::int32_t>::max()) return false;  // a stride of the load
  return p.group == 1 ? a.count == p.row_tile : a.first == b.first;
}

void cut_chunks(BackwardPlan& plan, const AttentionProblem& p, std::uint32_t most) {
  plan.chunks.clear();
  plan.chunk_of.clear();
  for (std::uint64_t t = 0; t < plan.tiles.size(); ++t) {
    const bool joined = t > 0 && plan.chunks.back().tiles < most && joins(p, plan.tiles[t - 1], plan.tiles[t]);
    if (joined) ++plan.chunks.back().tiles;
    if (!joined) plan.chunks.push_back({t, 1});
    plan.chunk_of.push_back(plan.chunks.size() - 1);
  }
}

void cut_ranges(BackwardPlan& plan, std::uint64_t count) {
  plan.ranges.clear();
  const std::uint64_t total = plan.chunks.size();
  for (std::uint64_t i = 0; i < count; ++i) {
    QueryRange r;
    r.first_chunk = total * i / count;
    r.end_chunk = total * (i + 1) / count;
    r.first_tile = plan.chunks[r.first_chunk].first;
    r.end_tile = plan.chunks[r.end_chunk - 1].first + plan.chunks[r.end_chunk - 1].tiles;
    r.blocks = plan.tiles[r.end_tile - 1].blocks;
    plan.ranges.push_back(r);
  }
}

struct PsumDepth {
  std::uint32_t scores, products, turned;
};

PsumDepth psum_depth(const AttentionProblem& p, const BackwardPlan& plan, const ChipConfig& chip) {
  const std::uint32_t fixed = plan.gradient_banks(p) + 1;
  for (const PsumDepth d : {PsumDepth{2, 2, 2}, PsumDepth{1, 2, 2}, PsumDepth{1, 2, 1}, PsumDepth{1, 1, 1}}) {
    if (d.scores + d.products + d.turned + fixed <= chip.psum.banks) return d;
  }
  throw WorkloadError(
      fmt::format("kernel attention: scores, products, transposes and sums of the backward pass take {} PSUM banks, {} has {}", fixed + 3,
                  chip.name, chip.psum.banks));
}

class BufferList {
 public:
  BufferList(const AttentionProblem& p, const BackwardPlan& plan, const ChipConfig& chip)
      : p_(p), plan_(plan), depth_(psum_depth(p, plan, chip)), pieces_(static_cast<std::uint32_t>(ceil_div(p.block, p.row_tile))) {}

  std::vector<BufferSpec> list() {
    queries();
    const std::uint32_t d = p_.head_dim, e = p_.element(), r = p_.row_tile, columns = pieces_ * r;
    const std::uint64_t keys = std::min(kKeyBuffers, p_.units * plan_.ranges.size() * p_.key_blocks());
    add("kT", p_.dtype, d, columns, e, keys);
    add("v", p_.dtype, r, pieces_ * d, e, keys);
    add("k", p_.dtype, r, pieces_ * d, e, keys);
    add("vT", p_.dtype, d, columns, e, keys);
    add("p", p_.dtype, r, columns, e, 3);
    add("dS", p_.dtype, r, columns, e, 3);
    add("dST", p_.dtype, r, columns, e, 2);
    if (plan_.sums()) add("sums", DType::Fp32, r, pieces_ * d, 4, 6);
    add("gradient", p_.dtype, r, pieces_ * d, e, 4);
    add("identity", p_.dtype, r, r, e, 1);
    psum("scores", DType::Fp32, columns, depth_.scores, 1);
    psum("product", DType::Fp32, columns, depth_.products, 1);
    psum("turned", plan_.transposed, columns, depth_.turned, 1);
    psum("dKV", DType::Fp32, 2 * pieces_ * d, 1, plan_.gradient_banks(p_));
    psum("dQ", DType::Fp32, d, 2, 1);
    buffers_.back().bytes_per_partition /= 2;  // two in one bank
    return std::move(buffers_);
  }

 private:
  void queries() {
    const std::uint32_t d = p_.head_dim, e = p_.element(), r = p_.row_tile;
    std::uint64_t most = 0;
    std::uint32_t tiles = 1;
    for (const QueryRange& range : plan_.ranges) most = std::max(most, range.end_chunk - range.first_chunk);
    for (const QueryChunk& c : plan_.chunks) tiles = std::max(tiles, c.tiles);
    const std::uint64_t all = p_.units * plan_.chunks.size(), count = std::min(most + kSpareChunks, all);
    add("qT", p_.dtype, d, tiles * r, e, count);
    add("q", p_.dtype, r, tiles * d, e, count);
    add("dO", p_.dtype, r, tiles * d, e, count);
    add("dOT", p_.dtype, d, tiles * r, e, count);
    add("stat", DType::Fp32, r, 2 * tiles, 4, count);
    if (p_.key_blocks() > 1) add("acc", DType::Fp32, r, tiles * d, 4, count);
    add("o", p_.dtype, r, tiles * d, e, std::min<std::uint64_t>(3, all));
    add("dO_o", DType::Fp32, r, d, 4, 2);
    add("stage", p_.dtype, r, tiles * d, e, std::min<std::uint64_t>(3, all));
  }

  void add(const std::string& name, DType dtype, std::uint32_t partitions, std::uint32_t columns, std::uint32_t element,
           std::uint64_t count) {
    buffers_.push_back({name, Buffer::Sbuf, dtype, fmt::format("[{}, {}]", partitions, columns), partitions,
                        tile_bytes(std::uint64_t{columns} * element), count});
  }
  void psum(const std::string& name, DType dtype, std::uint32_t columns, std::uint64_t count, std::uint32_t banks) {
    buffers_.push_back({name, Buffer::Psum, dtype, fmt::format("[{}, {}]", p_.row_tile, columns), p_.row_tile, plan_.bank * banks, count});
  }

  const AttentionProblem& p_;
  const BackwardPlan& plan_;
  PsumDepth depth_;
  std::uint32_t pieces_;
  std::vector<BufferSpec> buffers_;
};

/// Pieces of `row_tile` keys as one instruction, and a shorter one.
std::uint64_t parts_of(const AttentionProblem& p, std::uint32_t keys) {
  return (keys >= p.row_tile ? 1 : 0) + (keys % p.row_tile > 0 ? 1 : 0);
}

/// Of a key block in one range: loads, transposes, evictions and stores of both gradients.
std::uint64_t block_instructions(const AttentionProblem& p, const BackwardPlan& plan, std::uint64_t range, std::uint64_t block) {
  const std::uint32_t keys = p.keys_of(block);
  const std::uint64_t parts = parts_of(p, keys), summed = plan.adds_sums(range, block) ? 2 * parts : 0;
  return 1 + parts + 2 * ceil_div(keys, p.row_tile) + parts + 1 + summed + 4 * parts;
}

std::uint64_t step_instructions(const AttentionProblem& p, const KeyBlock& keys) {
  return 4 + (keys.masked ? 1 : 0) + 4 * ceil_div(keys.count, p.row_tile) + parts_of(p, keys.count) + 1;
}

}  // namespace

std::uint64_t BackwardPlan::first_tile(const QueryRange& range, std::uint64_t block) const {
  const auto begin = tiles.begin() + static_cast<std::ptrdiff_t>(range.first_tile);
  const auto end = tiles.begin() + static_cast<std::ptrdiff_t>(range.end_tile);
  const auto it = std::partition_point(begin, end, [block](const QueryTile& t) { return t.blocks <= block; });
  return static_cast<std::uint64_t>(it - tiles.begin());
}

KeyBlock BackwardPlan::keys(const AttentionProblem& p, std::uint64_t tile, std::uint64_t block, bool first) const {
  KeyBlock keys = p.padded_block(tiles[tile], block);
  if (!first || !sums()) return keys;
  keys.count = p.keys_of(block);
  keys.masked = p.visible(tiles[tile].first) < keys.first + keys.count;
  return keys;
}

std::uint32_t BackwardPlan::gradient_banks(const AttentionProblem& p) const {
  const std::uint64_t each = ceil_div(p.block, p.row_tile) * p.head_dim * element_bytes(DType::Fp32);
  return 2 * each <= bank ? 1 : 2;
}

std::uint64_t BackwardPlan::key_gradient_offset(const AttentionProblem& p) const { return gradient_banks(p) == 1 ? bank / 2 : bank; }

BackwardPlan plan_backward(const AttentionProblem& p, const ChipConfig& chip) {
  BackwardPlan plan;
  plan.scalar_copies = chip.gen() != Generation::V2 && chip.scalar.tensor_ops;
  plan.transposed = chip.tensor.transpose_mode ? p.dtype : DType::Fp32;
  plan.bank = chip.psum.bank_bytes_per_partition;
  plan.tiles = p.query_tiles();
  const auto fits = [&](std::uint64_t ranges) {
    cut_ranges(plan, ranges);
    plan.buffers = BufferList(p, plan, chip).list();
    return footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition();
  };
  for (const std::uint32_t tiles : kChunkTiles) {
    cut_chunks(plan, p, tiles);
    if (fits(1)) return plan;
    std::uint64_t low = 1, high = plan.chunks.size();
    if (!fits(high)) continue;
    while (low + 1 < high) {  // the fewest ranges that fit: more of them never take more
      const std::uint64_t middle = low + (high - low) / 2;
      (fits(middle) ? high : low) = middle;
    }
    fits(high);
    return plan;
  }
  check_capacity("attention", plan.buffers, chip);
  return plan;
}

std::uint64_t backward_instructions(const AttentionProblem& p, const BackwardPlan& plan) {
  // A load of q, dO, o and the sums of exponentials, their sign, a store; per tile two transposes with
  // their evictions and the row sum.
  std::uint64_t unit = plan.chunks.size() * 6 + plan.tiles.size() * 6;
  for (std::uint64_t r = 0; r < plan.ranges.size(); ++r) {
    const QueryRange& range = plan.ranges[r];
    for (std::uint64_t b = 0; b < range.blocks; ++b) {
      unit += block_instructions(p, plan, r, b);
      const std::uint64_t first = plan.first_tile(range, b);
      for (std::uint64_t t = first; t < range.end_tile; ++t) unit += step_instructions(p, plan.keys(p, t, b, t == first));
    }
  }
  return p.units * unit + 2;  // two make the identity
}

}  // namespace trnsim::kernel
