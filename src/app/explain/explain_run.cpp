// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/explain/explain_run.hpp"

#include "app/execute_observed.hpp"
#include "app/explain/what_if.hpp"
#include "app/observer_list.hpp"
#include "app/read_file.hpp"
#include "app/stop_signal.hpp"
#include "trnsim/run_recorder.hpp"

namespace trnsim::app {

void check_explainable(const RunRequest& request) {
  if (!request.gemm_list.empty()) throw UsageError("explain wants one kernel or trace; a list of layers is many runs");
  if (!request.max_time.empty()) throw UsageError("explain wants a whole run, without --max-time");
  if (!can_be_read_again(request.trace)) throw UsageError("the trace is read once per simulation, so it cannot come from stdin or a pipe");
}

Explanation explain_run(const ExplainSubject& subject, const ExplainOptions& options, Console& console) {
  const StopSignal stop;  // between the simulations too
  Explanation explanation;
  {
    RunRecorder recorder;
    ObserverList observers;
    observers.add(&recorder);
    observers.add(options.also);
    explanation.result = execute_observed(subject.request, subject.chip, subject.warnings, options.progress, console, observers.observer());
    if (!explanation.result.snapshot.truncated.empty() || stop.flag())
      throw Error(ExitCode::Stopped, "stopped before the run ended; nothing is explained");
    explanation.path = critical_path(recorder.record(), explanation.result.snapshot.end_fs);
    explanation.overlap = overlap_of(recorder.record());
  }
  if (subject.recorded) check_same(*subject.recorded, explanation.result);
  if (options.workers > 0) explanation.what_if = what_if(subject.request, explanation.result, options.workers, options.chip_done);
  explanation.advice = advice_of(explanation);
  return explanation;
}

}  // namespace trnsim::app
