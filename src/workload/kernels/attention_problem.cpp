// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/attention_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kMaxHeads = 65536, kMaxSequence = std::uint64_t{1} << 24;

TensorInfo tensor(const std::string& name, TensorUse use, DType dtype, std::vector<std::uint64_t> shape) {
  TensorInfo t;
  t.name = name;
  t.use = use;
  t.dtype = dtype;
  t.shape = std::move(shape);
  return t;
}

/// KV heads where there are enough of them, else query positions.
std::vector<AttentionProblem> split_over_cores(const AttentionProblem& whole, ParamReader& params, unsigned cores) {
  std::vector<AttentionProblem> problems(cores, whole);
  const bool by_heads = whole.backward || whole.units >= cores;  // queries of one head add to the same dK and dV
  const auto slices =
      by_heads ? split(params, whole.units, 1, cores, "KV heads") : split(params, whole.seq_q, whole.row_tile, cores, "query positions");
  params.check();
  std::uint64_t first = 0;
  for (unsigned core = 0; core < cores; ++core) {
    AttentionProblem& p = problems[core];
    (by_heads ? p.units : p.seq_q) = slices[core];
    if (!by_heads) p.q_first = first;
    first += slices[core];
  }
  return problems;
}

}  // namespace

std::uint64_t AttentionProblem::visible(std::uint64_t position) const {
  if (!causal) return seq_k;
  const std::uint64_t end = q_first + position + 1 + seq_k;  // the last query sees all keys
  return end <= q_total ? 0 : std::min(seq_k, end - q_total);
}

std::vector<QueryTile> AttentionProblem::query_tiles() const {
  std::vector<QueryTile> tiles;
  // The mask of the backward pass is linear in the partition.
  const bool packed = !backward || !causal || seq_q == 1;
  const auto heads = static_cast<std::uint32_t>(packed ? std::clamp<std::uint64_t>(row_tile / seq_q, 1, group) : 1);
  for (std::uint64_t first = 0; first < seq_q; first += row_tile) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(row_tile, seq_q - first));
    const std::uint64_t blocks = std::max<std::uint64_t>(1, ceil_div(visible(first + count - 1), block));
    for (std::uint64_t head = 0; head < group; head += heads) {
      tiles.push_back({head, static_cast<std::uint32_t>(std::min<std::uint64_t>(heads, group - head)), first, count, blocks});
    }
  }
  return tiles;
}

KeyBlock AttentionProblem::key_block(const QueryTile& tile, std::uint64_t index) const {
  const std::uint64_t first = index * block;
  const std::uint64_t seen = std::max<std::uint64_t>(1, visible(tile.first + tile.count - 1));
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(block, seen - first));
  return {first, count, visible(tile.first) < first + count};
}

std::uint32_t AttentionProblem::keys_of(std::uint64_t index) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(block, seq_k - index * block));
}

KeyBlock AttentionProblem::padded_block(const QueryTile& tile, std::uint64_t index) const {
  KeyBlock keys = key_block(tile, index);
  keys.count = std::min(keys_of(index), static_cast<std::uint32_t>(ceil_div(keys.count, row_tile)) * row_tile);
  keys.masked = visible(tile.first) < keys.first + keys.count;
  return keys;
}

std::uint64_t AttentionProblem::unmasked_pairs() const {
  if (!causal) return units * group * seq_q * seq_k;
  // Queries see 0 … 0, 1, 2 … keys up to seq_k: a sum of an arithmetic series.
  const auto triangle = [](std::uint64_t n) { return n * (n + 1) / 2; };
  const std::uint64_t last = visible(seq_q - 1);
  const std::uint64_t seen = std::min(seq_q, last);  // queries that see a key
  return units * group * (triangle(last) - triangle(last - seen));
}

std::vector<AttentionProblem> attention_problems(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  AttentionProblem p;
  const std::uint64_t batch = params.integer("batch", 1, kMaxHeads);
  const std::uint64_t heads = params.integer("heads", 1, kMaxHeads);
  params.set_default("kv_heads", std::to_string(heads));
  const std::uint64_t kv_heads = params.integer("kv_heads", 1, heads);
  if (heads % kv_heads != 0) params.problem(fmt::format("parameter kv_heads={} does not divide heads={}", kv_heads, heads));
  p.seq_q = params.integer("seq_q", 1, kMaxSequence);
  params.set_default("seq_k", std::to_string(p.seq_q));
  p.seq_k = params.integer("seq_k", 1, kMaxSequence);
  p.row_tile = std::min({128U, chip.tensor.rows, chip.tensor.columns, chip.sbuf.partitions});
  p.head_dim = static_cast<std::uint32_t>(params.integer("head_dim", 1, p.row_tile));
  p.dtype = params.dtype("dtype", {DType::Bf16, DType::Fp16, DType::Fp32});
  p.causal = params.flag("causal");
  p.backward = params.choice("pass", {"forward", "backward"}) == "backward";
  p.queues = dma_queues(params, chip);
  p.units = batch * kv_heads;
  p.group = heads / kv_heads;
  p.q_total = p.seq_q;
  p.moving = std::min({512U, chip.tensor.max_moving_columns, chip.psum.bank_bytes_per_partition / element_bytes(DType::Fp32)});
  p.block = p.moving * (!p.backward && chip.psum.banks >= 8 && p.seq_k > p.moving ? 2 : 1);
  p.block = static_cast<std::uint32_t>(std::min<std::uint64_t>(p.block, ceil_div(p.seq_k, p.row_tile) * p.row_tile));
  params.check();
  check_hbm("attention", attention_tensors(p, 0, 1), chip);
  return split_over_cores(p, params, cores);
}

std::vector<TensorInfo> attention_tensors(const AttentionProblem& p, unsigned core, unsigned cores, bool sums) {
  const std::string slice = cores > 1 ? fmt::format(".{}", core) : "";
  const std::string kv_slice = p.seq_q == p.q_total ? slice : "";  // split by queries: keys and values are shared
  const std::uint64_t d = p.head_dim;
  const std::vector<std::uint64_t> queries{p.units, p.group, p.seq_q, d}, keys{p.units, p.seq_k, d};
  std::vector<TensorInfo> tensors{tensor("qT" + slice, TensorUse::Input, p.dtype, {p.units, p.group, d, p.seq_q}),
                                  tensor("kT" + kv_slice, TensorUse::Input, p.dtype, {p.units, d, p.seq_k}),
                                  tensor("v" + kv_slice, TensorUse::Input, p.dtype, keys),
                                  tensor("o" + slice, p.backward ? TensorUse::Input : TensorUse::Output, p.dtype, queries)};
  if (!p.backward) return tensors;
  tensors.push_back(tensor("dO" + slice, TensorUse::Input, p.dtype, queries));
  tensors.push_back(tensor("lse" + slice, TensorUse::Input, DType::Fp32, {p.units, p.group, p.seq_q}));
  tensors.push_back(tensor("dQ" + slice, TensorUse::Output, p.dtype, queries));
  tensors.push_back(tensor("dK" + slice, TensorUse::Output, p.dtype, keys));
  tensors.push_back(tensor("dV" + slice, TensorUse::Output, p.dtype, keys));
  if (sums) tensors.push_back(tensor("dK_sum" + slice, TensorUse::Internal, DType::Fp32, keys));
  if (sums) tensors.push_back(tensor("dV_sum" + slice, TensorUse::Internal, DType::Fp32, keys));
  return tensors;
}

}  // namespace trnsim::kernel
