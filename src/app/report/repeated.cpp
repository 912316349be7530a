// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/report/repeated.hpp"

#include <fmt/format.h>

#include <sstream>

#include "app/console.hpp"
#include "app/execute_observed.hpp"
#include "app/job_pool.hpp"
#include "app/nki/recordings.hpp"
#include "app/read_file.hpp"
#include "app/recorded.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

std::string timeline_of(const ReportFile& file, const PageBudget& budget) {
  const Recorded recorded = recorded_in(file.path, file.result);
  const RunRequest& request = recorded.request;
  for (const std::string& input : {request.trace, request.gemm_list}) {
    if (!input.empty() && !can_be_read_again(input)) throw InputError(fmt::format("{}: its work came from stdin or a pipe", recorded.file));
  }
  std::ostringstream nowhere;
  Console silent{nowhere, nowhere};
  std::vector<std::string> warnings;
  const ChipConfig chip = chip_of(recorded, warnings, silent).config;
  PageObserver observer(budget);
  const Result result = execute_observed(request, chip, std::move(warnings), ProgressMode::Off, silent, &observer);
  check_same(recorded, result);
  return request.gemm_list.empty() ? observer.timeline(result) : layers_page_timeline(result, budget);
}

}  // namespace

void add_timelines(std::vector<ReportFile>& files, unsigned workers, const PageBudget& budget) {
  const Recordings recordings;
  const auto work = [&](std::size_t i) { return timeline_of(files[i], budget); };
  for (const JobOutcome& outcome : run_jobs(files.size(), work, workers)) {
    (outcome.end == JobEnd::Done ? files[outcome.id].timeline : files[outcome.id].problem) = outcome.text;
  }
}

}  // namespace trnsim::app
