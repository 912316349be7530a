// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "analysis/assumed.hpp"
#include "analysis/bottleneck.hpp"
#include "analysis/energy.hpp"
#include "analysis/influence.hpp"
#include "analysis/result_parts.hpp"
#include "analysis/source_lines.hpp"
#include "analysis/totals.hpp"
#include "analysis/utilization.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

void fill_workload(Result& result) {
  for (const ProgramInfo& program : result.context.programs) {
    result.macs += program.macs;
    result.flops += program.flops;
  }
  result.instructions = result.snapshot.instructions;
}

/// Useful work is part of the work done. Counters of a stopped run cover less than the workload.
void check_work(const Result& result, const Totals& totals) {
  if (!result.snapshot.truncated.empty()) return;
  const std::uint64_t executed = sum_of(totals.tensor.macs) - sum_of(totals.tensor.transpose_macs);
  if (result.macs > executed) {
    throw InternalError(fmt::format("tensor.macs = {} without transposes, but the workload has {} useful MACs", executed, result.macs));
  }
}

/// Tensors by name: cores that share one name it alike.
BorderTraffic border_of(const std::vector<ProgramInfo>& programs, const Totals& totals) {
  BorderTraffic border;
  std::set<std::string_view> seen;
  for (const ProgramInfo& program : programs) {
    for (const TensorInfo& tensor : program.tensors) {
      if (!seen.insert(tensor.name).second) continue;
      if (tensor.use == TensorUse::Input) border.input_bytes += bytes_of(tensor);
      if (tensor.use == TensorUse::Output) border.output_bytes += bytes_of(tensor);
    }
  }
  const DmaCounters& dma = totals.dma;
  border.read_bytes = dma.input_read_bytes;
  border.write_bytes = dma.output_write_bytes;
  border.reread_bytes = border.read_bytes - std::min(border.read_bytes, border.input_bytes);
  border.inner_bytes = dma.hbm_read_bytes - dma.input_read_bytes + dma.hbm_write_bytes - dma.output_write_bytes;
  return border;
}

}  // namespace

void fill_host_times(Result& result, std::uint64_t kernels) {
  const ChipTopConfig& host = result.chip.chip;
  result.kernels = kernels;
  result.launch_ns = host.launch_ns;
  result.host_gap_ns = kernels > 1 ? host.launch_gap_ns * static_cast<double>(kernels - 1) : 0;
  result.total_ns = result.launch_ns + result.time_ns + result.host_gap_ns;
  result.first_run_ns = host.first_run_ns;
}

IterationTimes iteration_times(const Result& r) {
  IterationTimes times;
  times.count = std::max<std::uint64_t>(1, r.context.iterations);
  times.first_ns = r.first_run_ns + r.total_ns;
  times.warm_ns = r.total_ns;
  times.all_ns = times.first_ns + static_cast<double>(times.count - 1) * times.warm_ns;
  return times;
}

void check_energy(const EnergyBreakdown& energy) {
  double sum = 0;
  for (const auto& [name, pj] : energy.components_pj) {
    if (!std::isfinite(pj) || pj < 0) throw InternalError(fmt::format("energy.components.{} = {} pJ", name, pj));
    sum += pj;
  }
  if (std::abs(sum - energy.total_pj) > 1e-9 * energy.total_pj) {
    throw InternalError(fmt::format("energy.components add up to {} pJ, energy.total_pj is {}", sum, energy.total_pj));
  }
}

void fill_power(Result& result) {
  const auto pj_per_ns = ratio(result.energy.total_pj, to_ns(Time{result.snapshot.end_fs}));
  if (!pj_per_ns) return;
  result.average_w = *pj_per_ns / 1000.0;
  if (!result.snapshot.truncated.empty()) return;  // work in flight at the end distorts the average
  const double limit = result.chip.energy.power_limit_w;
  if (limit > 0 && *result.average_w > limit) {
    result.context.warnings.push_back(fmt::format(
        "average power {:.0f} W is above the chip's limit of {:.0f} W; the clocks were not slowed for it", *result.average_w, limit));
  }
}

void add_remarks(Result& result) {
  const ChipConfig& chip = result.chip;
  if (!chip.energy_calibrated_for.empty() && chip.energy_calibrated_for != chip.name) {
    result.context.warnings.push_back(
        fmt::format("energy coefficients were made for {}, not for {}", chip.energy_calibrated_for, chip.name));
  }
}

void fill_assumed(Result& result, const Totals& totals) {
  result.assumed = paths_used(result.chip, totals);
  result.derived = paths_used(result.chip, totals, "derived");
  constexpr const char* kFirstRun = "chip.first_run_ns";
  const auto source = result.chip.sources.find(kFirstRun);
  if (result.context.iterations > 0 && source != result.chip.sources.end() && source->second.confidence == "assumed") {
    result.assumed.insert(std::ranges::lower_bound(result.assumed, std::string(kFirstRun)), kFirstRun);
  }
  result.influences = influences_of(result, totals);
}

Result make_result(const ChipConfig& chip, const Snapshot& snapshot, const ResultContext& context) {
  check_accounts(snapshot);
  Result result;
  result.chip = chip;
  result.config_hash = config_hash(chip);
  result.snapshot = snapshot;
  result.context = context;
  result.time_ns = ns_to_picosecond(snapshot.end_fs);
  fill_host_times(result, 1);
  result.cycles = cycles_at(snapshot.end_fs, chip.tensor.clock_ghz);
  fill_workload(result);

  const Totals totals = totals_of(snapshot);
  result.border = border_of(context.programs, totals);
  check_work(result, totals);
  fill_utilizations(result, totals);
  result.energy = energy_of(chip, snapshot, totals);
  check_energy(result.energy);
  fill_power(result);
  add_remarks(result);
  result.bottleneck = bottleneck_of(result, totals);
  result.source_lines = source_lines_of(chip, snapshot, context);
  fill_assumed(result, totals);
  return result;
}

}  // namespace trnsim
