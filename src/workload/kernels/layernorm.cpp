// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workload/generator.hpp"
#include "workload/kernels/emit.hpp"
#include "workload/kernels/layernorm_plan.hpp"

namespace trnsim::kernel {
namespace {

/// Per element: sum, subtract, square, sum, scale, gamma, beta.
constexpr unsigned kFlops = 7;
constexpr std::uint64_t kValue = element_bytes(DType::Fp32);

/// Steps of [rows, chunk] in the order rows → pass → chunk. A tile is normalised in place and stored; its
/// stores go out before the load that takes the tile next. Statistics run a step ahead.
///
/// Values of a row's statistics: mean, variance, 1/deviation, −mean/deviation, results of bn_stats for one
/// tile, then (rows in chunks) count, mean and sum of squares of every chunk.
class LayerNormSource final : public RecordSource {
 public:
  LayerNormSource(const LayerNormPlan& plan, std::uint64_t rows)
      : plan_(plan), rows_(rows), steps_(plan.tiles(rows) * plan.passes() * plan.chunks()), copies_(plan.queues) {
    if (plan.beta_on_gpsimd) add_.fields().engine = EngineKind::GpSimd;
    const std::uint64_t vectors = plan.resident ? 1 : plan.tiles(rows) * plan.chunks();
    const std::array<std::uint64_t, 4> uses{steps_, vectors, vectors, plan.tiles(rows)};
    TensorId next = kOut + 1;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      *std::array<TileRing*, 4>{&x_, &gamma_, &beta_, &stat_}[i] = TileRing(plan.buffers[i], next, uses[i]);
      next += static_cast<TensorId>(plan.buffers[i].count);
    }
  }

  RecordStream records() override {
    const std::uint64_t ahead = x_.count() >= 3 ? x_.count() - 2 : x_.count() - 1;
    for (std::uint64_t loaded = 0, prepared = 0, number = 0; number < steps_; ++number) {
      for (; loaded < steps_ && loaded <= number + ahead; ++loaded) co_yield load(step_at(loaded));
      for (; prepared < loaded && prepared <= number + 1; ++prepared) {
        co_yield statistics(step_at(prepared));
        if (prepared == number) co_yield finish(step_at(prepared), 0, kTails);
      }
      const bool next = number + 1 < prepared;
      if (applies(step_at(number))) {
        co_yield apply(step_at(number), next);
      } else if (next) {
        co_yield finish(step_at(number + 1), 0, kTails);
      }
    }
    while (!stores_.empty()) co_yield store_next();
  }

  RecordStream summary() override {
    for (const Alike tile : alike(plan_.tiles(rows_))) {
      for (unsigned pass = 0; pass < plan_.passes(); ++pass) {
        for (const Alike chunk : alike(plan_.chunks())) {
          const Step step = step_at((tile.first * plan_.passes() + pass) * plan_.chunks() + chunk.first);
          weight_ = tile.count * chunk.count;
          co_yield load(step);
          co_yield statistics(step);
          co_yield finish(step, 0, kTails);
          if (applies(step)) co_yield apply(step, false);
          while (!stores_.empty()) co_yield store_next();
        }
      }
    }
  }
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 private:
  static constexpr TensorId kX = 0, kGamma = 1, kBeta = 2, kOut = 3;
  static constexpr unsigned kMean = 0, kVariance = 1, kInverse = 2, kShift = 3, kGroups = 4, kTails = 3;

  struct Step {
    std::uint64_t number = 0, tile = 0, chunk = 0;
    std::uint32_t rows = 0, columns = 0;
    unsigned pass = 0;
    bool last = false;  ///< Chunk of its pass.
  };

  [[nodiscard]] Step step_at(std::uint64_t number) const {
    Step s;
    s.number = number;
    s.chunk = number % plan_.chunks();
    s.pass = static_cast<unsigned>(number / plan_.chunks() % plan_.passes());
    s.tile = number / plan_.chunks() / plan_.passes();
    s.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.row_tile, rows_ - s.tile * plan_.row_tile));
    s.columns = static_cast<std::uint32_t>(std::min(plan_.chunk, plan_.columns - s.chunk * plan_.chunk));
    s.last = s.chunk + 1 == plan_.chunks();
    return s;
  }
  [[nodiscard]] bool measures(const Step& s) const { return s.pass == 0; }
  [[nodiscard]] bool applies(const Step& s) const { return s.pass + 1 == plan_.passes(); }
  [[nodiscard]] std::uint64_t vector_use(const Step& s) const { return plan_.resident ? 0 : s.tile * plan_.chunks() + s.chunk; }
  [[nodiscard]] std::uint32_t width(const Step& s, std::uint32_t first) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.piece, s.columns - first));
  }

  [[nodiscard]] Operand part(const TileRing& ring, std::uint64_t use, const Step& s, std::uint32_t first, std::uint32_t columns) const {
    return ring.operand(use, s.rows, first * element_bytes(plan_.dtype), columns);
  }
  [[nodiscard]] Operand stat(const Step& s, std::uint64_t value, std::uint32_t count = 1) const {
    return stat_.operand(s.tile, s.rows, value * kValue, count);
  }
  [[nodiscard]] std::uint64_t triple(std::uint64_t chunk) const { return kGroups + 6 * LayerNormPlan::groups(plan_.chunk) + 3 * chunk; }
  [[nodiscard]] Operand hbm(TensorId tensor, const Step& s, std::uint32_t first, std::uint32_t columns) const {
    const std::uint64_t bytes = element_bytes(plan_.dtype), row_bytes = plan_.columns * bytes;
    const bool vector = tensor == kGamma || tensor == kBeta;  // one row of HBM into every partition
    const std::uint64_t row = vector ? 0 : s.tile * plan_.row_tile * row_bytes;
    return hbm_operand(tensor, plan_.dtype, s.rows, row + (s.chunk * plan_.chunk + first) * bytes, vector ? 0 : row_bytes, columns);
  }

  RecordStream load(Step s) {
    while (stores_.blocks(s.number, x_.count())) co_yield store_next();
    if (x_.first_use(s.number)) co_yield x_.declare(s.number);
    for (std::uint32_t at = 0; at < s.columns; at += width(s, at))
      co_yield copies_.copy(part(x_, s.number, s, at, width(s, at)), hbm(kX, s, at, width(s, at)));
    if (plan_.resident ? s.number > 0 : !applies(s)) co_return;
    co_yield load_vector(gamma_, kGamma, s);
    co_yield load_vector(beta_, kBeta, s);
  }
  RecordStream load_vector(TileRing& ring, TensorId tensor, Step s) {
    const std::uint64_t use = vector_use(s);
    if (ring.first_use(use)) co_yield ring.declare(use);
    for (std::uint32_t at = 0; at < s.columns; at += width(s, at))
      co_yield copies_.copy(part(ring, use, s, at, width(s, at)), hbm(tensor, s, at, width(s, at)));
  }

  RecordStream statistics(Step s) {
    if (!measures(s)) co_return;
    if (s.chunk == 0 && stat_.first_use(s.tile)) co_yield stat_.declare(s.tile);
    std::uint32_t group = 0;
    for (std::uint32_t at = 0; at < s.columns; at += kStatisticsColumns, ++group) {
      const std::uint32_t columns = std::min(kStatisticsColumns, s.columns - at);
      co_yield stats_(stat(s, kGroups + 6 * group, 6), part(x_, s.number, s, at, columns));
    }
    if (plan_.resident) co_return;
    if (x_.last_use(s.number)) co_yield x_.release(s.number);
    // The chunk as one more group: how many elements, their mean, the sum of their squared deviations.
    co_yield aggregate_(stat(s, triple(s.chunk) + 1, 2), stat(s, kGroups, 6 * group));
    co_yield count_(stat(s, triple(s.chunk)));
    co_yield scale_(stat(s, triple(s.chunk) + 2), stat(s, triple(s.chunk) + 2));
  }

  /// Short instructions from the statistics to what the elements need; each waits for the one before.
  RecordStream finish(Step s, unsigned from, unsigned to) {
    if (!measures(s) || !s.last) co_return;
    const auto chunks = static_cast<std::uint32_t>(plan_.chunks());
    const std::uint32_t groups = plan_.resident ? 6 * static_cast<std::uint32_t>(LayerNormPlan::groups(s.columns)) : 3 * chunks;
    for (unsigned k = from; k < to; ++k) {
      if (k == 0) co_yield aggregate_(stat(s, kMean, 2), stat(s, plan_.resident ? std::uint64_t{kGroups} : triple(0), groups));
      if (k == 1) co_yield deviation_(stat(s, kInverse), stat(s, kVariance));
      if (k == 2) co_yield shift_(stat(s, kShift), stat(s, kMean), stat(s, kInverse));
    }
  }

  /// Piece by piece through the engines; between the pieces what finishes the statistics of the next step.
  RecordStream apply(Step s, bool next) {
    const std::uint64_t use = vector_use(s);
    unsigned tail = 0;
    for (std::uint32_t at = 0; at < s.columns; at += width(s, at)) {
      const Operand x = part(x_, s.number, s, at, width(s, at));
      const bool end = at + width(s, at) == s.columns;
      co_yield normalise_(x, x, stat(s, kShift), stat(s, kInverse));
      if (end && s.last && stat_.last_use(s.tile)) co_yield stat_.release(s.tile);
      co_yield multiply_(x, x, part(gamma_, use, s, at, width(s, at)));
      if (end && last_vector(s)) co_yield gamma_.release(use);
      co_yield add_(x, x, part(beta_, use, s, at, width(s, at)));
      if (end && last_vector(s)) co_yield beta_.release(use);
      stores_.push(hbm(kOut, s, at, width(s, at)), x, s.number, copies_.count());
      if (next && tail < kTails) co_yield finish(step_at(s.number + 1), tail, tail + 1);
      ++tail;
    }
    if (next && tail < kTails) co_yield finish(step_at(s.number + 1), tail, kTails);
  }
  [[nodiscard]] bool last_vector(const Step& s) const { return plan_.resident ? s.number + 1 == steps_ : gamma_.last_use(vector_use(s)); }

  RecordStream store_next() {
    const StoreQueue::Store store = stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (x_.last_use(store.use) && (stores_.empty() || stores_.front_use() != store.use)) co_yield x_.release(store.use);
  }

  static InstructionEmitter vector(Opcode op, AluOp alu0 = AluOp::Bypass, AluOp alu1 = AluOp::Bypass) {
    InstructionEmitter e(op, EngineKind::Vector);
    e.fields().alu0 = alu0;
    e.fields().alu1 = alu1;
    return e;
  }
  static InstructionEmitter identity() {
    InstructionEmitter e(Opcode::Activation, EngineKind::Scalar);
    e.fields().function = ActFn::Identity;
    return e;
  }

  LayerNormPlan plan_;
  std::uint64_t rows_, steps_;
  TileRing x_, gamma_, beta_, stat_;
  StoreQueue stores_{0};
  CopyEmitter copies_;
  InstructionEmitter stats_ = vector(Opcode::BnStats), aggregate_ = vector(Opcode::BnAggr), count_ = vector(Opcode::Memset);
  InstructionEmitter scale_ = vector(Opcode::TensorScalar, AluOp::Multiply);
  InstructionEmitter deviation_ = vector(Opcode::TensorScalar, AluOp::Add, AluOp::Power);
  InstructionEmitter shift_ = vector(Opcode::TensorScalar, AluOp::Multiply, AluOp::Multiply);
  InstructionEmitter normalise_ = identity();
  InstructionEmitter multiply_ = vector(Opcode::TensorTensor, AluOp::Multiply);
  InstructionEmitter add_ = vector(Opcode::TensorTensor, AluOp::Add);
};

Workload make_layernorm(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  const LayerNormPlan plan = plan_layernorm(params, chip, cores);
  Workload workload;
  for (unsigned core = 0; core < cores; ++core) {
    ProgramInfo info;
    info.name = "layernorm";
    info.params = params.resolved();
    info.tensors = layernorm_tensors(plan, core);
    info.flops = plan.slices[core] * plan.columns * kFlops;
    info.dtype = plan.dtype;
    info.instructions = layernorm_instructions(plan, plan.slices[core]);
    workload.programs.push_back(
        std::make_unique<GeneratedProgram>(std::move(info), std::make_unique<LayerNormSource>(plan, plan.slices[core])));
  }
  return workload;
}

std::string describe_layernorm(ParamReader& params, const ChipConfig& chip) {
  const LayerNormPlan plan = plan_layernorm(params, chip, 1);
  std::string text = fmt::format("layernorm of [{}, {}], {}, on {}\n", plan.rows, plan.columns, name_of(plan.dtype), chip.name);
  text += fmt::format("loops:   rows ({} x {})", plan.tiles(plan.rows), std::min<std::uint64_t>(plan.row_tile, plan.rows));
  if (!plan.resident) text += fmt::format(" -> 2 passes -> columns ({} x {})", plan.chunks(), plan.chunk);
  text += fmt::format(" -> pieces of {} columns\n", plan.piece);
  const std::string apply = fmt::format(
      "scalar: activation identity with scale and bias; vector: tensor_tensor multiply gamma;\n"
      "         {}: tensor_tensor add beta; sync: dma_copy out, behind the next loads\n",
      plan.beta_on_gpsimd ? "gpsimd" : "vector");
  if (plan.resident) {
    text +=
        "once:    sync: dma_copy gamma, beta into every partition\n"
        "step:    sync: dma_copy x; vector: bn_stats, bn_aggr, tensor_scalar (statistics one row tile ahead);\n"
        "         " +
        apply;
  } else {
    text +=
        "pass 1:  sync: dma_copy x; vector: bn_stats, bn_aggr per chunk, then bn_aggr, tensor_scalar\n"
        "pass 2:  sync: dma_copy x, gamma, beta; " +
        apply;
  }
  return text + describe_buffers(plan.buffers, chip);
}

}  // namespace

KernelDefinition layernorm_definition() {
  return {{"layernorm",
           "Every row minus its mean, over its deviation, times gamma, plus beta",
           {{"rows", "", "at least 1"}, {"cols", "", "1 to 16777216"}, {"dtype", "bf16", "fp32 bf16 fp16"}, dma_queues_param("auto")}},
          make_layernorm,
          describe_layernorm};
}

}  // namespace trnsim::kernel
