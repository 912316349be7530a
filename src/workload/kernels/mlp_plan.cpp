// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/kernels/mlp_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/error.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kMaxTokens = std::uint64_t{1} << 24, kMaxExtent = std::uint64_t{1} << 22;
constexpr std::uint64_t kDoubleRowFrom = 256;  ///< Contraction from which FP8 takes two rows at a time.
constexpr double kLoadMargin = 1.25;           ///< Bytes of a load over what the DMA engines move while it is issued.
constexpr std::uint64_t kMaxColumns = 1024;    ///< Of the weights of one chunk.
constexpr std::uint64_t kMostSlabs = 16, kFewestSlabs = 4;
constexpr std::uint64_t kStages = 4;

void cut_pieces(MlpLayer& layer, const MatmulProblem* next) {
  const MatmulProblem& p = layer.p;
  if (next == nullptr) {
    for (std::uint64_t first = 0; first < p.m; first += p.tile_m)
      layer.pieces.push_back({first, static_cast<std::uint32_t>(std::min<std::uint64_t>(p.tile_m, p.m - first)), first / p.tile_m});
    return;
  }
  // As the K tiles of the next product take them.
  for (std::uint64_t k = 0; k < next->k_tiles(); ++k) {
    const KTile tile = next->k_tile(k);
    for (std::uint32_t half = 0; half < tile.halves; ++half)
      layer.pieces.push_back({tile.row + std::uint64_t{half} * tile.rows, tile.rows, k * next->halves() + half});
  }
}

void cut_slabs(MlpLayer& layer, const ChipConfig& chip) {
  const MatmulProblem& p = layer.p;
  const std::uint64_t widest = std::max<std::uint64_t>(1, layer.columns(0).count);
  const DmaModeConfig& mode = chip.dma.hardware_mode.available ? chip.dma.hardware_mode : chip.dma.static_mode;
  const double bytes = kLoadMargin * mode.issue_interval_ns * chip.dma.engines * chip.dma.engine_gb_per_s / p.tile_k;  // per partition
  const std::uint64_t most = ceil_div(static_cast<std::uint64_t>(bytes) + 1, widest * p.halves() * p.element());
  for (std::uint64_t k = 0; k < p.k_tiles(); ++k) {
    const bool full = p.k_tile(k).rows == p.tile_k && p.k_tile(k).halves == p.halves();
    const bool joined = k > 0 && full && layer.slabs.back().tiles < most;
    if (joined) ++layer.slabs.back().tiles;
    if (!joined) layer.slabs.push_back({k, 1});
  }
}

MatmulProblem product(const MlpPlan& plan, std::uint64_t m, std::uint64_t k, const ChipConfig& chip) {
  MatmulProblem p;
  p.m = p.m_total = m;
  p.n = plan.tokens;
  p.k = k;
  p.dtype = plan.dtype;
  p.double_row = is_fp8(p.dtype) && k >= kDoubleRowFrom && chip.tensor.fp8_rate >= 2;
  p.tile_m = p.tile_k = std::min({128U, chip.tensor.rows, chip.tensor.columns, chip.sbuf.partitions});
  p.tile_n = std::min({512U, chip.tensor.max_moving_columns, chip.psum.bank_bytes_per_partition / element_bytes(DType::Fp32)});
  p.banks = chip.psum.banks;
  return p;
}

/// Chunks of at most half the PSUM banks, so that one is evicted while the next is summed.
void cut_chunks(MlpPlan& plan, const ChipConfig& chip) {
  for (MlpLayer& layer : plan.layers) {
    const std::uint64_t banks = std::max<std::uint64_t>(1, chip.psum.banks / 2 / layer.sides);
    layer.chunk = std::min(banks * plan.per_bank, std::max<std::uint64_t>(1, kMaxColumns / layer.p.tile_m));
    layer.slabs.clear();
    cut_slabs(layer, chip);
  }
}

class BufferList {
 public:
  BufferList(const MlpPlan& plan, const ChipConfig& chip) : plan_(plan), chip_(chip) {}

  std::vector<BufferSpec> list(std::uint64_t slabs) {
    const MlpLayer &up = plan_.layers[0], &down = plan_.layers[1];
    const std::uint64_t tokens = plan_.block, e = plan_.element(), per_bank = plan_.per_bank;
    const std::uint32_t tile = up.p.tile_m;
    add("xT", plan_.dtype, up.p.input_partitions(), tokens * up.p.halves() * slab_tiles(up), e, up.slabs.size());
    add("w", plan_.dtype, tile, std::max(slab_columns(up), slab_columns(down)), e, std::min(slabs, weights()));
    add("h", plan_.dtype, down.p.input_partitions(), tokens * down.p.halves() * down.p.k_tiles(), e, 1);
    if (plan_.gated) add("gate", plan_.gate_dtype(), tile, tokens * std::min(per_bank, up.chunk), element_bytes(plan_.gate_dtype()), 2);
    add("stage", plan_.out_dtype, tile, tokens * std::min(per_bank, down.chunk), element_bytes(plan_.out_dtype), kStages);
    buffers_.push_back({"psum", Buffer::Psum, DType::Fp32, fmt::format("[{}, {}]", tile, tokens * per_bank), tile,
                        chip_.psum.bank_bytes_per_partition, chip_.psum.banks});
    return std::move(buffers_);
  }

 private:
  static std::uint64_t slab_tiles(const MlpLayer& layer) {
    std::uint32_t most = 1;
    for (const MlpSlab& s : layer.slabs) most = std::max(most, s.tiles);
    return most;
  }
  static std::uint64_t slab_columns(const MlpLayer& layer) { return slab_tiles(layer) * layer.p.halves() * layer.columns(0).count; }
  [[nodiscard]] std::uint64_t weights() const {
    std::uint64_t count = 0;
    for (const MlpLayer& layer : plan_.layers) count += layer.chunks() * layer.slabs.size() * layer.sides;
    return count * plan_.blocks();
  }
  void add(const std::string& name, DType dtype, std::uint32_t partitions, std::uint64_t columns, std::uint64_t element,
           std::uint64_t count) {
    const std::uint64_t bytes = columns * element;
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 31;  // far beyond any memory
    buffers_.push_back({name, Buffer::Sbuf, dtype, fmt::format("[{}, {}]", partitions, columns), partitions,
                        tile_bytes(std::min(bytes, kLargest)), count});
  }

  const MlpPlan& plan_;
  const ChipConfig& chip_;
  std::vector<BufferSpec> buffers_;
};

/// The largest token block whose input and intermediate result fit beside the weights in flight.
void choose_block(MlpPlan& plan, const ChipConfig& chip) {
  const std::uint32_t most = plan.layers[0].p.tile_n;
  for (std::uint64_t blocks = ceil_div(plan.tokens, most);; ++blocks) {
    plan.block = ceil_div(plan.tokens, blocks);
    plan.per_bank = static_cast<std::uint32_t>(most / plan.block);
    cut_chunks(plan, chip);
    for (std::uint64_t slabs = kMostSlabs; slabs >= kFewestSlabs; slabs -= 2) {
      plan.buffers = BufferList(plan, chip).list(slabs);
      if (footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition()) return;
    }
    if (plan.block == 1) return check_capacity("mlp", plan.buffers, chip);
    // The next smaller block.
    blocks = std::max(blocks, ceil_div(plan.tokens, plan.block - 1) - 1);
  }
}

MlpPlan core_plan(MlpPlan plan, const ChipConfig& chip) {
  plan.layers[0].p = product(plan, plan.ffn, plan.hidden, chip);
  plan.layers[1].p = product(plan, plan.hidden, plan.ffn, chip);
  plan.layers[0].sides = plan.gated ? 2 : 1;
  cut_pieces(plan.layers[0], &plan.layers[1].p);
  cut_pieces(plan.layers[1], nullptr);
  choose_block(plan, chip);
  return plan;
}

TensorInfo matrix(const std::string& name, TensorUse use, DType dtype, std::uint64_t rows, std::uint64_t columns) {
  TensorInfo t;
  t.name = name;
  t.dtype = dtype;
  t.use = use;
  t.shape = {rows, columns};
  return t;
}

}  // namespace

Span MlpLayer::columns(std::uint64_t index) const {
  const Span span = part(index, chunk, pieces.size());
  const MlpPiece& last = pieces[span.first + span.count - 1];
  const std::uint64_t first = pieces[span.first].first;
  return {first, static_cast<std::uint32_t>(last.first + last.count - first)};
}

std::uint64_t MlpPlan::hbm_bytes() const {
  const std::uint64_t weights = hidden * ffn * (gated ? 3 : 2) * element();
  return blocks() * weights + tokens * hidden * (element() + element_bytes(out_dtype));
}

std::vector<Span> mlp_runs(const MlpPlan& plan, const MlpLayer& layer, std::uint64_t chunk) {
  std::vector<Span> runs;
  const Span all = part(chunk, layer.chunk, layer.pieces.size());
  for (std::uint64_t i = 0; i < all.count; ++i) {
    const std::uint64_t piece = all.first + i;
    const bool joined = i % plan.per_bank > 0 && layer.pieces[piece].count == layer.pieces[piece - 1].count &&
                        layer.pieces[piece].slot == layer.pieces[piece - 1].slot + 1;
    if (joined) ++runs.back().count;
    if (!joined) runs.push_back({piece, 1});
  }
  return runs;
}

std::vector<MlpPlan> mlp_plans(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  MlpPlan whole;
  whole.tokens = params.integer("tokens", 1, kMaxTokens);
  whole.hidden = params.integer("hidden", 1, kMaxExtent);
  whole.ffn = params.integer("ffn", 1, kMaxExtent);
  whole.gated = params.flag("gated");
  const std::string function = params.choice("activation", {"silu", "gelu", "relu"});
  whole.function = function == "silu" ? ActFn::Silu : function == "gelu" ? ActFn::Gelu : ActFn::Relu;
  whole.dtype = available_dtype(params, "dtype", {DType::Bf16, DType::Fp16, DType::Fp32, DType::Fp8E4M3, DType::Fp8E5M2}, chip);
  params.set_default("out_dtype", bits_of(whole.dtype) == 8 ? name_of(DType::Bf16) : name_of(whole.dtype));
  whole.out_dtype = params.dtype("out_dtype", {DType::Bf16, DType::Fp16, DType::Fp32});
  whole.queues = dma_queues(params, chip);
  const auto slices = split(params, whole.tokens, 1, cores, "tokens");
  params.check();
  check_hbm("mlp", mlp_tensors(whole, 0, 1), chip);
  if (const unsigned sides = whole.gated ? 2 : 1; chip.psum.banks < sides)
    throw WorkloadError(fmt::format("kernel mlp: the sums take {} PSUM banks, {} has {}", sides, chip.name, chip.psum.banks));
  std::vector<MlpPlan> plans;
  for (const std::uint64_t tokens : slices) {
    whole.tokens = tokens;
    plans.push_back(core_plan(whole, chip));
  }
  return plans;
}

std::vector<TensorInfo> mlp_tensors(const MlpPlan& p, unsigned core, unsigned cores) {
  const std::string slice = cores > 1 ? fmt::format(".{}", core) : "";
  std::vector<TensorInfo> tensors{matrix("xT" + slice, TensorUse::Input, p.dtype, p.hidden, p.tokens)};
  if (p.gated) tensors.push_back(matrix("w_gate", TensorUse::Input, p.dtype, p.hidden, p.ffn));
  tensors.push_back(matrix("w_up", TensorUse::Input, p.dtype, p.hidden, p.ffn));
  tensors.push_back(matrix("w_down", TensorUse::Input, p.dtype, p.ffn, p.hidden));
  tensors.push_back(matrix("outT" + slice, TensorUse::Output, p.out_dtype, p.hidden, p.tokens));
  return tensors;
}

std::uint64_t mlp_instructions(const MlpPlan& plan) {
  std::uint64_t block = plan.layers[0].slabs.size();  // of xT
  for (const MlpLayer& layer : plan.layers) {
    const bool first = &layer == &plan.layers.front();
    block += layer.chunks() * layer.slabs.size() * layer.sides + layer.pieces.size() * layer.p.k_tiles() * layer.sides;
    // Evicted by one instruction, or two: gate and product, copy and store.
    std::uint64_t runs = 0;
    for (std::uint64_t c = 0; c < layer.chunks(); ++c) runs += mlp_runs(plan, layer, c).size();
    block += runs * (first && !plan.gated ? 1 : 2);
  }
  return plan.blocks() * block;
}

}  // namespace trnsim::kernel
