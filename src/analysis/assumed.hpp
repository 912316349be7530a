// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/chip_config.hpp"

namespace trnsim {

struct Totals;

/// Key paths, sorted, whose source has this confidence and that a run with these counters used.
std::vector<std::string> paths_used(const ChipConfig& chip, const Totals& totals, std::string_view confidence = "assumed");

}  // namespace trnsim
