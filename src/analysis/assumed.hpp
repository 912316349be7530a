// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"

namespace trnsim {

struct Totals;

/// Key paths, sorted, whose source says "assumed" and that a run with these counters used.
std::vector<std::string> assumed_paths(const ChipConfig& chip, const Totals& totals);

}  // namespace trnsim
