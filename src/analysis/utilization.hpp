// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <string_view>

#include "trnsim/result.hpp"

namespace trnsim {

struct Totals;

/// Quotient, or nothing where there is no denominator.
std::optional<double> ratio(double numerator, double denominator);

/// A share of something that cannot be exceeded. Throws InternalError naming both counters when the
/// value is outside [0, 1]; rounding of the last digits is forgiven and cut off.
std::optional<double> share(std::string_view what, double numerator, std::string_view of, double denominator);

/// The same for work of a run. A stopped run has work booked beyond its end, which is cut off here.
std::optional<double> used_share(const Result& result, std::string_view what, double numerator, std::string_view of, double denominator);

/// Array cycles that the executed MACs (transposes apart) need at the full rate of their types.
double ideal_array_cycles(const TensorConfig& tensor, const TensorCounters& counters);

/// Fills rates and utilisations of the result from its counters. Uses chip, snapshot, time_ns, cycles,
/// macs and flops. Throws InternalError when counters contradict each other.
void fill_utilizations(Result& result, const Totals& totals);

}  // namespace trnsim
