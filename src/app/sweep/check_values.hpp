// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/sweep/description.hpp"
#include "app/sweep/resolve.hpp"

namespace trnsim::app {

/// Content that a sweep takes from files, for its hash: resolved chips, workloads, traces.
using NamedContent = std::vector<std::string>;

/// Checks each value of a description on its own, with the code that will use it: chips are loaded,
/// overrides applied, kernels made, files opened. What only a combination of two values makes wrong is
/// left to the points. Reads workload files into the resolver.
NamedContent check_values(const SweepDescription& sweep, Resolver& resolver, Problems& problems);

}  // namespace trnsim::app
