// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/result.hpp"

namespace trnsim {

struct Totals;

/// Names the resource that sets the device time: the one with the largest lower bound, or latency when
/// no single resource explains 60 % of it.
///
/// Shares and bounds are those of the busiest core or stack. What they leave out: overlap between
/// resources, so that a bound is what the resource alone needs, not what it costs.
Bottleneck bottleneck_of(const Result& result, const Totals& totals);

}  // namespace trnsim
