// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "trnsim/page.hpp"

namespace trnsim::app {

/// Result files whose runs are repeated for their timelines.
struct ReportFile {
  std::string path;
  std::string result;    ///< JSON on one line.
  std::string timeline;  ///< JSON; empty if there is none.
  std::string problem;   ///< Why there is none, if it was wanted.
};

/// Repeats the runs, each in a process of its own, `workers` at a time; those that cannot be repeated, or are not what their file
/// tells of, get their `problem`. Error with ExitCode::Stopped on a signal.
void add_timelines(std::vector<ReportFile>& files, unsigned workers, const PageBudget& budget);

}  // namespace trnsim::app
