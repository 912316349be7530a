// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/snapshot.hpp"

namespace trnsim {

/// Sums of counters: over the cores of a run, and over runs one after another. TrafficCounters are not
/// here, since peaks of cores add up and peaks of runs do not.
void add_counters(EngineCounters& sum, const EngineCounters& next);
void add_counters(TensorCounters& sum, const TensorCounters& next);
void add_counters(DmaCounters& sum, const DmaCounters& next);
void add_counters(HbmStackCounters& sum, const HbmStackCounters& next);
void add_counters(SourceEngineTime& sum, const SourceEngineTime& next);

}  // namespace trnsim
