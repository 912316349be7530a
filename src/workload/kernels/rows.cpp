// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <array>

#include "workload/generator.hpp"
#include "workload/kernels/row_plan.hpp"

namespace trnsim::kernel {
namespace {

const RowKernel kVectorAdd{"vector_add", 1, true, false, 0, 1};
// Softmax: maximum, subtract, exponential, sum, scale. The last two passes recompute the exponential.
const RowKernel kSoftmax{"softmax", 3, false, false, 3, 5};
// RMS norm: square, sum, scale, gamma.
const RowKernel kRmsNorm{"rmsnorm", 2, false, true, 2, 4};

constexpr std::uint64_t kStoreLag = 2;  ///< Copies; these are long ones.

/// Steps of [rows, chunk] in the order rows → pass → chunk, loads emitted ahead of the work.
class RowSource : public RecordSource {
 public:
  RowSource(const RowKernel& kernel, const RowPlan& plan, std::uint64_t rows)
      : kernel_(kernel), plan_(plan), rows_(rows), copies_(plan.queues) {
    tiles_ = plan.tiles(rows);
    steps_ = tiles_ * plan.passes * plan.chunks();
    out_tensor_ = static_cast<TensorId>(1 + int{kernel.second_input} + int{kernel.gamma});
    TensorId next = out_tensor_ + 1;
    for (const BufferSpec& b : plan.buffers) {
      std::uint64_t uses = b.name == "x" || b.name == "y" ? steps_ : tiles_ * plan.chunks();
      if (b.name == "gamma" && plan.passes == 1) uses = 1;
      if (b.name == "stat") uses = tiles_;
      ring(b.name) = TileRing(b, next, uses);
      next += static_cast<TensorId>(b.count);
    }
  }

  RecordStream records() override {
    for (std::uint64_t loaded = 0, step = 0; step < steps_; ++step) {
      for (; loaded < steps_ && loaded <= step + plan_.lookahead; ++loaded) co_yield load_step(step_at(loaded));
      // One step early where its tiles are there, so that no engine waits for another in its own order.
      if (step == 0 || plan_.lookahead == 0) co_yield prepare(step_at(step));
      if (plan_.lookahead > 0 && step + 1 < steps_) co_yield prepare(step_at(step + 1));
      co_yield work(step_at(step));
    }
    while (!stores_.empty()) co_yield store_next();
  }

  RecordStream summary() override {
    for (const Alike tile : alike(tiles_)) {
      for (unsigned pass = 0; pass < plan_.passes; ++pass) {
        for (const Alike chunk : alike(plan_.chunks())) {
          const Step step = step_at((tile.first * plan_.passes + pass) * plan_.chunks() + chunk.first);
          weight_ = tile.count * chunk.count;
          co_yield load_step(step);
          co_yield prepare(step);
          co_yield work(step);
          while (!stores_.empty()) co_yield store_next();
        }
      }
    }
  }
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 protected:
  struct Step {
    std::uint64_t number = 0, tile = 0, chunk = 0;
    unsigned pass = 0;
    std::uint32_t rows = 0, columns = 0;
    std::uint64_t output = 0;          ///< Use of the output ring, valid in the last pass.
    bool first = false, last = false;  ///< Chunk of its pass.
  };

  /// The part of a step that may run ahead.
  virtual RecordStream prepare(Step) { co_return; }
  virtual RecordStream work(Step s) = 0;

  [[nodiscard]] bool last_pass(const Step& s) const { return s.pass + 1 == plan_.passes; }
  [[nodiscard]] bool resident() const { return plan_.passes == 1; }
  [[nodiscard]] Operand x(const Step& s) const { return x_.operand(s.number, s.rows, 0, s.columns); }
  [[nodiscard]] Operand y(const Step& s) const { return y_.operand(s.number, s.rows, 0, s.columns); }
  [[nodiscard]] Operand out(const Step& s) const { return out_.operand(s.output, s.rows, 0, s.columns); }
  [[nodiscard]] Operand stat(const Step& s, std::uint64_t value, std::uint32_t count = 1) const {
    return stat_.operand(s.tile, s.rows, value * element_bytes(DType::Fp32), count);
  }

  RecordStream open_out(Step s) {
    while (stores_.blocks(s.output, out_.count())) co_yield store_next();
    if (out_.first_use(s.output)) co_yield out_.declare(s.output);
  }
  /// Where an activation of which only the row sum counts puts its elements: an output tile that is
  /// written again, or in a pass without output a tile that nobody reads.
  [[nodiscard]] Operand unused(const Step& s) const { return resident() ? out(s) : junk_.operand(s.output, s.rows, 0, s.columns); }
  RecordStream open_unused(Step s) {
    if (resident()) co_yield open_out(s);
    if (!resident() && junk_.first_use(s.output)) co_yield junk_.declare(s.output);
  }
  void push_store(const Step& s) { stores_.push(hbm(out_tensor_, s), out(s), s.output, copies_.count()); }

  RowKernel kernel_;
  RowPlan plan_;
  std::uint64_t rows_, tiles_ = 0, steps_ = 0;
  TileRing x_, y_, gamma_, out_, junk_, stat_;
  StoreQueue stores_{kStoreLag};
  CopyEmitter copies_;

 private:
  TileRing& ring(const std::string& name) {
    return name == "x" ? x_ : name == "y" ? y_ : name == "gamma" ? gamma_ : name == "out" ? out_ : name == "junk" ? junk_ : stat_;
  }

  [[nodiscard]] Step step_at(std::uint64_t number) const {
    Step s;
    s.number = number;
    s.chunk = number % plan_.chunks();
    s.pass = static_cast<unsigned>(number / plan_.chunks() % plan_.passes);
    s.tile = number / plan_.chunks() / plan_.passes;
    s.output = s.tile * plan_.chunks() + s.chunk;
    s.rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.row_tile, rows_ - s.tile * plan_.row_tile));
    s.columns = static_cast<std::uint32_t>(std::min(plan_.chunk, plan_.columns - s.chunk * plan_.chunk));
    s.first = s.chunk == 0;
    s.last = s.chunk + 1 == plan_.chunks();
    return s;
  }

  [[nodiscard]] Operand hbm(TensorId tensor, const Step& s) const {
    const std::uint64_t row_bytes = plan_.columns * element_bytes(plan_.dtype);
    const std::uint64_t offset = s.tile * plan_.row_tile * row_bytes + s.chunk * plan_.chunk * element_bytes(plan_.dtype);
    return hbm_operand(tensor, plan_.dtype, s.rows, offset, row_bytes, s.columns);
  }

  RecordStream load_step(Step s) {
    while (stores_.due(copies_.count())) co_yield store_next();
    if (x_.first_use(s.number)) co_yield x_.declare(s.number);
    co_yield copies_.copy(x(s), hbm(0, s));
    if (kernel_.second_input) {
      if (y_.first_use(s.number)) co_yield y_.declare(s.number);
      co_yield copies_.copy(y(s), hbm(1, s));
    }
    if (kernel_.gamma && (resident() ? s.number == 0 : last_pass(s))) co_yield load_gamma(s);
  }

  /// One row of HBM into every partition.
  RecordStream load_gamma(Step s) {
    const std::uint64_t use = resident() ? 0 : s.output;
    if (gamma_.first_use(use)) co_yield gamma_.declare(use);
    Operand row = hbm(1, s);
    row.offset = s.chunk * plan_.chunk * element_bytes(plan_.dtype);
    row.row_stride = 0;
    co_yield copies_.copy(gamma_.operand(use, s.rows, 0, s.columns), row);
  }

  RecordStream store_next() {
    const StoreQueue::Store store = stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    if (out_.last_use(store.use)) co_yield out_.release(store.use);
  }

  TensorId out_tensor_ = 0;
};

InstructionEmitter emitter(Opcode op, EngineKind engine, AluOp alu0 = AluOp::Bypass, AluOp alu1 = AluOp::Bypass) {
  InstructionEmitter e(op, engine);
  e.fields().alu0 = alu0;
  e.fields().alu1 = alu1;
  return e;
}

InstructionEmitter activation(ActFn function, bool reduce) {
  InstructionEmitter e(Opcode::Activation, EngineKind::Scalar);
  e.fields().function = function;
  e.fields().reduce = reduce;
  return e;
}

class VectorAddSource final : public RowSource {
 public:
  using RowSource::RowSource;

 private:
  RecordStream work(Step s) override {
    co_yield open_out(s);
    co_yield add_(out(s), x(s), y(s));
    if (x_.last_use(s.number)) co_yield x_.release(s.number);
    if (y_.last_use(s.number)) co_yield y_.release(s.number);
    push_store(s);
  }

  InstructionEmitter add_ = emitter(Opcode::TensorTensor, EngineKind::Vector, AluOp::Add);
};

/// Statistics per row: −maximum, sum, 1/sum, then one value per chunk.
class SoftmaxSource final : public RowSource {
 public:
  using RowSource::RowSource;

 private:
  static constexpr unsigned kMax = 0, kSum = 1, kInverse = 2, kParts = 3;

  RecordStream prepare(Step s) override {
    if (!resident()) co_return;
    co_yield maximum(s);
    co_yield exponential_sum(s);
  }

  RecordStream work(Step s) override {
    if (!resident() && s.pass == 0) co_yield maximum(s);
    if (!resident() && s.pass == 1) co_yield exponential_sum(s);
    if (last_pass(s)) co_yield scaled(s);
  }

  RecordStream maximum(Step s) {
    if (s.first && stat_.first_use(s.tile)) co_yield stat_.declare(s.tile);
    co_yield max_(stat(s, resident() ? kMax : kParts + s.chunk), x(s));
    if (resident()) co_return;
    if (x_.last_use(s.number)) co_yield x_.release(s.number);
    if (s.last) co_yield max_(stat(s, kMax), stat(s, kParts, static_cast<std::uint32_t>(plan_.chunks())));
  }

  RecordStream exponential_sum(Step s) {
    co_yield open_unused(s);
    co_yield exp_sum_(unused(s), x(s), stat(s, kMax), kAbsent, stat(s, resident() ? kSum : kParts + s.chunk));
    if (!resident() && junk_.last_use(s.output)) co_yield junk_.release(s.output);
    if (x_.last_use(s.number)) co_yield x_.release(s.number);
    if (!resident() && s.last) co_yield sum_(stat(s, kSum), stat(s, kParts, static_cast<std::uint32_t>(plan_.chunks())));
    if (!resident() && s.last) co_yield reciprocal_(stat(s, kInverse), stat(s, kSum));
  }

  RecordStream scaled(Step s) {
    if (!resident()) {
      co_yield open_out(s);
      co_yield exp_(out(s), x(s), stat(s, kMax));
      if (x_.last_use(s.number)) co_yield x_.release(s.number);
    }
    if (resident()) co_yield reciprocal_(stat(s, kInverse), stat(s, kSum));
    co_yield scale_(out(s), out(s), stat(s, kInverse));
    if (s.last && stat_.last_use(s.tile)) co_yield stat_.release(s.tile);
    push_store(s);
  }

  InstructionEmitter max_ = emitter(Opcode::TensorReduce, EngineKind::Vector, AluOp::Max);
  InstructionEmitter sum_ = emitter(Opcode::TensorReduce, EngineKind::Vector, AluOp::Add);
  InstructionEmitter exp_sum_ = activation(ActFn::Exp, true);
  InstructionEmitter exp_ = activation(ActFn::Exp, false);
  InstructionEmitter reciprocal_ = emitter(Opcode::Reciprocal, EngineKind::Vector);
  InstructionEmitter scale_ = emitter(Opcode::TensorScalar, EngineKind::Vector, AluOp::Multiply);
};

/// Statistics per row: sum of squares, 1/√mean, then one value per chunk.
class RmsNormSource final : public RowSource {
 public:
  using RowSource::RowSource;

 private:
  static constexpr unsigned kSquares = 0, kInverse = 1, kParts = 2;

  RecordStream work(Step s) override {
    if (s.pass == 0) co_yield squares(s);
    if (last_pass(s)) co_yield scaled(s);
  }

  RecordStream squares(Step s) {
    if (s.first && stat_.first_use(s.tile)) co_yield stat_.declare(s.tile);
    co_yield open_unused(s);
    co_yield square_(unused(s), x(s), kAbsent, kAbsent, stat(s, resident() ? kSquares : kParts + s.chunk));
    if (!resident() && junk_.last_use(s.output)) co_yield junk_.release(s.output);
    if (!resident() && x_.last_use(s.number)) co_yield x_.release(s.number);
    if (!resident() && s.last) co_yield sum_(stat(s, kSquares), stat(s, kParts, static_cast<std::uint32_t>(plan_.chunks())));
    if (s.last) co_yield rsqrt_(stat(s, kInverse), stat(s, kSquares));
  }

  RecordStream scaled(Step s) {
    const std::uint64_t use = resident() ? 0 : s.output;
    const bool gamma_done = resident() ? s.number + 1 == steps_ : gamma_.last_use(use);
    if (!resident()) co_yield open_out(s);
    co_yield scale_(out(s), x(s), gamma_.operand(use, s.rows, 0, s.columns), stat(s, kInverse));
    if (x_.last_use(s.number)) co_yield x_.release(s.number);
    if (gamma_done) co_yield gamma_.release(use);
    if (s.last && stat_.last_use(s.tile)) co_yield stat_.release(s.tile);
    push_store(s);
  }

  InstructionEmitter square_ = activation(ActFn::Square, true);
  InstructionEmitter sum_ = emitter(Opcode::TensorReduce, EngineKind::Vector, AluOp::Add);
  InstructionEmitter rsqrt_ = activation(ActFn::Rsqrt, false);
  InstructionEmitter scale_ = emitter(Opcode::ScalarTensorTensor, EngineKind::Vector, AluOp::Multiply, AluOp::Multiply);
};

/// Instructions of one program, in closed form.
std::uint64_t row_instructions(const RowKernel& kernel, const RowPlan& plan, std::uint64_t rows) {
  const std::uint64_t tiles = plan.tiles(rows), chunks = plan.chunks();
  if (kernel.second_input) return tiles * chunks * 4;
  if (kernel.gamma) return plan.passes == 1 ? tiles * 5 + 1 : tiles * (6 * chunks + 2);
  return plan.passes == 1 ? tiles * 6 : tiles * (8 * chunks + 3);
}

template <class Source>
Workload make_rows(const RowKernel& kernel, ParamReader& params, const ChipConfig& chip, unsigned cores) {
  const RowPlan plan = plan_rows(kernel, params, chip, cores);
  Workload workload;
  for (unsigned core = 0; core < cores; ++core) {
    ProgramInfo info;
    info.name = kernel.name;
    info.params = params.resolved();
    info.tensors = row_tensors(kernel, plan, core);
    info.flops = plan.slices[core] * plan.columns * kernel.flops;
    info.dtype = plan.dtype;
    info.instructions = row_instructions(kernel, plan, plan.slices[core]);
    workload.programs.push_back(
        std::make_unique<GeneratedProgram>(std::move(info), std::make_unique<Source>(kernel, plan, plan.slices[core])));
  }
  return workload;
}

std::vector<KernelParam> row_params(const std::string& dtype) {
  return {{"rows", "", "at least 1"}, {"cols", "", "1 to 16777216"}, {"dtype", dtype, "fp32 bf16 fp16"}, dma_queues_param("auto")};
}

std::string describe_vector_add(ParamReader& params, const ChipConfig& chip) {
  return describe_rows(kVectorAdd, plan_rows(kVectorAdd, params, chip, 1), chip,
                       "step:    sync: dma_copy x, y; vector: tensor_tensor add; sync: dma_copy out, behind the next loads\n");
}

std::string describe_softmax(ParamReader& params, const ChipConfig& chip) {
  const RowPlan plan = plan_rows(kSoftmax, params, chip, 1);
  const std::string steps = plan.passes == 1
                                ? "step:    sync: dma_copy x; vector: tensor_reduce max; scalar: activation exp with row sum;\n"
                                  "         vector: reciprocal, tensor_scalar; sync: dma_copy out, behind the next loads\n"
                                : "pass 1:  sync: dma_copy x; vector: tensor_reduce max\n"
                                  "pass 2:  sync: dma_copy x; scalar: activation exp with row sum; vector: tensor_reduce, reciprocal\n"
                                  "pass 3:  sync: dma_copy x; scalar: activation exp; vector: tensor_scalar; sync: dma_copy out\n";
  return describe_rows(kSoftmax, plan, chip, steps);
}

std::string describe_rmsnorm(ParamReader& params, const ChipConfig& chip) {
  const RowPlan plan = plan_rows(kRmsNorm, params, chip, 1);
  const std::string steps =
      plan.passes == 1 ? "once:    sync: dma_copy gamma into every partition\n"
                         "step:    sync: dma_copy x; scalar: activation square with row sum, rsqrt;\n"
                         "         vector: scalar_tensor_tensor x * rsqrt * gamma; sync: dma_copy out, behind the next loads\n"
                       : "pass 1:  sync: dma_copy x; scalar: activation square with row sum; vector: tensor_reduce; scalar: rsqrt\n"
                         "pass 2:  sync: dma_copy x, gamma; vector: scalar_tensor_tensor x * rsqrt * gamma; sync: dma_copy out\n";
  return describe_rows(kRmsNorm, plan, chip, steps);
}

}  // namespace

KernelDefinition vector_add_definition() {
  return {{"vector_add", "out = x + y, element by element", row_params("fp32")},
          [](ParamReader& p, const ChipConfig& c, unsigned n) { return make_rows<VectorAddSource>(kVectorAdd, p, c, n); },
          describe_vector_add};
}

KernelDefinition softmax_definition() {
  return {{"softmax", "Softmax of every row", row_params("bf16")},
          [](ParamReader& p, const ChipConfig& c, unsigned n) { return make_rows<SoftmaxSource>(kSoftmax, p, c, n); },
          describe_softmax};
}

KernelDefinition rmsnorm_definition() {
  return {{"rmsnorm", "Every row over its root mean square, times gamma", row_params("bf16")},
          [](ParamReader& p, const ChipConfig& c, unsigned n) { return make_rows<RmsNormSource>(kRmsNorm, p, c, n); },
          describe_rmsnorm};
}

}  // namespace trnsim::kernel
