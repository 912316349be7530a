// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/energy.hpp"
#include "analysis/layers_bottleneck.hpp"
#include "analysis/result_parts.hpp"
#include "analysis/totals.hpp"
#include "analysis/utilization.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

constexpr double kRounding = 1e-9;

std::uint64_t picoseconds(double ns) { return static_cast<std::uint64_t>(std::llround(ns * 1000.0)); }

void add_layer(Result& sum, const Result& layer, std::uint64_t& time_ps) {
  add_run(sum.snapshot, layer.snapshot);
  time_ps += picoseconds(layer.time_ns);
  sum.cycles += layer.cycles;
  sum.instructions += layer.instructions;
  sum.macs += layer.macs;
  sum.flops += layer.flops;
  sum.border.input_bytes += layer.border.input_bytes;
  sum.border.output_bytes += layer.border.output_bytes;
  sum.border.read_bytes += layer.border.read_bytes;
  sum.border.write_bytes += layer.border.write_bytes;
  sum.border.reread_bytes += layer.border.reread_bytes;
  sum.border.inner_bytes += layer.border.inner_bytes;
}

void add_energy(EnergyBreakdown& sum, const EnergyBreakdown& layer) {
  if (sum.components_pj.empty()) {
    for (const auto& [name, pj] : layer.components_pj) sum.components_pj.emplace_back(name, 0.0);
  }
  for (std::size_t i = 0; i < sum.components_pj.size(); ++i) sum.components_pj[i].second += layer.components_pj[i].second;
  sum.total_pj += layer.total_pj;
  sum.cores_used_pj += layer.cores_used_pj;
}

void equal(std::string_view what, std::uint64_t layers, std::uint64_t whole) {
  if (layers != whole) throw InternalError(fmt::format("{} of the layers add up to {}, of the whole to {}", what, layers, whole));
}

/// What each layer says for itself against the counters of the sum, which went another way.
void check_sums(const Result& whole, const Totals& totals) {
  std::uint64_t dma = 0, read = 0, written = 0, macs = 0, end_fs = 0;
  for (const LayerResult& layer : whole.layers) {
    const Totals t = totals_of(layer.result->snapshot);
    dma += t.dma.completed_bytes;
    read += t.hbm.read_bytes;
    written += t.hbm.write_bytes;
    macs += sum_of(t.tensor.macs);
    end_fs += layer.result->snapshot.end_fs;
  }
  equal("dma.bytes", dma, totals.dma.completed_bytes);
  equal("hbm.read_bytes", read, totals.hbm.read_bytes);
  equal("hbm.write_bytes", written, totals.hbm.write_bytes);
  equal("executed MACs", macs, sum_of(totals.tensor.macs));
  equal("device time in fs", end_fs, whole.snapshot.end_fs);
}

/// Energy is linear in the counters, but for empty slots of FP8, which follow the mix of its two rates.
void check_energy_sums(const Result& whole, const Totals& totals) {
  if (totals.tensor.double_row_macs > 0) return;
  const double again = energy_of(whole.chip, whole.snapshot, totals).total_pj;
  if (std::abs(again - whole.energy.total_pj) > kRounding * again) {
    throw InternalError(fmt::format("energy.total_pj of the layers adds up to {}, of the whole to {}", whole.energy.total_pj, again));
  }
}

/// The peak of each layer is that of its own type and of the cores it used.
void fill_mfu(Result& whole, unsigned cores) {
  if (!whole.snapshot.truncated.empty() || whole.macs == 0) return;
  double ideal_ns = 0;
  for (const LayerResult& layer : whole.layers) {
    const Result& r = *layer.result;
    ideal_ns += r.mfu.value_or(0) * r.time_ns * static_cast<double>(r.snapshot.cores.size()) / cores;
  }
  whole.mfu = share("time of the layers at peak in ns", ideal_ns, "device time in ns", whole.time_ns);
}

/// One program stands for the list where results name parameters and type.
void describe_list(Result& whole) {
  ProgramInfo info;
  info.name = whole.context.workload_name;
  info.macs = whole.macs;
  info.flops = whole.flops;
  info.instructions = whole.instructions;
  info.params = whole.context.programs.empty() ? info.params : whole.context.programs.front().params;
  if (!whole.layers.empty()) info.dtype = whole.layers.front().result->context.programs.front().dtype;
  whole.context.programs = {info};
}

}  // namespace

Result make_layers_result(const ChipConfig& chip, std::vector<LayerResult> layers, const ResultContext& context, unsigned cores,
                          const std::string& truncated) {
  Result whole;
  whole.chip = chip;
  whole.config_hash = config_hash(chip);
  whole.context = context;
  whole.layers = std::move(layers);
  whole.snapshot = no_runs();
  std::uint64_t time_ps = 0;
  for (const LayerResult& layer : whole.layers) {
    add_layer(whole, *layer.result, time_ps);
    add_energy(whole.energy, layer.result->energy);
  }
  whole.snapshot.truncated = truncated;
  whole.time_ns = static_cast<double>(time_ps) / 1000.0;
  fill_host_times(whole, whole.layers.size());
  check_accounts(whole.snapshot);

  const Totals totals = totals_of(whole.snapshot);
  check_sums(whole, totals);
  describe_list(whole);
  const std::vector<ProgramInfo> programs = std::exchange(whole.context.programs, {});  // their one peak is not that of every layer
  fill_utilizations(whole, totals);
  whole.context.programs = programs;
  fill_mfu(whole, cores);
  check_energy(whole.energy);
  check_energy_sums(whole, totals);
  fill_power(whole);
  add_remarks(whole);
  whole.bottleneck = layers_bottleneck(whole);
  fill_assumed(whole, totals);
  return whole;
}

}  // namespace trnsim
