// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/influence_load.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>

namespace trnsim {
namespace {

double count(std::uint64_t n) { return static_cast<double>(n); }
double at_least_one(std::uint64_t n) { return count(std::max<std::uint64_t>(n, 1)); }
std::size_t index(EngineKind kind) { return static_cast<std::size_t>(kind); }

/// Cycles per element of every charge of an engine; 1 for what it does not have.
template <class Config>
std::array<double, kChargeCount> charges_of(EngineKind kind, const Config& config) {
  std::array<double, kChargeCount> cycles;
  cycles.fill(1);
  const auto visit = [&](std::string_view key, const auto& value, const auto& field) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      for (std::size_t c = 1; c < kChargeCount; ++c) {
        const std::string_view path = path_of(static_cast<Charge>(c)), engine = name_of(kind);
        if (path.size() != engine.size() + 1 + key.size() || !path.starts_with(engine) || !path.ends_with(key)) continue;
        const double number = static_cast<double>(value);
        if (number > 0) cycles[c] = field.unit == "x" || field.unit == "GB/s" ? 1 / number : number;
      }
    }
  };
  Config::describe(visit, config);
  return cycles;
}

const DmaModeConfig& mode_of(const ChipConfig& chip) {
  return chip.dma.hardware_mode.available ? chip.dma.hardware_mode : chip.dma.static_mode;
}

/// Part of the time that a stack is not stopped for refreshes.
double open_share(const HbmConfig& hbm) { return 1 - hbm.trfc_ns / hbm.trefi_ns; }

}  // namespace

LoadModel::LoadModel(const ChipConfig& chip, const Totals& totals, double cores) : base_(&chip), totals_(&totals), cores_(cores) {}

template <class Config>
double LoadModel::charged_cycles(EngineKind kind, const Config& now, const Config& then, double start_now, double start_then) const {
  const EngineCounters& e = counters(kind);
  const auto numbers = charges_of(kind, now), before = charges_of(kind, then);
  double cycles = 0;
  for (std::size_t c = 0; c < kChargeCount; ++c) {
    const double starts = std::min(count(e.charges[c]) * start_then, count(e.charge_cycles[c]));
    cycles += (count(e.charge_cycles[c]) - starts) * numbers[c] / before[c] + count(e.charges[c]) * start_now * (starts > 0 ? 1 : 0);
  }
  return cycles;
}

/// LoadStationary that is not hidden under the multiply before it.
double LoadModel::exposed_load_cycles(const TensorConfig& tensor, double interval) const {
  const EngineCounters& e = counters(EngineKind::Tensor);
  const auto load = [&](const TensorConfig& t) {
    const double columns = count(totals_->tensor.load_elements) / at_least_one(totals_->tensor.loads) / t.rows;
    return std::max(columns / t.fast_load_factor, static_cast<double>(t.load_min_cycles));
  };
  const double streaming = count(sum_of(e.charge_cycles)) + count(e.floored) * base_->tensor.min_interval_cycles;
  const double exposed = std::max(0.0, count(e.busy_cycles) - streaming);
  const double now = load(tensor), then = load(base_->tensor);
  const double uncovered = std::max(0.0, now - interval) - std::max(0.0, then - interval);
  return std::max(0.0, exposed * now / then + count(totals_->tensor.loads) * uncovered);
}

double LoadModel::throttle_cycles(const TensorConfig& tensor) const {
  const EngineCounters& e = counters(EngineKind::Tensor);
  const double lost = count(e.stall_cycles[static_cast<std::size_t>(StallReason::Throttle)]);
  const double then = base_->tensor.throttle_start;
  if (then < 1)
    return lost * (1 - tensor.throttle_start) / (1 - then) * tensor.throttle_ramp_ns / std::max(base_->tensor.throttle_ramp_ns, 1.0);
  const double ramp = std::min(tensor.throttle_ramp_ns * tensor.clock_ghz * cores_, count(e.busy_cycles));
  return ramp * (1 / tensor.throttle_start - 1) / 2;
}

double LoadModel::tensor_cycles(const TensorConfig& tensor) const {
  const EngineCounters& e = counters(EngineKind::Tensor);
  if (e.instructions == 0) return 0;
  const double all = count(sum_of(totals_->tensor.macs)), fp32 = count(totals_->tensor.macs[static_cast<std::size_t>(DType::Fp32)]);
  const double issues = count(e.instructions) * (1 + (all > 0 ? fp32 / all : 0));
  const double intervals =
      count(sum_of(e.charge_cycles)) + count(e.floored) * tensor.min_interval_cycles + issues * tensor.issue_overhead_cycles;
  return intervals + exposed_load_cycles(tensor, intervals / at_least_one(e.instructions)) + throttle_cycles(tensor);
}

double LoadModel::vector_work(const VectorConfig& vector) const {
  const double reads = static_cast<double>(vector.operand_read_cycles) - base_->vector.operand_read_cycles;
  return charged_cycles(EngineKind::Vector, vector, base_->vector, 0, 0) + count(counters(EngineKind::Vector).operand_reads) * reads;
}

double LoadModel::vector_cycles(const VectorConfig& vector) const {
  const EngineCounters& e = counters(EngineKind::Vector);
  return vector_work(vector) + count(e.floored) * vector.min_interval_cycles +
         count(e.instructions - std::min(e.floored, e.instructions)) * vector.issue_overhead_cycles;
}

double LoadModel::scalar_work(const ScalarConfig& scalar) const { return charged_cycles(EngineKind::Scalar, scalar, base_->scalar, 0, 0); }

double LoadModel::scalar_cycles(const ScalarConfig& scalar) const {
  const EngineCounters& e = counters(EngineKind::Scalar);
  const double read_outs =
      count(e.read_outs) * (static_cast<double>(scalar.accumulator_read_interval_cycles) - base_->scalar.accumulator_read_interval_cycles);
  const double tables = count(e.stall_cycles[static_cast<std::size_t>(StallReason::TableLoad)]);
  return scalar_work(scalar) + read_outs + count(e.floored) * scalar.min_interval_cycles +
         count(e.instructions) * scalar.issue_overhead_cycles + tables * scalar.table_load_ns / std::max(base_->scalar.table_load_ns, 1.0);
}

/// Work to sum read out: the longer of the pipe, with its operands, and the drain.
double LoadModel::drain_cycles(const ScalarConfig& scalar) const {
  const EngineCounters& e = counters(EngineKind::Scalar);
  const double reads = count(e.operand_reads) / at_least_one(e.instructions);
  return std::max(scalar.pipe_latency_cycles + reads * scalar.operand_read_cycles,
                  static_cast<double>(scalar.accumulator_read_latency_cycles));
}

double LoadModel::gpsimd_cycles(const GpSimdConfig& gpsimd) const {
  return charged_cycles(EngineKind::GpSimd, gpsimd, base_->gpsimd, gpsimd.start_cycles, base_->gpsimd.start_cycles);
}

void LoadModel::add_dma(const ChipConfig& chip, Loads& loads) const {
  const DmaCounters& d = totals_->dma;
  if (d.transfers == 0) return;
  const DmaModeConfig &mode = mode_of(chip), &then = mode_of(*base_);
  const double engines = chip.dma.engines * cores_, busy = to_ns(Time{d.engine_busy_fs});
  loads.issue = to_ns(Time{d.issue_limited_fs}) / cores_ * mode.issue_interval_ns / std::max(then.issue_interval_ns, 1e-3);
  const double descriptors = std::min(count(d.descriptors) * base_->dma.descriptor_ns, busy);
  const double each = base_->dma.descriptor_ns > 0 ? chip.dma.descriptor_ns / base_->dma.descriptor_ns : 1;
  loads.dma = (descriptors * each + (busy - descriptors) * base_->dma.engine_gb_per_s / chip.dma.engine_gb_per_s) / engines;
  const double stacks = at_least_one(totals_->stacks_in_use);
  loads.hbm = to_ns(Time{totals_->hbm.data_bus_fs}) / chip.hbm.pseudo_channels / stacks / open_share(chip.hbm) * base_->hbm.stack_gb_per_s /
              chip.hbm.stack_gb_per_s;
  const double around = chip.hbm.idle_latency_ns + chip.hbm.trcd_ns + chip.hbm.tcl_ns + mode.trigger_ns;
  if (d.loads > 0) loads.load_trip = mode.load_start_ns + chip.dma.completion_load_ns + around;
  if (d.transfers > d.loads) loads.store_trip = mode.store_start_ns + chip.dma.completion_store_ns + around;
}

Loads LoadModel::loads(const ChipConfig& chip) const {
  Loads loads;
  const double cycles[]{tensor_cycles(chip.tensor), vector_cycles(chip.vector), scalar_cycles(chip.scalar), gpsimd_cycles(chip.gpsimd)};
  const double longer[]{0, vector_work(chip.vector) - vector_work(base_->vector), scalar_work(chip.scalar) - scalar_work(base_->scalar),
                        cycles[3] - gpsimd_cycles(base_->gpsimd)};
  const double operands = (static_cast<double>(chip.scalar.operand_read_cycles) - base_->scalar.operand_read_cycles) *
                          count(counters(EngineKind::Scalar).operand_reads) / at_least_one(counters(EngineKind::Scalar).instructions);
  const double pipe[]{static_cast<double>(chip.tensor.pipe_latency_cycles) - base_->tensor.pipe_latency_cycles,
                      static_cast<double>(chip.vector.pipe_latency_cycles) - base_->vector.pipe_latency_cycles,
                      static_cast<double>(chip.scalar.pipe_latency_cycles) - base_->scalar.pipe_latency_cycles + operands,
                      static_cast<double>(chip.gpsimd.pipe_latency_cycles) - base_->gpsimd.pipe_latency_cycles};
  for (std::size_t i = 0; i < index(EngineKind::Sync); ++i) {
    const auto kind = static_cast<EngineKind>(i);
    const EngineCounters& e = counters(kind);
    const double ghz = clock_ghz(chip, kind) * cores_, done = count(e.instructions);
    loads.engine[i] = cycles[i] / ghz;
    const double drained = kind == EngineKind::Scalar ? count(std::min(e.read_outs, e.instructions)) : 0;
    double latency = count(e.latency_cycles) + (done - drained) * pipe[i] + longer[i];
    if (drained > 0) latency += drained * (drain_cycles(chip.scalar) - drain_cycles(base_->scalar));
    loads.latency[i] = std::max(0.0, latency) / ghz + done * chip.sequencer.semaphore_hop_ns / cores_;
  }
  add_dma(chip, loads);
  return loads;
}

}  // namespace trnsim
