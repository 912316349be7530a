// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <vector>

#include "app/check/verdict.hpp"
#include "app/console.hpp"

namespace trnsim::app {

/// Runs the cases in processes of their own, `workers` at a time, and fills in their runs. Shows how many are done on a terminal
/// unless quiet. The outcome does not depend on `workers`.
void run_cases(std::vector<CheckedCase>& cases, unsigned workers, bool quiet, Console& console);

/// The values that golden files record, from a result file's text.
void read_values(CaseRun& run, const std::string& name);

}  // namespace trnsim::app
