// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "trnsim/page.hpp"

namespace trnsim::app {

/// Result files whose runs are repeated for what a page shows beside the result.
struct ReportFile {
  std::string path;
  std::string result;                      ///< JSON on one line.
  std::string timeline = {};               ///< JSON; empty if there is none.
  std::string explanation = {};            ///< The same.
  std::vector<std::string> problems = {};  ///< "shown without its timeline: …", if it was wanted.
};

struct RepeatOptions {
  PageBudget budget;     ///< Of each run.
  unsigned workers = 1;  ///< Processes at a time.
  bool explain = false;
};

/// Repeats the runs, each in a process of its own; those that cannot be repeated, or are not what their file tells of, get a problem.
/// Error with ExitCode::Stopped on a signal.
void repeat_runs(std::vector<ReportFile>& files, const RepeatOptions& options);

}  // namespace trnsim::app
