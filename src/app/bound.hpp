// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/request.hpp"
#include "trnsim/bound.hpp"

namespace trnsim::app {

/// The least time that the work of a request can take on a chip; simulates nothing.
BoundReport bound_of(const RunRequest& request, const ChipConfig& chip, std::vector<std::string> warnings, Console& console);

}  // namespace trnsim::app
