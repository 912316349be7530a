// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "support/run_result.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace trnsim::test {
namespace {

double named(const std::vector<std::pair<std::string, double>>& list, const std::string& name) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == name; });
  if (it == list.end()) {
    ADD_FAILURE() << "no entry named " << name;
    return -1;
  }
  return it->second;
}

std::function<Workload()> maker(const ChipConfig& config, const std::string& kernel, const std::string& params, unsigned cores) {
  return [&config, kernel, params, cores] { return make_kernel(kernel, parse_params({params}), config, cores); };
}

}  // namespace

Result result_of(const ChipConfig& config, const std::function<Workload()>& make, const RunOptions& options) {
  const Snapshot snapshot = simulate_ok(config, make, options);
  const Workload workload = make();
  ResultContext context;
  context.command = "test";
  context.workload_name = workload.name;
  context.workload_source = workload.source;
  context.workload_hash = "0";
  for (const auto& program : workload.programs) context.programs.push_back(program->info());
  return make_result(config, snapshot, context);
}

Result kernel_result(const ChipConfig& config, const std::string& kernel, const std::string& params, unsigned cores) {
  return result_of(config, maker(config, kernel, params, cores));
}

Snapshot kernel_snapshot(const ChipConfig& config, const std::string& kernel, const std::string& params, unsigned cores) {
  return simulate_ok(config, maker(config, kernel, params, cores));
}

double energy_pj(const Result& result, const std::string& component) { return named(result.energy.components_pj, component); }

double bound_ns(const Result& result, const std::string& resource) { return named(result.bottleneck.bounds_ns, resource); }

std::uint64_t hbm_bytes(const Snapshot& snapshot) {
  std::uint64_t total = 0;
  for (const HbmStackCounters& stack : snapshot.hbm) total += stack.read_bytes + stack.write_bytes;
  return total;
}

std::uint64_t macs(const Snapshot& snapshot) {
  std::uint64_t total = 0;
  for (const CoreSnapshot& core : snapshot.cores) {
    total = std::accumulate(core.tensor.macs.begin(), core.tensor.macs.end(), total);
    total -= std::accumulate(core.tensor.transpose_macs.begin(), core.tensor.transpose_macs.end(), std::uint64_t{0});
  }
  return total;
}

}  // namespace trnsim::test
