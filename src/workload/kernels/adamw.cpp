// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workload/generator.hpp"
#include "workload/kernels/emit.hpp"
#include "workload/kernels/kernel.hpp"

namespace trnsim::kernel {
namespace {

constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 32, kMaxColumns = std::uint64_t{1} << 24;
constexpr std::uint64_t kWidth = 2048;  ///< Columns of a tile: 8 KiB of FP32 saturate the DMA engines.
constexpr std::uint32_t kMaxPartitions = 128;
/// Per element: moment 3, second moment 4, root with bias correction 2, epsilon and quotient 2, decay, rate, difference.
constexpr unsigned kFlops = 14;

/// Elements in one row, cut into tiles [partitions, width]; what is left over comes as [partitions, less], then [1, rest].
struct AdamWPlan {
  std::uint64_t rows = 1, columns = 1;
  DType dtype = DType::Fp32;
  unsigned queues = 1;
  std::uint32_t partitions = 128;
  std::uint64_t width = kWidth;
  std::uint64_t depth = 3;            ///< Tiles of each tensor: loaded, updated in place, stored.
  std::vector<std::uint64_t> slices;  ///< Elements per core.
  std::vector<BufferSpec> buffers;

  [[nodiscard]] std::uint64_t elements() const { return rows * columns; }
  [[nodiscard]] std::uint64_t per_tile() const { return partitions * width; }
  [[nodiscard]] std::uint64_t steps(std::uint64_t of_elements) const {
    const std::uint64_t rest = of_elements % per_tile();
    return of_elements / per_tile() + (rest >= partitions ? 1 : 0) + (rest % partitions != 0 ? 1 : 0);
  }
};

bool fits(AdamWPlan& plan, const ChipConfig& chip) {
  const std::uint64_t steps = plan.steps(plan.elements());
  const auto buffer = [&](const std::string& name, DType dtype, std::uint64_t columns, std::uint64_t count) {
    return BufferSpec{name,
                      Buffer::Sbuf,
                      dtype,
                      fmt::format("[{}, {}]", plan.partitions, columns),
                      plan.partitions,
                      tile_bytes(columns * element_bytes(dtype)),
                      count};
  };
  const std::uint64_t wide = std::max<std::uint64_t>(plan.width, plan.partitions - 1);  // the rest is one row
  const std::uint64_t inputs = std::min(plan.depth, steps), work = std::min<std::uint64_t>(plan.depth > 1 ? 2 : 1, steps);
  plan.buffers = {buffer("p", plan.dtype, wide, inputs),    buffer("g", plan.dtype, wide, inputs),
                  buffer("m", DType::Fp32, wide, inputs),   buffer("v", DType::Fp32, wide, inputs),
                  buffer("first", DType::Fp32, wide, work), buffer("second", DType::Fp32, wide, work),
                  buffer("epsilon", DType::Fp32, 1, 1)};
  return footprint(plan.buffers, Buffer::Sbuf) <= chip.sbuf_bytes_per_partition();
}

void choose_width(AdamWPlan& plan, const ChipConfig& chip) {
  for (std::uint64_t width = kWidth; width >= 64; width /= 2) {
    plan.width = std::min(width, ceil_div(plan.elements(), plan.partitions));
    for (plan.depth = 4; plan.depth >= 3; --plan.depth) {
      if (fits(plan, chip)) return;
    }
  }
  for (plan.depth = 2; plan.depth >= 1; --plan.depth) {
    if (fits(plan, chip)) return;
  }
  check_capacity("adamw", plan.buffers, chip);
}

TensorInfo tensor(const std::string& name, TensorUse use, DType dtype, std::uint64_t elements) {
  TensorInfo t;
  t.name = name;
  t.use = use;
  t.dtype = dtype;
  t.shape = {elements};
  return t;
}

std::vector<TensorInfo> adamw_tensors(const AdamWPlan& plan, unsigned core) {
  const bool whole = core >= plan.slices.size();
  const std::uint64_t n = whole ? plan.elements() : plan.slices[core];
  const std::string slice = whole || plan.slices.size() == 1 ? "" : fmt::format(".{}", core);
  std::vector<TensorInfo> tensors;
  for (const auto* name : {"p", "g", "m", "v"})
    tensors.push_back(tensor(name + slice, TensorUse::Input, tensors.size() < 2 ? plan.dtype : DType::Fp32, n));
  tensors.push_back(tensor("p_new" + slice, TensorUse::Output, plan.dtype, n));
  tensors.push_back(tensor("m_new" + slice, TensorUse::Output, DType::Fp32, n));
  tensors.push_back(tensor("v_new" + slice, TensorUse::Output, DType::Fp32, n));
  return tensors;
}

AdamWPlan plan_adamw(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  AdamWPlan plan;
  plan.rows = params.integer("rows", 1, kMaxRows);
  plan.columns = params.integer("cols", 1, kMaxColumns);
  plan.dtype = params.dtype("dtype", {DType::Fp32, DType::Bf16, DType::Fp16});
  plan.queues = dma_queues(params, chip);
  plan.partitions = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::min(kMaxPartitions, chip.sbuf.partitions), plan.elements()));
  plan.slices = split(params, plan.elements(), plan.partitions * kWidth, cores, "elements");
  params.check();
  choose_width(plan, chip);
  check_hbm("adamw", adamw_tensors(plan, cores), chip);
  return plan;
}

/// m = β1·m + (1−β1)·g; v = β2·v + (1−β2)·g²; p = (1−λη)·p − η'·m / (√v' + ε), tile by tile, in place.
///
/// Scalar: (1−β1)·g, (1−β2)·g², the root and the reciprocal, whose scale holds η' and the bias corrections.
/// Vector: three scalar_tensor_tensor. GpSimd: the product of m and the reciprocal.
class AdamWSource final : public RecordSource {
 public:
  AdamWSource(const AdamWPlan& plan, std::uint64_t elements)
      : plan_(plan), elements_(elements), steps_(plan.steps(elements)), copies_(plan.queues) {
    const std::array<std::uint64_t, 7> uses{steps_, steps_, steps_, steps_, steps_, steps_, 1};
    TensorId next = kOut + 3;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      rings_[i] = TileRing(plan.buffers[i], next, uses[i]);
      next += static_cast<TensorId>(plan.buffers[i].count);
    }
  }

  RecordStream records() override {
    const std::uint64_t tiles = rings_[kP].count(), ahead = tiles >= 3 ? tiles - 2 : tiles - 1;
    for (std::uint64_t loaded = 0, moved = 0, number = 0; number < steps_; ++number) {
      for (; loaded < steps_ && loaded <= number + ahead; ++loaded) co_yield load(step_at(loaded));
      if (number == 0) co_yield rings_[kEpsilon].declare(0);
      if (number == 0) co_yield fill_(rings_[kEpsilon].operand(0, plan_.partitions, 0, 1));
      // The moments of a tile a step ahead where it is there, so that no engine waits for the chain of one tile.
      for (; moved < loaded && moved <= number + 1; ++moved) co_yield moments(step_at(moved));
      co_yield update(step_at(number));
    }
    while (!stores_.empty()) co_yield store_next();
  }

  RecordStream summary() override {
    co_yield fill_(rings_[kEpsilon].operand(0, plan_.partitions, 0, 1));
    const std::uint64_t whole = elements_ / plan_.per_tile();
    std::vector<Alike> classes = alike(whole);
    for (std::uint64_t number = whole; number < steps_; ++number) classes.push_back({number, 1});
    for (const Alike number : classes) {
      const Step step = step_at(number.first);
      weight_ = number.count;
      co_yield load(step);
      co_yield moments(step);
      co_yield update(step);
      while (!stores_.empty()) co_yield store_next();
    }
  }
  [[nodiscard]] unsigned rings() const override { return copies_.rings(); }

 private:
  static constexpr unsigned kP = 0, kG = 1, kM = 2, kV = 3, kFirst = 4, kSecond = 5, kEpsilon = 6;
  static constexpr TensorId kOut = 4;  ///< p, m, v.

  struct Step {
    std::uint64_t number = 0, element = 0;
    std::uint32_t partitions = 0, columns = 0;
  };

  [[nodiscard]] Step step_at(std::uint64_t number) const {
    Step s;
    s.number = number;
    s.element = number * plan_.per_tile();
    s.partitions = plan_.partitions;
    s.columns = static_cast<std::uint32_t>(plan_.width);
    const std::uint64_t whole = elements_ / plan_.per_tile(), rest = elements_ % plan_.per_tile();
    if (number < whole) return s;
    s.element = whole * plan_.per_tile();
    s.columns = static_cast<std::uint32_t>(rest / plan_.partitions);
    if (number == whole && s.columns > 0) return s;
    s.element += s.columns * std::uint64_t{plan_.partitions};
    s.partitions = 1;
    s.columns = static_cast<std::uint32_t>(rest % plan_.partitions);
    return s;
  }

  [[nodiscard]] Operand tile(unsigned which, const Step& s) const { return rings_[which].operand(s.number, s.partitions, 0, s.columns); }
  [[nodiscard]] Operand hbm(TensorId tensor, const Step& s, DType dtype) const {
    const std::uint64_t bytes = element_bytes(dtype);
    return hbm_operand(tensor, dtype, s.partitions, s.element * bytes, s.columns * bytes, s.columns);
  }

  RecordStream load(Step s) {
    while (stores_.blocks(s.number, rings_[kP].count())) co_yield store_next();
    for (const unsigned which : {kG, kM, kV, kP}) {
      if (rings_[which].first_use(s.number)) co_yield rings_[which].declare(s.number);
      const Operand to = tile(which, s);
      co_yield copies_.copy(to, hbm(which, s, to.dtype));
    }
  }

  RecordStream moments(Step s) {
    const std::uint64_t n = s.number;
    const Operand g = tile(kG, s), m = tile(kM, s), v = tile(kV, s), a = tile(kFirst, s), b = tile(kSecond, s);
    if (rings_[kFirst].first_use(n)) co_yield rings_[kFirst].declare(n);
    co_yield scaled_(a, g);
    if (rings_[kSecond].first_use(n)) co_yield rings_[kSecond].declare(n);
    co_yield square_(b, g);
    if (rings_[kG].last_use(n)) co_yield rings_[kG].release(n);
    co_yield sum_(m, m, a);
    co_yield sum_(v, v, b);
  }

  RecordStream update(Step s) {
    const std::uint64_t n = s.number;
    const Operand p = tile(kP, s), m = tile(kM, s), v = tile(kV, s), a = tile(kFirst, s), b = tile(kSecond, s);
    co_yield root_(b, v);
    co_yield inverse_(b, b, rings_[kEpsilon].operand(0, s.partitions, 0, 1));
    if (n + 1 == steps_) co_yield rings_[kEpsilon].release(0);
    co_yield product_(a, m, b);
    if (rings_[kSecond].last_use(n)) co_yield rings_[kSecond].release(n);
    co_yield difference_(p, p, a);
    if (rings_[kFirst].last_use(n)) co_yield rings_[kFirst].release(n);
    stores_.push(hbm(kOut + 1, s, DType::Fp32), m, n, copies_.count());
    stores_.push(hbm(kOut + 2, s, DType::Fp32), v, n, copies_.count());
    stores_.push(hbm(kOut, s, plan_.dtype), p, n, copies_.count());
  }

  RecordStream store_next() {
    const StoreQueue::Store store = stores_.pop();
    co_yield copies_.copy(store.dst, store.src);
    for (const unsigned which : {kP, kM, kV}) {
      if (rings_[which].id(store.use) == store.src.tensor && rings_[which].last_use(store.use)) co_yield rings_[which].release(store.use);
    }
  }

  static InstructionEmitter scalar(ActFn function) {
    InstructionEmitter e(Opcode::Activation, EngineKind::Scalar);
    e.fields().function = function;
    return e;
  }
  static InstructionEmitter vector(AluOp alu1) {
    InstructionEmitter e(Opcode::ScalarTensorTensor, EngineKind::Vector);
    e.fields().alu0 = AluOp::Multiply;
    e.fields().alu1 = alu1;
    return e;
  }
  static InstructionEmitter on_gpsimd(Opcode op, AluOp alu0) {
    InstructionEmitter e(op, EngineKind::GpSimd);
    e.fields().alu0 = alu0;
    return e;
  }

  AdamWPlan plan_;
  std::uint64_t elements_, steps_;
  std::array<TileRing, 7> rings_;
  StoreQueue stores_{0};
  CopyEmitter copies_;
  InstructionEmitter scaled_ = scalar(ActFn::Copy), square_ = scalar(ActFn::Square);
  InstructionEmitter root_ = scalar(ActFn::Sqrt), inverse_ = scalar(ActFn::Reciprocal);
  InstructionEmitter sum_ = vector(AluOp::Add), difference_ = vector(AluOp::Subtract);
  InstructionEmitter product_ = on_gpsimd(Opcode::TensorTensor, AluOp::Multiply), fill_ = on_gpsimd(Opcode::Memset, AluOp::Bypass);
};

Workload make_adamw(ParamReader& params, const ChipConfig& chip, unsigned cores) {
  const AdamWPlan plan = plan_adamw(params, chip, cores);
  Workload workload;
  for (unsigned core = 0; core < cores; ++core) {
    ProgramInfo info;
    info.name = "adamw";
    info.params = params.resolved();
    info.tensors = adamw_tensors(plan, core);
    info.flops = plan.slices[core] * kFlops;
    info.dtype = plan.dtype;
    info.instructions = plan.steps(plan.slices[core]) * 15 + 1;  // four loads, eight instructions, three stores; epsilon once
    workload.programs.push_back(
        std::make_unique<GeneratedProgram>(std::move(info), std::make_unique<AdamWSource>(plan, plan.slices[core])));
  }
  return workload;
}

std::string describe_adamw(ParamReader& params, const ChipConfig& chip) {
  const AdamWPlan plan = plan_adamw(params, chip, 1);
  std::string text =
      fmt::format("adamw of {} x {} elements, {} with FP32 moments, on {}\n", plan.rows, plan.columns, name_of(plan.dtype), chip.name);
  text +=
      fmt::format("loops:   elements ({} tiles of [{}, {}]), updated in place\n", plan.steps(plan.elements()), plan.partitions, plan.width);
  text +=
      "once:    gpsimd: memset epsilon\n"
      "step:    sync: dma_copy g, m, v, p; scalar: activation copy and square of g; vector: scalar_tensor_tensor m, v;\n"
      "         scalar: activation sqrt, reciprocal; gpsimd: tensor_tensor m times reciprocal;\n"
      "         vector: scalar_tensor_tensor p; sync: dma_copy m, v, p, before the load that takes their tiles next\n";
  return text + describe_buffers(plan.buffers, chip);
}

}  // namespace

KernelDefinition adamw_definition() {
  return {{"adamw",
           "One step of AdamW: parameters, gradient and two FP32 moments in, parameters and moments out",
           {{"rows", "", "at least 1"},
            {"cols", "", "1 to 16777216"},
            {"dtype", "fp32", "of parameters and gradient: fp32 bf16 fp16"},
            dma_queues_param("auto")}},
          make_adamw,
          describe_adamw};
}

}  // namespace trnsim::kernel
