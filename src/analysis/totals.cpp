// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/totals.hpp"

#include <algorithm>
#include <cmath>

#include "stats/counter_sums.hpp"

namespace trnsim {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kFsPerSecond = 1'000'000'000'000'000ULL;

void add(TrafficCounters& sum, const TrafficCounters& t) {
  sum.read_bytes += t.read_bytes;
  sum.write_bytes += t.write_bytes;
  sum.peak_bytes += t.peak_bytes;
  sum.peak_bytes_per_partition = std::max(sum.peak_bytes_per_partition, t.peak_bytes_per_partition);
  sum.capacity_bytes += t.capacity_bytes;
}

}  // namespace

Totals totals_of(const Snapshot& snapshot) {
  Totals totals;
  for (const CoreSnapshot& core : snapshot.cores) {
    for (std::size_t i = 0; i < kEngineCount; ++i) add_counters(totals.engines[i], core.engines[i]);
    add_counters(totals.tensor, core.tensor);
    add(totals.sbuf, core.sbuf);
    add(totals.psum, core.psum);
    add_counters(totals.dma, core.dma);
    totals.active_fs += std::min(core.end_fs, snapshot.end_fs);
  }
  for (const HbmStackCounters& stack : snapshot.hbm) {
    add_counters(totals.hbm, stack);
    if (stack.read_bytes + stack.write_bytes > 0) ++totals.stacks_in_use;
  }
  return totals;
}

double clock_ghz(const ChipConfig& chip, EngineKind kind) {
  switch (kind) {
    case EngineKind::Tensor: return chip.tensor.clock_ghz;
    case EngineKind::Vector: return chip.vector.clock_ghz;
    case EngineKind::Scalar: return chip.scalar.clock_ghz;
    case EngineKind::GpSimd: return chip.gpsimd.clock_ghz;
    case EngineKind::Sync: break;
  }
  return chip.sequencer.base_clock_ghz;
}

std::uint64_t cycles_at(std::uint64_t time_fs, double ghz) {
  const auto hz = static_cast<std::uint64_t>(std::llround(ghz * 1e9));
  const auto whole = static_cast<std::uint64_t>(Wide{time_fs} * hz / kFsPerSecond);
  const auto edge = static_cast<std::uint64_t>((Wide{whole} * kFsPerSecond + hz - 1) / hz);
  return edge >= time_fs ? whole : whole + 1;
}

}  // namespace trnsim
