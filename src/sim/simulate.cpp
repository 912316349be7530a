// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <utility>

#include "chip/chip.hpp"
#include "plan/list_scheduler.hpp"
#include "trnsim/error.hpp"
#include "trnsim/observer.hpp"
#include "trnsim/simulator.hpp"

namespace trnsim {
namespace {

std::atomic<bool> used{false};

/// SystemC elaborates once per process.
void claim_process() {
  if (used.exchange(true))
    throw InternalError("simulate() works once per process, because SystemC elaborates once; run each simulation in a process of its own");
}

/// Programs whose order is a compiler's get its scheduler.
void order_programs(const ChipConfig& config, Workload& workload, const RunOptions& options) {
  for (std::unique_ptr<Program>& program : workload.programs) {
    if (options.order.value_or(program->info().order) == IssueOrder::List)
      program = std::make_unique<ListScheduler>(std::move(program), options.scheduled_for == nullptr ? config : *options.scheduled_for);
  }
}

std::vector<const ProgramInfo*> infos(const Workload& workload) {
  std::vector<const ProgramInfo*> result;
  for (const std::unique_ptr<Program>& program : workload.programs) result.push_back(&program->info());
  return result;
}

void prepare_kernel() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

void check_cores(const ChipConfig& config, const Workload& workload) {
  if (workload.programs.empty()) throw WorkloadError("the workload has no program");
  if (workload.programs.size() > config.chip.cores) {
    throw WorkloadError(
        fmt::format("the workload has programs for {} cores; {} has {}", workload.programs.size(), config.name, config.chip.cores));
  }
}

[[noreturn]] void deadlock(const Chip& chip) {
  std::string text = fmt::format("deadlock at {:.3f} ns: nothing can proceed", to_ns(now()));
  for (const std::string& line : chip.waits()) text += "\n  " + line;
  throw DeadlockError(text);
}

/// Runs until nothing happens any more, the limit is reached or the run is stopped.
void run_kernel(const RunOptions& options) {
  if (options.max_time) {
    // One femtosecond more, since an event at the very end of the interval would not run.
    sc_core::sc_start(sc_core::sc_time::from_value(options.max_time->value + 1));
  } else {
    sc_core::sc_start();
  }
}

Snapshot collect(Chip& chip, const Context& context, const RunOptions& options) {
  const bool late = options.max_time && (!chip.finished() || chip.end() > *options.max_time);
  std::string truncated;
  Time end = chip.end();
  if (context.stopped) {
    truncated = "interrupted";
    end = std::max(now(), chip.last_start());
  } else if (late) {
    truncated = fmt::format("--max-time {} ns reached", to_ns(*options.max_time));
    end = *options.max_time;
  } else if (!chip.finished()) {
    deadlock(chip);
  }
  Snapshot snapshot = chip.snapshot(end);
  snapshot.truncated = truncated;
  snapshot.events = context.activations;
  return snapshot;
}

}  // namespace

void forget_simulation() {
  if (!used.exchange(false)) return;
  static const sc_core::sc_simcontext* const first = sc_core::sc_get_curr_simcontext();  // SystemC uses it at exit
  const sc_core::sc_simcontext* const last = std::exchange(sc_core::sc_curr_simcontext, new sc_core::sc_simcontext);
  if (last != first) delete last;
}

Snapshot simulate(const ChipConfig& config, Workload& workload, const RunOptions& options) {
  check_cores(config, workload);
  claim_process();
  order_programs(config, workload, options);
  Context context;
  context.stop = options.stop;
  context.observer = options.observer;
  if (options.max_time) context.limit = *options.max_time;
  std::unique_ptr<Chip> chip;
  try {
    prepare_kernel();
    if (options.observer != nullptr) options.observer->begin(config, infos(workload));
    chip = std::make_unique<Chip>("chip", config, workload, context);
    if (options.progress) context.heartbeat = [&](Time at) { options.progress(chip->instructions(), at); };
    run_kernel(options);
  } catch (const sc_core::sc_report& report) {
    if (context.failure) std::rethrow_exception(context.failure);
    throw InternalError(fmt::format("SystemC: {}", report.what()));
  }
  if (context.failure) std::rethrow_exception(context.failure);
  Snapshot snapshot = collect(*chip, context, options);
  check_accounts(snapshot);
  if (options.observer != nullptr) options.observer->end(snapshot);
  return snapshot;
}

}  // namespace trnsim

/// The SystemC library refers to it from the main() it brings along. Weak: a user may have a real one.
[[gnu::weak]] int sc_main(int, char**) { return 0; }
