// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <vector>

#include "app/sweep/table.hpp"

namespace trnsim::app {

/// Rows that differ in one axis and in nothing else.
using RowGroup = std::vector<const SweepRow*>;

/// The groups of an axis with at least two of its values.
std::vector<RowGroup> groups_along(const SweepTable& table, std::size_t axis);

/// Whether groups speak for the sweep: at least half of the rows are in one.
bool tell_enough(const std::vector<RowGroup>& groups, const SweepTable& table);

}  // namespace trnsim::app
