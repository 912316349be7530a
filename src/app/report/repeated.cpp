// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/report/repeated.hpp"

#include <fmt/format.h>

#include <sstream>

#include "app/console.hpp"
#include "app/execute_observed.hpp"
#include "app/explain/explain_run.hpp"
#include "app/job_pool.hpp"
#include "app/json.hpp"
#include "app/nki/recordings.hpp"
#include "app/read_file.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

/// Whether a run can be explained; the reason if not.
bool explainable(const RunRequest& request, std::string& reason) {
  try {
    check_explainable(request);
    return true;
  } catch (const UsageError& error) {
    reason = error.what();
    return false;
  }
}

/// What a child process hands over: timeline, explanation and why there is none of that, a line each.
std::string repeat(const ReportFile& file, const RepeatOptions& options) {
  ExplainSubject subject;
  subject.recorded = recorded_in(file.path, file.result);
  subject.request = subject.recorded->request;
  const RunRequest& request = subject.request;
  for (const std::string& input : {request.trace, request.gemm_list}) {
    if (!input.empty() && !can_be_read_again(input))
      throw InputError(fmt::format("{}: its work came from stdin or a pipe", subject.recorded->file));
  }
  std::ostringstream nowhere;
  Console silent{nowhere, nowhere};
  subject.chip = chip_of(*subject.recorded, subject.warnings, silent).config;

  PageObserver observer(options.budget);
  std::string reason;
  if (options.explain && explainable(request, reason)) {
    ExplainOptions how;
    how.workers = options.workers;
    how.also = &observer;
    const Explanation explanation = explain_run(subject, how, silent);
    return observer.timeline(explanation.result) + '\n' + Json::parse(explain_json(explanation)).dump() + '\n';
  }
  const Result result = execute_observed(request, subject.chip, subject.warnings, ProgressMode::Off, silent, &observer);
  check_same(*subject.recorded, result);
  return (request.gemm_list.empty() ? observer.timeline(result) : layers_page_timeline(result, options.budget)) + "\n\n" + reason;
}

void take(ReportFile& file, const JobOutcome& outcome) {
  if (outcome.end != JobEnd::Done) {
    file.problems.push_back("shown without its timeline: " + outcome.text);
    return;
  }
  const std::size_t first = outcome.text.find('\n'), second = outcome.text.find('\n', first + 1);
  file.timeline = outcome.text.substr(0, first);
  file.explanation = outcome.text.substr(first + 1, second - first - 1);
  if (second + 1 < outcome.text.size()) file.problems.push_back("shown without an explanation: " + outcome.text.substr(second + 1));
}

}  // namespace

void repeat_runs(std::vector<ReportFile>& files, const RepeatOptions& options) {
  const Recordings recordings;
  const auto work = [&](std::size_t i) { return repeat(files[i], options); };
  // A run that is explained has simulations beside it.
  for (const JobOutcome& outcome : run_jobs(files.size(), work, options.explain ? 1 : options.workers)) take(files[outcome.id], outcome);
}

}  // namespace trnsim::app
