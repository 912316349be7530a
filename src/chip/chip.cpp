// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "chip/chip.hpp"

#include <algorithm>

namespace trnsim {
namespace {

std::vector<const ProgramInfo*> infos(const Workload& workload) {
  std::vector<const ProgramInfo*> result;
  for (const auto& program : workload.programs) result.push_back(&program->info());
  return result;
}

}  // namespace

Chip::Chip(sc_core::sc_module_name name, const ChipConfig& config, Workload& workload, Context& context)
    : sc_module(name),
      layout_(config, infos(workload)),
      router_("router", config.hbm, layout_, context.observer),
      stacks_("hbm"),
      cores_("core") {
  stacks_.init(config.hbm.stacks, [&](const char* unit, std::size_t) { return new HbmStack(unit, config.hbm); });
  cores_.init(workload.programs.size(), [&](const char* unit, std::size_t i) {
    return new Core(unit, config, {static_cast<std::uint32_t>(i), *workload.programs[i], layout_, frontier_}, context);
  });

  for (HbmStack& stack : stacks_) router_.stacks(stack);
  for (Core& core : cores_) core.hbm(router_);
}

bool Chip::finished() const {
  return std::all_of(cores_.begin(), cores_.end(), [](const Core& core) { return core.finished(); });
}

Time Chip::end() const {
  Time end;
  for (const Core& core : cores_) end = std::max(end, core.end());
  return end;
}

Time Chip::last_start() const {
  Time last;
  for (const Core& core : cores_) last = std::max(last, core.last_start());
  return last;
}

std::uint64_t Chip::instructions() const {
  std::uint64_t total = 0;
  for (const Core& core : cores_) total += core.instructions();
  return total;
}

std::vector<std::string> Chip::waits() const {
  std::vector<std::string> lines;
  for (const Core& core : cores_) core.describe_waits(lines);
  return lines;
}

Snapshot Chip::snapshot(Time end) {
  Snapshot snapshot;
  snapshot.end_fs = end.value;
  snapshot.instructions = instructions();
  frontier_.finish(end);
  for (Core& core : cores_) {
    snapshot.cores.push_back(core.snapshot(end));
    core.add_partitions(snapshot.partitions);
    core.add_sources(snapshot.sources);
  }
  if (!snapshot.sources.empty()) snapshot.unexposed_fs = (std::max(end, frontier_.reached()) - frontier_.reached()).value;
  for (HbmStack& stack : stacks_) {
    stack.settle(end);
    snapshot.hbm.push_back(stack.counters());
  }
  return snapshot;
}

}  // namespace trnsim
