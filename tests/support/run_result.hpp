// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <functional>
#include <string>

#include "support/forked.hpp"
#include "trnsim/result.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::test {

/// Simulates in a child process and computes the result here; fails the test on an error.
Result result_of(const ChipConfig& config, const std::function<Workload()>& make, const RunOptions& options = {});

/// The same for a built-in kernel with parameters "m=1,n=2".
Result kernel_result(const ChipConfig& config, const std::string& kernel, const std::string& params, unsigned cores = 1);

/// Snapshot of a built-in kernel.
Snapshot kernel_snapshot(const ChipConfig& config, const std::string& kernel, const std::string& params, unsigned cores = 1);

/// One component of the energy table in pJ; fails the test if it is missing.
double energy_pj(const Result& result, const std::string& component);

/// Lower bound that one resource alone sets, or its share of the time; fails the test if it is missing.
double bound_ns(const Result& result, const std::string& resource);

inline double to_ns(const Snapshot& snapshot) { return static_cast<double>(snapshot.end_fs) / 1e6; }
inline const EngineCounters& engine(const Snapshot& snapshot, EngineKind kind, std::size_t core = 0) {
  return snapshot.cores.at(core).engines[static_cast<std::size_t>(kind)];
}
inline std::uint64_t stall(const EngineCounters& counters, StallReason reason) {
  return counters.stall_cycles[static_cast<std::size_t>(reason)];
}
/// Bytes read from and written to all stacks.
std::uint64_t hbm_bytes(const Snapshot& snapshot);
/// Executed multiply-accumulates of all cores and types.
std::uint64_t macs(const Snapshot& snapshot);

}  // namespace trnsim::test
