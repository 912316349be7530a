// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/elementwise_timing.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

namespace trnsim {
namespace {

bool in_psum(const Operand& o) { return o.buffer == Buffer::Psum; }

bool long_inner_stride(const Operand& o, std::uint32_t limit_bytes) {
  if (o.free[o.rank - 1].count <= 1) return false;
  return static_cast<std::uint64_t>(std::abs(o.inner_stride())) * element_bytes(o.dtype) >= limit_bytes && o.inner_stride() != 1;
}

bool any_long_stride(const Instruction& i, std::uint32_t limit_bytes) {
  const auto rules = info(i.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (rules[k].streamed() && i.operands[k].present() && long_inner_stride(i.operands[k], limit_bytes)) return true;
  }
  return false;
}

Use use_of(const Instruction& i, Generation generation, bool fp8_is_short) {
  Use use{&i, generation, true, true, true, 0, false, 1};
  const auto rules = info(i.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const Operand& o = i.operands[k];
    if (!rules[k].streamed() || !o.present()) continue;
    use.short_types = use.short_types && (is_16bit_float(o.dtype) || (fp8_is_short && is_fp8(o.dtype)));
    use.all_bf16 = use.all_bf16 && o.dtype == DType::Bf16;
    use.contiguous = use.contiguous && o.contiguous_inner();
    use.psum_sides += in_psum(o) ? 1 : 0;
    use.psum_input = use.psum_input || (in_psum(o) && !rules[k].written);
    use.columns = std::max(use.columns, o.columns());
  }
  return use;
}

const CostRule* chosen_rule(EngineKind engine, const Use& use) {
  for (const CostRule& rule : cost_rules(engine, use.instruction->op)) {
    if (rule.when == nullptr || rule.when(use)) return &rule;
  }
  return nullptr;
}

/// Whether a second step reads an accumulator out.
bool reads_out(const Instruction& i) {
  return (i.op == Opcode::TensorScalarReduce || i.op == Opcode::SelectReduce || i.op == Opcode::Exponential) &&
         i.find(Role::ReduceRes) != nullptr;
}

/// The numbers that rules of one engine charge, as factors.
template <class Config>
ChargeFactors factors_of(EngineKind engine, const Config& config) {
  ChargeFactors factors;
  factors.fill(Factor(1));
  const auto set = [&](std::string_view key, const auto& value, const auto& field) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      for (std::size_t c = 1; c < kChargeCount; ++c) {
        const std::string_view path = path_of(static_cast<Charge>(c));
        if (path.size() == key.size() + name_of(engine).size() + 1 && path.starts_with(name_of(engine)) && path.ends_with(key))
          factors[c] = Factor(field.unit == "x" ? 1 / static_cast<double>(value) : static_cast<double>(value));
      }
    }
  };
  Config::describe(set, config);
  return factors;
}

}  // namespace

Factor::Factor(double value) : scaled_(static_cast<std::uint64_t>(std::ceil(value * static_cast<double>(kOne) - 1e-9))) {}

std::uint64_t streamed_columns(const Instruction& instruction) { return use_of(instruction, Generation::V3, false).columns; }

unsigned scalar_operands(const Instruction& instruction) {
  const auto rules = info(instruction.op).operands;
  unsigned count = 0;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (rules[k].fetched() && instruction.operands[k].present()) ++count;
  }
  return count;
}

VectorTiming::VectorTiming(const VectorConfig& config, Generation generation)
    : config_(config), generation_(generation), factors_(factors_of(EngineKind::Vector, config)), penalty_(config.stride_penalty) {}

EngineCost VectorTiming::cost(const Instruction& i) const {
  const Use use = use_of(i, generation_, config_.fast_mode_fp8);
  const CostRule* rule = chosen_rule(EngineKind::Vector, use);
  const bool strided = config_.stride_penalty > 1 && any_long_stride(i, config_.stride_penalty_bytes);
  const std::uint64_t extra =
      std::uint64_t{scalar_operands(i)} * config_.operand_read_cycles + (reads_out(i) ? config_.min_interval_cycles : 0);
  const std::uint32_t pipe = i.op == Opcode::Memset ? config_.memset_latency_cycles : config_.pipe_latency_cycles;
  const std::uint32_t floor = i.dynamic_address ? config_.dynamic_interval_cycles : config_.min_interval_cycles;
  const auto durations = [&](std::uint64_t work) {
    if (strided) work = penalty_.times(work);
    work += extra;
    const Cycles interval{std::max<std::uint64_t>(floor, work + config_.issue_overhead_cycles)};
    return std::tuple{interval, interval - Cycles{work}, Cycles{work + pipe}};
  };
  EngineCost cost;
  cost.charge = rule == nullptr ? Charge::None : rule->charge;
  cost.operand_reads = static_cast<std::uint8_t>(scalar_operands(i));
  std::tie(cost.interval, cost.issue, cost.latency) = durations(rule == nullptr ? use.columns : work(*rule, use));
  cost.floored = cost.interval == Cycles{floor};
  // What is faster than an element per cycle in SBUF uses the bus shared with GpSimd.
  const bool mode = rule != nullptr && (rule->per_cycle || rule->charge == Charge::VectorTwoInput16);
  cost.fast = mode && factor(rule->charge).faster_than_one();
  if (cost.fast) std::tie(cost.slow_interval, cost.slow_issue, cost.slow_latency) = durations(use.columns);
  return cost;
}

std::uint64_t VectorTiming::work(const CostRule& rule, const Use& use) const {
  switch (rule.formula) {
    case Formula::Fixed: return factor(rule.charge).times(1);
    case Formula::Triples: return ceil_div(factor(rule.charge).times(use.columns), 3);
    default: return factor(rule.charge).times(use.columns);
  }
}

ScalarTiming::ScalarTiming(const ScalarConfig& config)
    : config_(config),
      factors_(factors_of(EngineKind::Scalar, config)),
      penalty_(config.stride_penalty),
      table_load_(from_ns(config.table_load_ns)) {}

EngineCost ScalarTiming::cost(const Instruction& i) const {
  const Use use = use_of(i, Generation::V3, false);
  const CostRule* rule = chosen_rule(EngineKind::Scalar, use);
  std::uint64_t work = rule == nullptr ? use.columns : factors_[static_cast<std::size_t>(rule->charge)].times(use.columns);
  if (config_.stride_penalty > 1 && any_long_stride(i, config_.stride_penalty_bytes)) work = penalty_.times(work);
  std::uint64_t pipe = in_psum(i.operands[1]) ? config_.pipe_latency_psum_cycles : config_.pipe_latency_cycles;
  pipe += std::uint64_t{scalar_operands(i)} * config_.operand_read_cycles;
  const std::uint32_t floor = i.dynamic_address ? config_.dynamic_interval_cycles : config_.min_interval_cycles;
  EngineCost cost;
  cost.charge = rule == nullptr ? Charge::None : rule->charge;
  cost.floored = work < floor;
  cost.operand_reads = static_cast<std::uint8_t>(scalar_operands(i));
  cost.interval = Cycles{std::max<std::uint64_t>(floor, work) + config_.issue_overhead_cycles};
  cost.issue = cost.interval - Cycles{work};
  cost.latency = Cycles{work + pipe};
  if (i.reduce || i.op == Opcode::ActivationReduce) {  // a second instruction reads the accumulator out
    cost.read_out = true;
    cost.latency = Cycles{cost.interval.value + std::max<std::uint64_t>(pipe, config_.accumulator_read_latency_cycles)};
    cost.interval += Cycles{config_.accumulator_read_interval_cycles};
  }
  return cost;
}

GpSimdTiming::GpSimdTiming(const GpSimdConfig& config) : config_(config), factors_(factors_of(EngineKind::GpSimd, config)) {
  if (config.dma_gb_per_s > 0) factors_[static_cast<std::size_t>(Charge::GpSimdDma)] = Factor(config.dma_gb_per_s / config.clock_ghz);
}

EngineCost GpSimdTiming::cost(const Instruction& i) const {
  const Use use = use_of(i, Generation::V3, false);
  const CostRule* rule = chosen_rule(EngineKind::GpSimd, use);
  const std::uint64_t cycles = rule == nullptr ? config_.start_cycles + use.columns : work(*rule, use);
  EngineCost cost;
  cost.charge = rule == nullptr ? Charge::None : rule->charge;
  cost.interval = Cycles{i.dynamic_address ? std::max<std::uint64_t>(cycles, config_.dynamic_interval_cycles) : cycles};
  cost.latency = Cycles{cycles + config_.pipe_latency_cycles};
  return cost;
}

std::uint64_t GpSimdTiming::work(const CostRule& rule, const Use& use) const {
  constexpr std::uint64_t kChunk = 512, kLanes = 16;
  const Factor& c = factors_[static_cast<std::size_t>(rule.charge)];
  const std::uint64_t start = config_.start_cycles;
  const Operand &dst = use.instruction->operands[0], &data = use.instruction->operands[1];
  switch (rule.formula) {
    case Formula::Fixed: return start + c.times(1);
    case Formula::Overlapped: return std::max(start, c.times(use.columns));
    case Formula::TwiceStarted: return 2 * start + c.times(use.columns);
    case Formula::Chunked: return start * ceil_div(use.columns, kChunk) + c.times(use.columns);
    case Formula::SixteenLanes: return c.times(data.columns() * kLanes) + dst.columns() * std::min<std::uint64_t>(kLanes, dst.partitions);
    case Formula::LocalGather: return start + local_gather(*use.instruction);
    case Formula::Volume: return start + c.divided(data.bytes());
    default: return start + c.times(use.columns);
  }
}

/// Indices of a core's 16 partitions, each with a set-up and a run of elements; short types and long
/// runs go several elements at a time.
std::uint64_t GpSimdTiming::local_gather(const Instruction& i) const {
  constexpr std::uint64_t kLanes = 16, kWord = 4;
  const std::uint64_t indices = std::max<std::uint64_t>(1, i.operands[2].columns() * kLanes);
  const std::uint64_t each = std::max<std::uint64_t>(1, i.operands[0].columns() / indices);
  const std::uint64_t parallel = std::max<std::uint64_t>(1, std::min<std::uint64_t>(kWord / element_bytes(i.operands[1].dtype), each));
  const double cycles = (config_.local_gather_setup + config_.local_gather * static_cast<double>(each)) / config_.local_gather;
  return ceil_div(Factor(cycles).times(indices), parallel);
}

}  // namespace trnsim
