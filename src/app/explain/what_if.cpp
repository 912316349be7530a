// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/explain/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/execute.hpp"
#include "app/job_pool.hpp"
#include "trnsim/simulator.hpp"
#include "trnsim/spill.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

constexpr double kHighestGhz = 100;  ///< A description allows no more.
constexpr double kManyTimes = 100;

using Change = std::function<void(ChipConfig&, bool free)>;

void shorten(double& value, bool free) { value = free ? 0 : value / 2; }
void quicken(double& ghz, bool free) { ghz = free ? kHighestGhz : 2 * ghz; }

void for_modes(ChipConfig& chip, const std::function<void(DmaModeConfig&)>& change) {
  for (DmaModeConfig* mode : {&chip.dma.static_mode, &chip.dma.software_mode, &chip.dma.hardware_mode}) change(*mode);
}

void faster_dma_engines(ChipConfig& chip, bool free) {
  const double factor = free ? kManyTimes : 2;
  chip.dma.engine_gb_per_s *= factor;
  chip.dma.wire_gb_per_s *= factor;
  shorten(chip.dma.descriptor_ns, free);
  shorten(chip.dma.element_ns, free);
}

void shorter_dma_latency(ChipConfig& chip, bool free) {
  for_modes(chip, [&](DmaModeConfig& mode) {
    shorten(mode.load_start_ns, free);
    shorten(mode.store_start_ns, free);
  });
  shorten(chip.dma.completion_load_ns, free);
  shorten(chip.dma.completion_store_ns, free);
}

void faster_hbm(ChipConfig& chip, bool free) {
  HbmConfig& hbm = chip.hbm;
  hbm.stack_gb_per_s *= free ? kManyTimes : 2;
  for (double* ns : {&hbm.trcd_ns, &hbm.trp_ns, &hbm.tcl_ns, &hbm.tras_ns, &hbm.trrd_ns, &hbm.tfaw_ns, &hbm.twr_ns, &hbm.trtp_ns,
                     &hbm.write_to_read_ns, &hbm.read_to_write_ns, &hbm.trfc_ns})
    shorten(*ns, free);
}

void shorter_hbm_latency(ChipConfig& chip, bool free) {
  shorten(chip.hbm.idle_latency_ns, free);
  shorten(chip.hbm.remote_stack_ns, free);
}

void no_power_ramp(ChipConfig& chip, bool) { chip.tensor.throttle_start = chip.tensor.throttle_sustained = 1; }

struct Part {
  const char *resource, *twice, *free;  ///< What changes; null where that makes no sense.
  Change change;
};

const std::vector<Part>& parts() {
  static const std::vector<Part> all{
      {"tensor array", "Tensor clock x2", "Tensor clock 100 GHz", [](ChipConfig& c, bool free) { quicken(c.tensor.clock_ghz, free); }},
      {"power ramp", nullptr, "Tensor engine always at full rate", no_power_ramp},
      {"vector", "Vector clock x2", "Vector clock 100 GHz", [](ChipConfig& c, bool free) { quicken(c.vector.clock_ghz, free); }},
      {"scalar", "Scalar clock x2", "Scalar clock 100 GHz", [](ChipConfig& c, bool free) { quicken(c.scalar.clock_ghz, free); }},
      {"table loads", "table load / 2", "table load 0", [](ChipConfig& c, bool free) { shorten(c.scalar.table_load_ns, free); }},
      {"gpsimd", "GpSimd clock x2", "GpSimd clock 100 GHz", [](ChipConfig& c, bool free) { quicken(c.gpsimd.clock_ghz, free); }},
      {"DMA issue", "issue interval of a ring / 2", "issue interval 0",
       [](ChipConfig& c, bool free) { for_modes(c, [&](DmaModeConfig& mode) { shorten(mode.issue_interval_ns, free); }); }},
      {"DMA engines", "DMA engines twice as fast", "DMA engines x100, descriptors free", faster_dma_engines},
      {"DMA latency", "start and completion of a copy / 2", "start and completion 0", shorter_dma_latency},
      {"HBM bandwidth", "HBM x2 with its timings / 2", "HBM x100 with its timings 0", faster_hbm},
      {"HBM latency", "way to the stack / 2", "way to the stack 0", shorter_hbm_latency},
      {"synchronisation", "semaphore hop / 2", "semaphore hop 0",
       [](ChipConfig& c, bool free) { shorten(c.sequencer.semaphore_hop_ns, free); }},
      {"PSUM size", "PSUM banks x2", nullptr, [](ChipConfig& c, bool) { c.psum.banks *= 2; }},
      {"SBUF size", "SBUF x2", nullptr, [](ChipConfig& c, bool) { c.sbuf.kib_per_partition *= 2; }},
  };
  return all;
}

/// Whether the run used the part, so that a faster one can matter.
bool used(const Part& part, const Result& base) {
  const std::string_view name = part.resource;
  std::uint64_t copies = 0;
  std::array<std::uint64_t, kEngineCount> instructions{};
  std::uint64_t loads = 0;
  for (const CoreSnapshot& core : base.snapshot.cores) {
    copies += core.dma.transfers;
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      instructions[e] += core.engines[e].instructions;
      loads += core.engines[e].stall_cycles[static_cast<std::size_t>(StallReason::TableLoad)];
    }
  }
  const auto works = [&](EngineKind kind) { return instructions[static_cast<std::size_t>(kind)] != 0; };
  if (name == "tensor array" || name == "PSUM size") return works(EngineKind::Tensor);
  if (name == "power ramp") {
    const TensorConfig& tensor = base.chip.tensor;
    return works(EngineKind::Tensor) && (tensor.throttle_start < 1 || tensor.throttle_sustained < 1);
  }
  if (name == "vector") return works(EngineKind::Vector);
  if (name == "scalar") return works(EngineKind::Scalar);
  if (name == "gpsimd") return works(EngineKind::GpSimd);
  if (name == "table loads") return loads != 0;
  if (name.starts_with("DMA") || name.starts_with("HBM")) return copies != 0;
  return true;
}

FasterChip faster(const Part& part, const ChipConfig& base, bool free) {
  FasterChip trial;
  trial.what_if.resource = part.resource;
  trial.what_if.change = free ? part.free : part.twice;
  trial.what_if.free = free;
  trial.chip = base;
  part.change(trial.chip, free);
  return trial;
}

}  // namespace

std::vector<FasterChip> faster_chips(const Result& base) {
  std::vector<FasterChip> all;
  for (const Part& part : parts()) {
    if (!used(part, base)) continue;
    if (part.free != nullptr) all.push_back(faster(part, base.chip, true));
    if (part.twice != nullptr) all.push_back(faster(part, base.chip, false));
  }
  return all;
}

double time_on(const RunRequest& request, const ChipConfig& base, const ChipConfig& chip) {
  if (const std::vector<std::string> problems = check_chip(chip); !problems.empty()) throw ConfigError(problems.front());
  Workload workload = open_workload(request, base, {});
  if (request.allow_spill) (void)allow_spills(base, workload);
  RunOptions options;
  options.order = issue_order_from(request.order);
  options.scheduled_for = &base;
  return to_ns(Time{simulate(chip, workload, options).end_fs});
}

std::vector<WhatIf> what_if(const RunRequest& request, const Result& base, unsigned workers,
                            const std::function<void(std::size_t done, std::size_t count)>& progress) {
  const std::vector<FasterChip> trials = faster_chips(base);
  const auto simulate_one = [&](std::size_t i) { return fmt::format("{}", time_on(request, base.chip, trials[i].chip)); };
  std::vector<WhatIf> list;
  for (const JobOutcome& outcome :
       run_jobs(trials.size(), simulate_one, workers, {}, [&](std::size_t done) { progress(done, trials.size()); })) {
    WhatIf result = trials[outcome.id].what_if;
    if (outcome.end == JobEnd::Done) {
      result.time_ns = std::stod(outcome.text);
    } else {
      result.reason = outcome.text;
    }
    list.push_back(std::move(result));
  }
  std::stable_sort(list.begin(), list.end(), [](const WhatIf& a, const WhatIf& b) {
    if (a.time_ns.has_value() != b.time_ns.has_value()) return a.time_ns.has_value();
    return a.time_ns.value_or(0) < b.time_ns.value_or(0);
  });
  return list;
}

}  // namespace trnsim::app
