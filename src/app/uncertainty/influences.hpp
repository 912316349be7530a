// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "app/execute.hpp"

namespace trnsim::app {

/// Replaces the estimates of the strongest influences by simulations of both ends of their ranges, in forked
/// processes, where the work is short enough to be run a few times more. A number without a time keeps its estimate.
void simulate_influences(const RunRequest& request, Result& result, unsigned workers);

}  // namespace trnsim::app
