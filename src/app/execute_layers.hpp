// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/progress.hpp"
#include "app/request.hpp"
#include "trnsim/bound.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {

/// Simulates each layer of a list by itself, in forked processes, and adds them up. Layers with the same
/// product are simulated once. All layers are checked before the first is simulated; SIGINT and SIGTERM
/// leave the layers done so far, marked truncated.
Result execute_layers(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings, ProgressMode mode,
                      Console& console);

/// The least time of each layer, by arithmetic; nothing is simulated.
BoundReport bound_layers(const RunRequest& request, const ChipConfig& chip);

}  // namespace trnsim::app
