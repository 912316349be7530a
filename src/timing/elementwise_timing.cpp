// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/elementwise_timing.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace trnsim {
namespace {

const Operand& dst(const Instruction& i) { return i.operands[0]; }
const Operand& data(const Instruction& i) { return i.operands[1]; }
const Operand& data2(const Instruction& i) { return i.operands[2]; }

bool in_psum(const Operand& o) { return o.buffer == Buffer::Psum; }

bool long_inner_stride(const Operand& o, std::uint32_t limit_bytes) {
  if (o.free[o.rank - 1].count <= 1) return false;
  return static_cast<std::uint64_t>(std::abs(o.inner_stride())) * element_bytes(o.dtype) >= limit_bytes && o.inner_stride() != 1;
}

bool any_long_stride(const Instruction& i, std::uint32_t limit_bytes) {
  const auto rules = info(i.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (rules[k].streamed && i.operands[k].present() && long_inner_stride(i.operands[k], limit_bytes)) return true;
  }
  return false;
}

}  // namespace

Factor::Factor(double value) : scaled_(static_cast<std::uint64_t>(std::ceil(value * static_cast<double>(kOne) - 1e-9))) {}

std::uint64_t streamed_columns(const Instruction& instruction) {
  const auto rules = info(instruction.op).operands;
  std::uint64_t columns = 1;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (rules[k].streamed && instruction.operands[k].present()) columns = std::max(columns, instruction.operands[k].columns());
  }
  return columns;
}

unsigned scalar_operands(const Instruction& instruction) {
  const auto rules = info(instruction.op).operands;
  unsigned count = 0;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (!rules[k].streamed && rules[k].role != Role::ReduceRes && instruction.operands[k].present()) ++count;
  }
  return count;
}

VectorTiming::VectorTiming(const VectorConfig& config)
    : config_(config),
      one_(1),
      copy16_(1 / config.fast_mode_16bit),
      copy_strided_(1 / config.fast_mode_strided),
      copy_psum_(1 / config.fast_mode_psum),
      copy_other_(1 / config.fast_mode_other),
      tt_sbuf_(config.tensor_tensor_sbuf),
      tt_16_(config.tensor_tensor_16bit),
      reduce16_(config.reduce_16bit),
      memset16_(config.memset_16bit),
      reciprocal_(config.reciprocal),
      exponential_(config.exponential),
      penalty_(config.stride_penalty) {}

bool VectorTiming::short_type(DType t) const { return is_16bit_float(t) || (config_.fast_mode_fp8 && is_fp8(t)); }

VectorTiming::Rate VectorTiming::copy_rate(const Instruction& i) const {
  const bool short_types = short_type(dst(i).dtype) && short_type(data(i).dtype);
  const bool contiguous = dst(i).contiguous_inner() && data(i).contiguous_inner();
  const int psum_sides = int{in_psum(dst(i))} + int{in_psum(data(i))};
  if (psum_sides == 0 && short_types) {
    return contiguous ? Rate{copy16_, config_.fast_mode_16bit > 1} : Rate{copy_strided_, config_.fast_mode_strided > 1};
  }
  if (psum_sides == 0) return {copy_other_, config_.fast_mode_other > 1};
  if (psum_sides == 1 && short_types && contiguous) return {copy_psum_, config_.fast_mode_psum > 1};
  return {one_, false};
}

VectorTiming::Rate VectorTiming::two_input_rate(const Instruction& i) const {
  if (in_psum(data(i)) || in_psum(data2(i))) return {one_, false};  // one input per port
  const bool short_types = short_type(dst(i).dtype) && short_type(data(i).dtype) && short_type(data2(i).dtype);
  return short_types ? Rate{tt_16_, config_.tensor_tensor_16bit < 1} : Rate{tt_sbuf_, false};
}

VectorTiming::Rate VectorTiming::rate(const Instruction& i) const {
  switch (i.op) {
    case Opcode::TensorCopy:
    case Opcode::TensorScalar: return copy_rate(i);
    case Opcode::TensorTensor:
    case Opcode::ScalarTensorTensor:
    case Opcode::TensorCopyPredicated: return two_input_rate(i);
    case Opcode::TensorTensorScan: return {Factor(2), false};
    case Opcode::TensorReduce: {
      const bool adds = i.alu0 == AluOp::Add || i.alu0 == AluOp::Max;
      return {adds && short_type(dst(i).dtype) && short_type(data(i).dtype) ? reduce16_ : one_, false};
    }
    case Opcode::Memset: return {short_type(dst(i).dtype) ? memset16_ : one_, false};
    case Opcode::Reciprocal: return {reciprocal_, false};
    case Opcode::Exponential: return {exponential_, false};
    case Opcode::BnAggr: return {Factor(13.0 / 3.0), false};
    default: return {one_, false};
  }
}

EngineCost VectorTiming::cost(const Instruction& i) const {
  const std::uint64_t columns = streamed_columns(i);
  const bool strided = config_.stride_penalty > 1 && any_long_stride(i, config_.stride_penalty_bytes);
  const std::uint64_t extra = std::uint64_t{scalar_operands(i)} * config_.operand_read_cycles +
                              (i.op == Opcode::TensorScalarReduce ? config_.min_interval_cycles : 0);
  const std::uint32_t pipe = i.op == Opcode::Memset ? config_.memset_latency_cycles : config_.pipe_latency_cycles;
  const std::uint32_t floor = i.dynamic_address ? config_.dynamic_interval_cycles : config_.min_interval_cycles;
  const auto durations = [&](const Factor& per_element) {
    std::uint64_t work = per_element.times(columns);
    if (strided) work = penalty_.times(work);
    work += extra;
    const Cycles interval{std::max<std::uint64_t>(floor, work + config_.issue_overhead_cycles)};
    return std::tuple{interval, interval - Cycles{work}, Cycles{work + pipe}};
  };
  const Rate chosen = rate(i);
  EngineCost cost;
  std::tie(cost.interval, cost.issue, cost.latency) = durations(chosen.per_element);
  cost.fast = chosen.fast;
  if (chosen.fast) std::tie(cost.slow_interval, cost.slow_issue, cost.slow_latency) = durations(one_);
  return cost;
}

ScalarTiming::ScalarTiming(const ScalarConfig& config)
    : config_(config), copy16_(1 / config.fast_mode_16bit), penalty_(config.stride_penalty), table_load_(from_ns(config.table_load_ns)) {}

EngineCost ScalarTiming::cost(const Instruction& i) const {
  const bool copies = i.op == Opcode::TensorCopy || i.op == Opcode::TensorScalar;
  const bool short_types = is_16bit_float(dst(i).dtype) && is_16bit_float(data(i).dtype);
  std::uint64_t work = streamed_columns(i);
  if (copies && short_types) work = copy16_.times(work);
  if (config_.stride_penalty > 1 && any_long_stride(i, config_.stride_penalty_bytes)) work = penalty_.times(work);
  std::uint64_t pipe = in_psum(data(i)) ? config_.pipe_latency_psum_cycles : config_.pipe_latency_cycles;
  pipe += std::uint64_t{scalar_operands(i)} * config_.operand_read_cycles;
  const std::uint32_t floor = i.dynamic_address ? config_.dynamic_interval_cycles : config_.min_interval_cycles;
  EngineCost cost;
  cost.interval = Cycles{std::max<std::uint64_t>(floor, work) + config_.issue_overhead_cycles};
  cost.issue = cost.interval - Cycles{work};
  cost.latency = Cycles{work + pipe};
  if (i.reduce || i.op == Opcode::ActivationReduce) {  // a second instruction reads the accumulator out
    cost.latency = Cycles{cost.interval.value + std::max<std::uint64_t>(pipe, config_.accumulator_read_latency_cycles)};
    cost.interval += Cycles{config_.accumulator_read_interval_cycles};
  }
  return cost;
}

GpSimdTiming::GpSimdTiming(const GpSimdConfig& config)
    : config_(config),
      one_(config.elementwise),
      two_input_(config.two_input),
      transcendental_(config.transcendental),
      power_(config.power) {}

EngineCost GpSimdTiming::cost(const Instruction& i) const {
  const std::uint64_t n = streamed_columns(i);
  std::uint64_t cycles = 0;
  switch (i.op) {
    case Opcode::TensorCopy: cycles = std::max<std::uint64_t>(config_.start_cycles, one_.times(n)); break;
    case Opcode::TensorTensor: cycles = config_.start_cycles + (i.alu0 == AluOp::Power ? power_ : two_input_).times(n); break;
    case Opcode::TensorScalar: cycles = config_.start_cycles + (i.alu0 == AluOp::Rsqrt ? transcendental_ : one_).times(n); break;
    default: cycles = config_.start_cycles + one_.times(n); break;
  }
  EngineCost cost;
  cost.interval = Cycles{cycles};
  cost.latency = Cycles{cycles + config_.pipe_latency_cycles};
  return cost;
}

}  // namespace trnsim
