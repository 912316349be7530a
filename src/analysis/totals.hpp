// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/config/chip_config.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {

/// Counters of the cores used, summed, and of the stacks in use.
struct Totals {
  std::array<EngineCounters, kEngineCount> engines{};
  TensorCounters tensor;
  TrafficCounters sbuf;  ///< `peak_bytes_per_partition` is the largest of a core, the rest sums.
  TrafficCounters psum;
  DmaCounters dma;
  HbmStackCounters hbm;
  std::uint64_t stacks_in_use = 0;
  std::uint64_t active_fs = 0;  ///< Time with work, summed over cores.
};

Totals totals_of(const Snapshot& snapshot);

/// Sum of an array of counters.
template <class Array>
std::uint64_t sum_of(const Array& values) {
  std::uint64_t sum = 0;
  for (const auto value : values) sum += value;
  return sum;
}

inline const EngineCounters& engine_of(const std::array<EngineCounters, kEngineCount>& engines, EngineKind kind) {
  return engines[static_cast<std::size_t>(kind)];
}

/// Clock an engine counts its cycles in.
double clock_ghz(const ChipConfig& chip, EngineKind kind);

/// The number of the first clock edge at or after this time: device time in cycles, rounded up.
/// Edge n lies at n periods rounded up to 1 fs, so that a run that ends on an edge counts that edge.
std::uint64_t cycles_at(std::uint64_t time_fs, double ghz);

/// A time to 1 ps, in ns: at most three decimals.
inline double ns_to_picosecond(std::uint64_t fs) { return static_cast<double>((fs + kFsPerPs / 2) / kFsPerPs) / 1000.0; }

}  // namespace trnsim
