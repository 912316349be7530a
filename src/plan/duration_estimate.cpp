// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/duration_estimate.hpp"

#include <algorithm>

namespace trnsim {
namespace {

std::uint64_t period_fs(double ghz) { return static_cast<std::uint64_t>(1e6 / ghz); }

std::uint64_t ring_of(const Instruction& instruction) { return instruction.ring == kDefaultRing ? 0 : instruction.ring; }

}  // namespace

DurationEstimate::DurationEstimate(const ChipConfig& config)
    : array_(config.tensor),
      vector_(config.vector),
      scalar_(config.scalar),
      gpsimd_(config.gpsimd),
      dma_(config.dma),
      engines_(config.dma.engines_per_ring()),
      sets_(std::min<std::uint32_t>(config.dma.rings_for_all_engines(), kRings)),
      hop_(from_ns(config.sequencer.semaphore_hop_ns).value) {
  cycle_ = {period_fs(config.tensor.clock_ghz), period_fs(config.vector.clock_ghz), period_fs(config.scalar.clock_ghz),
            period_fs(config.gpsimd.clock_ghz), period_fs(config.sequencer.base_clock_ghz)};
}

std::uint64_t DurationEstimate::start(const Instruction& instruction, std::uint64_t ready) const {
  return std::max(ready, free_[static_cast<std::size_t>(instruction.engine)]);
}

std::uint64_t DurationEstimate::run(const Instruction& instruction, std::uint64_t ready) {
  const auto engine = static_cast<std::size_t>(instruction.engine);
  const std::uint64_t begin = start(instruction, ready);
  now_ = std::max(now_, begin);
  if (is_dma(instruction.op)) return copy(instruction, begin);
  const Cost needed = cost(instruction);
  free_[engine] = begin + needed.interval * cycle_[engine];
  return begin + needed.latency * cycle_[engine] + hop_;
}

DurationEstimate::Cost DurationEstimate::cost(const Instruction& instruction) const {
  EngineCost cost;
  switch (instruction.engine) {
    case EngineKind::Tensor: return array_cost(instruction);
    case EngineKind::Vector: cost = vector_.cost(instruction); break;
    case EngineKind::Scalar: cost = scalar_.cost(instruction); break;
    case EngineKind::GpSimd:
    case EngineKind::Sync: cost = gpsimd_.cost(instruction); break;
  }
  return {cost.interval.value, cost.latency.value};
}

DurationEstimate::Cost DurationEstimate::array_cost(const Instruction& instruction) const {
  MatmulShape shape;
  const Operand& stationary = instruction.operands[1];
  const Operand* moving = instruction.find(Role::Moving);
  const std::uint32_t halves = instruction.perf_mode == PerfMode::DoubleRow ? 2 : 1;
  shape.rows = stationary.partitions;
  shape.stationary = static_cast<std::uint32_t>(stationary.columns()) / halves;
  shape.moving = moving != nullptr ? static_cast<std::uint32_t>(moving->columns()) / halves : stationary.partitions;
  shape.dtype = moving != nullptr && moving->dtype == DType::Fp32 ? DType::Fp32 : stationary.dtype;
  shape.double_row = halves == 2;
  shape.transpose = instruction.transpose || moving == nullptr;
  shape.onezero = instruction.onezero;
  return {array_.interval(shape).value, array_.latency(shape).value};
}

std::uint64_t DurationEstimate::copy(const Instruction& instruction, std::uint64_t start) {
  const auto engine = static_cast<std::size_t>(instruction.engine);
  const DgeMode mode = dma_.resolve(instruction.dge);
  const bool from_hbm = instruction.operands[1].buffer == Buffer::Hbm, to_hbm = instruction.operands[0].buffer == Buffer::Hbm;
  free_[engine] = start + dma_.trigger(mode).value;
  std::uint64_t& ring = rings_[engine][ring_of(instruction) % kRings];
  const std::uint64_t front = std::max(start, ring);
  ring = front + dma_.issue_interval(mode).value;
  const std::uint64_t bytes = instruction.operands[0].bytes();
  std::uint64_t& engines_free = engines_free_[ring_of(instruction) % sets_];
  const std::uint64_t data = std::max(front + dma_.start(mode, from_hbm).value, engines_free);
  engines_free = data + dma_.payload(ceil_div(bytes, engines_)).value;
  return engines_free + dma_.completion(to_hbm).value;
}

}  // namespace trnsim
