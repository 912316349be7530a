// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trnsim/error.hpp"
#include "trnsim/simulator.hpp"

namespace trnsim::test {

/// What a simulation in a process of its own ended with.
struct Outcome {
  Snapshot snapshot;
  std::string error;  ///< Message of the exception that left `simulate`, empty on success.
  ExitCode code = ExitCode::Done;
};

/// Simulates in a child process, since SystemC elaborates once per process. `make` builds the workload
/// there. A crash of the child is an error with code Fault.
Outcome simulate_forked(const ChipConfig& config, const std::function<Workload()>& make, const RunOptions& options = {});

/// The same; fails the test on an error.
Snapshot simulate_ok(const ChipConfig& config, const std::function<Workload()>& make, const RunOptions& options = {});

/// A shipped preset with overrides.
ChipConfig preset(const std::string& name, const std::vector<std::string>& set = {});

/// Device time of a built-in kernel in nanoseconds.
double kernel_ns(const ChipConfig& config, const std::string& kernel, const std::string& params, unsigned cores = 1);

}  // namespace trnsim::test
