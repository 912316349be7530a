// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <vector>

#include "trnsim/result.hpp"

namespace trnsim {

struct Totals;

/// Part of the time from which the report names a number.
inline constexpr double kInfluenceShown = 0.05;

/// First-order estimate of what the range of each assumed number of a result does to its time, the strongest first.
///
/// Without a simulation: each resource's share of the time follows from the accounts of the run, and what the number does to
/// the load of a resource from the run's counts. Left out: numbers that only shift waits from one cause to another, and the order of
/// events.
std::vector<Influence> influences_of(const Result& result, const Totals& totals);

}  // namespace trnsim
