// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "app/execute.hpp"
#include "trnsim/observer.hpp"

namespace trnsim::app {

/// `execute` with somebody who is told what happens, null for nobody. The layers of a list run in other processes: nothing is told.
Result execute_observed(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings, ProgressMode progress,
                        Console& console, RunObserver* observer);

}  // namespace trnsim::app
