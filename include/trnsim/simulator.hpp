// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"
#include "trnsim/snapshot.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

class RunObserver;

struct RunOptions {
  std::optional<Time> max_time;               ///< Stop at this simulated time; the snapshot says so.
  std::optional<IssueOrder> order;            ///< Instead of what the programs say.
  const ChipConfig* scheduled_for = nullptr;  ///< The list scheduler orders instructions for this chip instead of the one that runs them.
  const std::atomic<bool>* stop = nullptr;    ///< Polled; set by a signal handler to stop early.
  RunObserver* observer = nullptr;            ///< Told everything that happens; null for none.
  /// Called a few times per second of host time with instructions done and simulated time.
  std::function<void(std::uint64_t instructions, Time now)> progress;
};

/// Runs a workload on a chip, one program per core from core 0 on.
///
/// Works once per process, since SystemC elaborates once; a second call throws InternalError. Errors:
/// ProgramError (an instruction this chip cannot run, a memory overflow), DeadlockError, InternalError.
Snapshot simulate(const ChipConfig& config, Workload& workload, const RunOptions& options = {});

/// Lets `simulate` be called once more in this process: SystemC begins anew, with nothing of the last simulation.
void forget_simulation();

}  // namespace trnsim
