// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/attention_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/error.hpp"
#include "workload/kernels/two_input_rates.hpp"

namespace trnsim::kernel {
namespace {

/// Buffers in PSUM: banks of a piece's scores, how many of these, and how many of the outputs.
struct PsumDepth {
  std::uint32_t score_banks, scores, outputs;
};

std::uint32_t output_banks(const AttentionProblem& p, const AttentionPlan& plan) {
  return static_cast<std::uint32_t>(ceil_div(plan.row_tiles(p.row_tile), plan.bank_columns / (p.head_dim + 1)));
}

PsumDepth psum_depth(std::uint32_t outputs, const ChipConfig& chip) {
  for (const PsumDepth d :
       {PsumDepth{2, 3, 2}, PsumDepth{2, 2, 2}, PsumDepth{2, 2, 1}, PsumDepth{1, 2, 2}, PsumDepth{1, 2, 1}, PsumDepth{1, 1, 1}}) {
    if (d.score_banks * d.scores + d.outputs * outputs <= chip.psum.banks) return d;
  }
  throw WorkloadError(
      fmt::format("kernel attention: scores and outputs take {} PSUM banks, {} has {}", outputs + 1, chip.name, chip.psum.banks));
}

class BufferList {
 public:
  BufferList(const AttentionProblem& p, const AttentionPlan& plan, const PsumDepth& depth) : p_(p), plan_(plan), depth_(depth) {}

  std::vector<BufferSpec> list() {
    const std::uint32_t d = p_.head_dim, r = p_.row_tile, rows = plan_.tiles.front().rows(), parts = plan_.row_tiles(r);
    const auto pieces = static_cast<std::uint32_t>(ceil_div(p_.block, r));
    const std::uint64_t blocks = plan_.key_blocks(), ahead = plan_.lookahead;
    const std::uint64_t queries = p_.units * plan_.tiles.size();
    const std::uint64_t keys = plan_.resident ? blocks + (p_.units > 1 ? std::min(blocks, ahead) : 0) : ahead + 1;
    add("q", p_.dtype, d, rows, std::min(ahead + 1, queries));
    add("kT", p_.dtype, d, p_.block, keys);
    add("v", p_.dtype, r, pieces * (d + 1), plan_.resident ? std::min(keys + 2, p_.units * blocks) : keys + 2);
    add("squares", DType::Bf16, d, std::max(p_.block, rows), ahead > 0 ? 4 : 2);
    add("diagonal", DType::Bf16, r, r, 2);
    add("p", plan_.exponentials, r, depth_.score_banks * plan_.bank_columns, kSumLag + 2);
    const std::uint64_t sets = (keys + 1) + std::min(ahead + 1, queries) + kStepStatistics;
    add("stat", DType::Fp32, r, static_cast<std::uint32_t>(sets * plan_.statistic_bytes(r) / element_bytes(DType::Fp32)), 1);
    if (blocks > 1) add("acc", DType::Fp32, r, parts * (d + 1), 2);
    add("stage", p_.dtype, r, parts * d, std::min<std::uint64_t>(4, queries));
    add("identity", DType::Bf16, r, r, 1);
    add("ones", DType::Bf16, r, r, 1);
    add("scores", DType::Fp32, r, depth_.score_banks * plan_.bank_columns, depth_.scores, Buffer::Psum);
    add("sums", DType::Fp32, r, output_banks(p_, plan_) * plan_.bank_columns, depth_.outputs, Buffer::Psum);
    return std::move(buffers_);
  }

 private:
  void add(const std::string& name, DType dtype, std::uint32_t partitions, std::uint32_t columns, std::uint64_t count,
           Buffer home = Buffer::Sbuf) {
    buffers_.push_back({name, home, dtype, fmt::format("[{}, {}]", partitions, columns), partitions,
                        tile_bytes(std::uint64_t{columns} * element_bytes(dtype)), count});
  }

  const AttentionProblem& p_;
  const AttentionPlan& plan_;
  PsumDepth depth_;
  std::vector<BufferSpec> buffers_;
};

/// Whole tiles, so that Vector and GpSimd finish the squares of a key block together.
std::uint32_t squared_by_gpsimd(const AttentionProblem& p, const ChipConfig& chip) {
  const TwoInputRates rates = two_input_rates(chip, p.dtype);
  std::uint32_t best = 0;
  for (std::uint32_t given = 0; given < p.block; given += p.row_tile) {
    if (rates.together(p.block, given, 0) < rates.together(p.block, best, 0)) best = given;
  }
  return best;
}

std::uint64_t key_load_instructions(const AttentionProblem& p, std::uint64_t block) {
  const std::uint32_t count = p.keys_of(block);
  return 1 + (count >= p.row_tile ? 1 : 0) + (count % p.row_tile > 0 ? 1 : 0);
}

/// The largest norm of `columns` columns, on every partition.
std::uint64_t norm_instructions(const AttentionProblem& p, const AttentionPlan& plan, std::uint64_t columns) {
  const std::uint64_t whole = columns / p.row_tile, rest = columns % p.row_tile;
  const std::uint64_t squares = plan.by_gpsimd > 0 && columns == p.block ? 2 : 1;
  return squares + whole + (rest > 0 ? 1 : 0) + 1 + (whole > 0 && rest > 0 ? 1 : 0) + 3;
}

std::uint64_t key_instructions(const AttentionProblem& p, const AttentionPlan& plan, std::uint64_t block) {
  return key_load_instructions(p, block) + norm_instructions(p, plan, p.keys_of(block)) + (block > 0 ? 1 : 0);
}

/// Bounds, pieces and merge of one step.
std::uint64_t step_instructions(const AttentionProblem& p, const AttentionPlan& plan, const QueryTile& tile, std::uint64_t index) {
  const std::uint64_t tiles = ceil_div(tile.rows(), p.row_tile);
  const std::vector<KeyPiece> pieces = key_pieces(p, plan, tile, index);
  std::uint64_t count = 2 + (index > 0 ? 1 : 0);
  for (const KeyPiece& piece : pieces) {
    count += piece.tiles + 1 + (piece.masked > 0 ? 1 : 0) + piece.tiles * (tiles - piece.row / p.row_tile);
  }
  return count + (tile.blocks > 1 ? row_parts(p, plan, tile, pieces.front().row / p.row_tile).size() : 0);
}

std::uint64_t tile_instructions(const AttentionProblem& p, const AttentionPlan& plan, const QueryTile& tile) {
  std::uint64_t count = 1 + norm_instructions(p, plan, tile.rows()) + 3 * row_parts(p, plan, tile, 0).size();
  for (std::uint64_t j = 0; j < tile.blocks; ++j) {
    count += step_instructions(p, plan, tile, j) + (plan.resident ? 0 : key_instructions(p, plan, j));
  }
  return count;
}

}  // namespace

std::vector<KeyPiece> key_pieces(const AttentionProblem& p, const AttentionPlan& plan, const QueryTile& tile, std::uint64_t index) {
  const KeyBlock keys = p.key_block(tile, index);
  const std::uint32_t r = p.row_tile, slots = p.moving / tile.rows(), most = slots * plan.score_banks;
  std::vector<KeyPiece> pieces;
  for (std::uint32_t at = 0; at < keys.count;) {
    const std::uint32_t whole = (keys.count - at) / r;
    KeyPiece piece{at / r, 1, whole > 0 ? r : keys.count - at, 0, 0};
    const std::uint32_t seen_by_all = p.first_to_see(tile, keys.first + at + piece.keys - 1);
    if (seen_by_all > 0) {
      const bool any = keys.first + at == 0 || tile.heads > 1;  // a row must be written once, rows of several heads are not in order
      if (!any) piece.row = p.first_to_see(tile, keys.first + at) / r * r;
      piece.masked = tile.heads > 1 ? tile.rows() : seen_by_all;
      if (piece.masked <= piece.row) piece.masked = 0;
    } else if (whole > 0) {
      std::uint32_t free = whole;
      while (free > 1 && p.first_to_see(tile, keys.first + at + std::uint64_t{free} * r - 1) > 0) --free;
      piece.tiles = free >= most ? most : std::min(free, slots);
    }
    pieces.push_back(piece);
    at += piece.tiles * piece.keys;
  }
  return pieces;
}

std::vector<RowPart> row_parts(const AttentionProblem& p, const AttentionPlan& plan, const QueryTile& tile, std::uint32_t first) {
  const std::uint32_t whole = tile.rows() / p.row_tile, rest = tile.rows() % p.row_tile;
  std::vector<RowPart> parts;
  for (std::uint32_t at = first; at < whole;) {
    const std::uint32_t end = std::min(whole, (at / plan.bank_sums + 1) * plan.bank_sums);
    parts.push_back({at, end - at, p.row_tile});
    at = end;
  }
  if (rest > 0) parts.push_back({whole, 1, rest});
  return parts;
}

AttentionPlan plan_attention(const AttentionProblem& p, const ChipConfig& chip) {
  AttentionPlan plan;
  plan.tiles = p.query_tiles(p.moving);
  plan.exponentials = p.dtype == DType::Fp32 ? DType::Fp32 : DType::Bf16;
  plan.bank_columns = chip.psum.bank_bytes_per_partition / element_bytes(DType::Fp32);
  const std::uint32_t outputs = output_banks(p, plan);
  const PsumDepth depth = psum_depth(outputs, chip);
  plan.score_banks = depth.score_banks;
  plan.bank_sums = static_cast<std::uint32_t>(ceil_div(plan.row_tiles(p.row_tile), outputs));
  plan.by_scalar = p.group * p.seq_q <= p.row_tile;
  if (!plan.by_scalar) plan.by_gpsimd = squared_by_gpsimd(p, chip);
  for (const bool resident : {true, false}) {
    for (const std::uint64_t lookahead : {std::uint64_t{3}, std::uint64_t{1}, std::uint64_t{0}}) {
      plan.resident = resident;
      plan.lookahead = lookahead;
      plan.buffers = BufferList(p, plan, depth).list();
      if (footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition()) return plan;
    }
  }
  check_capacity("attention", plan.buffers, chip);
  return plan;
}

std::uint64_t attention_instructions(const AttentionProblem& p, const AttentionPlan& plan) {
  std::uint64_t unit = 0, steps = 0, values = 0;
  for (const QueryTile& tile : plan.tiles) {
    unit += tile_instructions(p, plan, tile);
    steps += tile.blocks;
  }
  const std::uint64_t blocks = plan.key_blocks();
  for (std::uint64_t j = 0; plan.resident && j < blocks; ++j) unit += key_instructions(p, plan, j);
  for (const BufferSpec& b : plan.buffers) {
    if (b.name == "v") values = std::min(b.count, p.units * (plan.resident ? blocks : steps));
  }
  return p.units * unit + values + 3;  // ones beside V; ones, two make the identity
}

}  // namespace trnsim::kernel
