// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workload/generator.hpp"
#include "workload/kernels/emit.hpp"
#include "workload/kernels/kernel.hpp"
#include "workload/kernels/two_input_rates.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kMaxTokens = std::uint64_t{1} << 32, kMaxHeads = 65536, kMaxHeadDim = 1024, kMaxBatch = 1 << 20;
constexpr std::uint64_t kChunkBytes = 8192;  ///< Per partition: saturates the DMA engines.
constexpr std::uint32_t kMaxTokenTile = 128;
constexpr unsigned kMostOnGpSimd = 3;  ///< Of six instructions: one half of the outputs.
constexpr unsigned kFlops = 3;         ///< Per element: two products, a sum.
constexpr std::uint64_t kStoreLag = 2;

/// Tokens on partitions; whole heads side by side in a row.
struct RopePlan {
  std::uint64_t batch = 1, seq = 1, heads = 1, head_dim = 128;
  std::uint32_t token_tile = 128;
  DType dtype = DType::Bf16;
  unsigned queues = 1;
  unsigned on_gpsimd = 0;             ///< Of the six instructions of a step.
  std::uint64_t per_step = 1;         ///< Heads.
  std::uint64_t lookahead = 2;        ///< Steps whose loads are emitted ahead.
  std::vector<std::uint64_t> slices;  ///< Tokens of every sequence per core.
  std::vector<BufferSpec> buffers;

  [[nodiscard]] std::uint64_t tiles(std::uint64_t tokens) const { return ceil_div(tokens, token_tile); }
  [[nodiscard]] std::uint64_t chunks() const { return ceil_div(heads, per_step); }
  [[nodiscard]] std::uint64_t steps_per_tile() const { return batch * chunks(); }
};

bool fits(RopePlan& plan, const ChipConfig& chip) {
  const auto partitions = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.token_tile, plan.seq));
  const std::uint64_t steps = plan.tiles(plan.seq) * plan.steps_per_tile();
  const auto buffer = [&](const std::string& name, std::uint64_t columns, std::uint64_t count, std::uint64_t uses) {
    return BufferSpec{name,
                      Buffer::Sbuf,
                      plan.dtype,
                      fmt::format("[{}, {}]", partitions, columns),
                      partitions,
                      tile_bytes(columns * element_bytes(plan.dtype)),
                      std::min(count, uses)};
  };
  const std::uint64_t whole = plan.per_step * plan.head_dim, half = plan.head_dim / 2, table_uses = plan.tiles(plan.seq);
  const std::uint64_t tables = std::min<std::uint64_t>(plan.lookahead, 1) + 1;
  plan.buffers = {buffer("x", whole, plan.lookahead + 1, steps), buffer("cos", half, tables, table_uses),
                  buffer("sin", half, tables, table_uses), buffer("out", whole, plan.lookahead == 0 ? 1 : plan.lookahead + 2, steps),
                  buffer("product", whole / 2, plan.lookahead == 0 ? 2 : 4, 2 * steps)};
  return footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition();
}

void choose_heads(RopePlan& plan, const ChipConfig& chip) {
  const std::uint64_t most = std::max<std::uint64_t>(1, kChunkBytes / (plan.head_dim * element_bytes(plan.dtype)));
  for (const std::uint64_t depth : {2, 1, 0}) {
    plan.lookahead = depth;
    for (plan.per_step = std::min(plan.heads, most);; plan.per_step = ceil_div(plan.per_step, 2)) {
      if (fits(plan, chip)) return;
      if (plan.per_step == 1) break;
    }
  }
  check_capacity("rope", plan.buffers, chip);
}

/// How many of the six instructions GpSimd takes so that both engines together are done first.
unsigned best_on_gpsimd(const ChipConfig& chip, DType dtype) {
  const TwoInputRates rates = two_input_rates(chip, dtype);
  unsigned best = 0;
  for (unsigned n = 1; n <= kMostOnGpSimd; ++n) {
    if (rates.together(6, n, 0) < rates.together(6, best, 0)) best = n;
  }
  return best;
}

TensorInfo tensor(const std::string& name, TensorUse use, DType dtype, std::vector<std::uint64_t> shape) {
  TensorInfo t;
  t.name = name;
  t.use = use;
  t.dtype = dtype;
  t.shape = std::move(shape);
  return t;
}

std::vector<TensorInfo> rope_tensors(const RopePlan& plan, unsigned core) {
  const bool whole = core >= plan.slices.size();
  const std::uint64_t tokens = whole ? plan.seq : plan.slices[core];
  const std::string slice = whole || plan.slices.size() == 1 ? "" : fmt::format(".{}", core);
  const std::vector<std::uint64_t> shape{plan.batch, tokens, plan.heads, plan.head_dim}, table{tokens, plan.head_dim / 2};
  return {tensor("x" + slice, TensorUse::Input, plan.dtype, shape), tensor("cos" + slice, TensorUse::Input, plan.dtype, table),
          tensor("sin" + slice, TensorUse::Input, plan.dtype, table), tensor("out" + slice, TensorUse::Output, plan.dtype, shape)};
}

RopePlan plan_rope(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  RopePlan plan;
  plan.token_tile = std::min(kMaxTokenTile, chip.sbuf.partitions);
  plan.batch = params.integer("batch", 1, kMaxBatch);
  plan.seq = params.integer("seq", 1, kMaxTokens);
  plan.heads = params.integer("heads", 1, kMaxHeads);
  plan.head_dim = params.integer("head_dim", 2, kMaxHeadDim);
  plan.dtype = params.dtype("dtype", {DType::Fp32, DType::Bf16, DType::Fp16});
  plan.queues = dma_queues(params, chip);
  plan.slices = split(params, plan.seq, plan.token_tile, cores, "tokens of a sequence");
  if (plan.head_dim % 2 != 0) params.problem(fmt::format("parameter head_dim={}: allowed are even numbers", plan.head_dim));
  params.check();
  choose_heads(plan, chip);
  plan.on_gpsimd = best_on_gpsimd(chip, plan.dtype);
  check_hbm("rope", rope_tensors(plan, cores), chip);
  return plan;
}

/// Steps of [tokens, heads of one chunk] in the order token tile → sequence → heads. The tables of a token
/// tile are loaded once for all of its steps. out1 = x1·cos − x2·sin, out2 = x2·cos + x1·sin, halves of a head.
class RopeSource final : public RecordSource {
 public:
  RopeSource(const RopePlan& plan, std::uint64_t tokens)
      : plan_(plan), tokens_(tokens), steps_(plan.tiles(tokens) * plan.steps_per_tile()), copies_(plan.queues) {
    const std::uint64_t tables = plan.tiles(tokens);
    const std::array<std::uint64_t, 5> uses{steps_, tables, tables, steps_, 2 * steps_};
    TensorId next = kOut + 1;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      *std::array<TileRing*, 5>{&x_, &cos_, &sin_, &out_, &product_}[i] = TileRing(plan.buffers[i], next, uses[i]);
      next += static_cast<TensorId>(plan.buffers[i].count);
    }
    // The products with the sine first: nobody waits for GpSimd before the sums.
    for (unsigned i = 0; i < 6; ++i) {
      const unsigned rank = std::array<unsigned, 6>{3, 0, 4, 2, 1, 5}[i];
      const AluOp op = i == 2 ? AluOp::Subtract : i == 5 ? AluOp::Add : AluOp::Multiply;
      steps_of_[i] = InstructionEmitter(Opcode::TensorTensor, rank < plan.on_gpsimd ? EngineKind::GpSimd : EngineKind::Vector);
      steps_of_[i].fields().alu0 = op;
    }
  }

  RecordStream records() override {
    for (std::uint64_t loaded = 0, number = 0; number < steps_; ++number) {
      for (; loaded < steps_ && loaded <= number + plan_.lookahead; ++loaded) co_yield load(step_at(loaded));
      co_yield rotate(step_at(number));
    }
    while (!stores_.empty()) co_yield store_next();
  }

  RecordStream summary() override {
    for (const Alike tile : alike(plan_.tiles(tokens_))) {
      for (const Alike sequence : alike(plan_.batch)) {
        for (const Alike chunk : alike(plan_.chunks())) {
          const Step step = step_at(tile.first * plan_.steps_per_tile() + sequence.first * plan_.chunks() + chunk.first);
          weight_ = tile.count * sequence.count * chunk.count;
          co_yield load(step);
          co_yield rotate(step);
          while (!stores_.empty()) co_yield store_next();
        }
      }
    }
  }
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 private:
  static constexpr TensorId kX = 0, kCos = 1, kSin = 2, kOut = 3;

  struct Step {
    std::uint64_t number = 0, tile = 0, sequence = 0, chunk = 0;
    std::uint32_t tokens = 0, heads = 0;
    bool first = false, last = false;  ///< Of its token tile.
  };

  [[nodiscard]] Step step_at(std::uint64_t number) const {
    Step s;
    const std::uint64_t inner = number % plan_.steps_per_tile();
    s.number = number;
    s.tile = number / plan_.steps_per_tile();
    s.sequence = inner / plan_.chunks();
    s.chunk = inner % plan_.chunks();
    s.tokens = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.token_tile, tokens_ - s.tile * plan_.token_tile));
    s.heads = static_cast<std::uint32_t>(std::min(plan_.per_step, plan_.heads - s.chunk * plan_.per_step));
    s.first = inner == 0;
    s.last = inner + 1 == plan_.steps_per_tile();
    return s;
  }
  [[nodiscard]] std::uint32_t half() const { return static_cast<std::uint32_t>(plan_.head_dim / 2); }

  /// Lower or upper halves of the heads of a tile.
  [[nodiscard]] Operand halves(const TileRing& ring, const Step& s, unsigned upper) const {
    const Operand o = ring.operand(s.number, s.tokens, upper * half() * element_bytes(plan_.dtype), half());
    return repeated(o, static_cast<std::int32_t>(plan_.head_dim), s.heads);
  }
  /// A table, the same for every head.
  [[nodiscard]] Operand table(const TileRing& ring, const Step& s) const {
    return repeated(ring.operand(s.tile, s.tokens, 0, half()), 0, s.heads);
  }
  [[nodiscard]] Operand product(const Step& s, unsigned which) const {
    return product_.operand(2 * s.number + which, s.tokens, 0, s.heads * half());
  }
  [[nodiscard]] Operand whole(const TileRing& ring, const Step& s) const {
    return ring.operand(s.number, s.tokens, 0, s.heads * static_cast<std::uint32_t>(plan_.head_dim));
  }
  [[nodiscard]] Operand hbm(TensorId tensor, const Step& s) const {
    const std::uint64_t bytes = element_bytes(plan_.dtype), row = plan_.heads * plan_.head_dim * bytes;
    const std::uint64_t token = s.sequence * tokens_ + s.tile * plan_.token_tile;
    return hbm_operand(tensor, plan_.dtype, s.tokens, token * row + s.chunk * plan_.per_step * plan_.head_dim * bytes, row,
                       s.heads * static_cast<std::uint32_t>(plan_.head_dim));
  }

  RecordStream load(Step s) {
    while (stores_.due(copies_.count())) co_yield store_next();
    if (s.first) {
      co_yield load_table(cos_, kCos, s);
      co_yield load_table(sin_, kSin, s);
    }
    if (x_.first_use(s.number)) co_yield x_.declare(s.number);
    co_yield copies_.copy(whole(x_, s), hbm(kX, s));
  }
  RecordStream load_table(TileRing& ring, TensorId tensor, Step s) {
    if (ring.first_use(s.tile)) co_yield ring.declare(s.tile);
    const std::uint64_t row = half() * element_bytes(plan_.dtype);
    co_yield copies_.copy(ring.operand(s.tile, s.tokens, 0, half()),
                          hbm_operand(tensor, plan_.dtype, s.tokens, s.tile * plan_.token_tile * row, row, half()));
  }

  /// Sums last, so that the Vector engine does not wait for its own products.
  RecordStream rotate(Step s) {
    while (stores_.blocks(s.number, out_.count())) co_yield store_next();
    for (unsigned upper = 0; upper < 2; ++upper) {
      const std::uint64_t use = 2 * s.number + upper;
      if (product_.first_use(use)) co_yield product_.declare(use);
      co_yield steps_of_[3 * upper + 1](product(s, upper), halves(x_, s, 1 - upper), table(sin_, s));
      if (upper == 1 && s.last && sin_.last_use(s.tile)) co_yield sin_.release(s.tile);
      if (upper == 0 && out_.first_use(s.number)) co_yield out_.declare(s.number);
      co_yield steps_of_[3 * upper](halves(out_, s, upper), halves(x_, s, upper), table(cos_, s));
    }
    if (s.last && cos_.last_use(s.tile)) co_yield cos_.release(s.tile);
    if (x_.last_use(s.number)) co_yield x_.release(s.number);
    for (unsigned upper = 0; upper < 2; ++upper) {
      const std::uint64_t use = 2 * s.number + upper;
      co_yield steps_of_[3 * upper + 2](halves(out_, s, upper), halves(out_, s, upper), product(s, upper));
      if (product_.last_use(use)) co_yield product_.release(use);
    }
    stores_.push(hbm(kOut, s), whole(out_, s), s.number, copies_.count());
  }

  RecordStream store_next() {
    const StoreQueue::Store store = stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (out_.last_use(store.use)) co_yield out_.release(store.use);
  }

  RopePlan plan_;
  std::uint64_t tokens_, steps_;
  TileRing x_, cos_, sin_, out_, product_;
  StoreQueue stores_{kStoreLag};
  CopyEmitter copies_;
  std::array<InstructionEmitter, 6> steps_of_{
      InstructionEmitter{Opcode::TensorTensor, EngineKind::Vector}, InstructionEmitter{Opcode::TensorTensor, EngineKind::Vector},
      InstructionEmitter{Opcode::TensorTensor, EngineKind::Vector}, InstructionEmitter{Opcode::TensorTensor, EngineKind::Vector},
      InstructionEmitter{Opcode::TensorTensor, EngineKind::Vector}, InstructionEmitter{Opcode::TensorTensor, EngineKind::Vector}};
};

Workload make_rope(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  const RopePlan plan = plan_rope(params, chip, cores);
  Workload workload;
  for (unsigned core = 0; core < cores; ++core) {
    const std::uint64_t tokens = plan.slices[core];
    ProgramInfo info;
    info.name = "rope";
    info.params = params.resolved();
    info.tensors = rope_tensors(plan, core);
    info.flops = plan.batch * tokens * plan.heads * plan.head_dim * kFlops;
    info.dtype = plan.dtype;
    // Two copies and six instructions a step, two tables a token tile.
    info.instructions = plan.tiles(tokens) * (plan.steps_per_tile() * 8 + 2);
    workload.programs.push_back(std::make_unique<GeneratedProgram>(std::move(info), std::make_unique<RopeSource>(plan, tokens)));
  }
  return workload;
}

std::string describe_rope(ParamReader& params, const ChipConfig& chip) {
  const RopePlan plan = plan_rope(params, chip, 1);
  std::string text =
      fmt::format("rope of [{}, {}, {}, {}], {}, on {}\n", plan.batch, plan.seq, plan.heads, plan.head_dim, name_of(plan.dtype), chip.name);
  text += fmt::format("loops:   tokens ({} x {}) -> sequences ({}) -> heads ({} x {}), loads {} steps ahead\n", plan.tiles(plan.seq),
                      std::min<std::uint64_t>(plan.token_tile, plan.seq), plan.batch, plan.chunks(), plan.per_step, plan.lookahead);
  text += "tile:    sync: dma_copy cos, sin, for all heads and sequences\n";
  text += fmt::format(
      "step:    sync: dma_copy x; per half two tensor_tensor multiply and one add or subtract, vector {}, gpsimd {};\n"
      "         sync: dma_copy out, behind the next loads\n",
      6 - plan.on_gpsimd, plan.on_gpsimd);
  return text + describe_buffers(plan.buffers, chip);
}

}  // namespace

KernelDefinition rope_definition() {
  return {{"rope",
           "Rotary position embedding: halves of every head rotated by angles of its token",
           {{"batch", "1", "at least 1"},
            {"seq", "", "at least 1"},
            {"heads", "1", "1 to 65536"},
            {"head_dim", "128", "even, 2 to 1024"},
            {"dtype", "bf16", "fp32 bf16 fp16"},
            dma_queues_param("auto")}},
          make_rope,
          describe_rope};
}

}  // namespace trnsim::kernel
