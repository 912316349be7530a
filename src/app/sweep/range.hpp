// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/sweep/description.hpp"

namespace trnsim::app {

/// What is wrong with a range for this target, "" if nothing. `sampled`: it may go without steps.
std::string range_problem(const AxisRange& range, const Target& target, bool sampled);

/// Values that a range with steps makes before equal ones are left out; it may exceed every limit.
double range_count(const AxisRange& range);

/// The values of a range with steps, in order. Whole numbers are rounded to the nearest, and those that
/// become equal to the one before are left out.
std::vector<std::string> range_values(const AxisRange& range, const Target& target);

/// The value at a share `u` of a range, 0 <= u < 1.
std::string range_value_at(const AxisRange& range, const Target& target, double u);

}  // namespace trnsim::app
