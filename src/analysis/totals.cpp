// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/totals.hpp"

#include <algorithm>
#include <cmath>

namespace trnsim {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kFsPerSecond = 1'000'000'000'000'000ULL;

void add(EngineCounters& sum, const EngineCounters& e) {
  sum.elapsed_cycles += e.elapsed_cycles;
  sum.busy_cycles += e.busy_cycles;
  sum.idle_cycles += e.idle_cycles;
  for (std::size_t i = 0; i < kStallReasonCount; ++i) sum.stall_cycles[i] += e.stall_cycles[i];
  sum.instructions += e.instructions;
  sum.elements += e.elements;
  sum.fast_elements += e.fast_elements;
  sum.exponential_elements += e.exponential_elements;
}

void add(TensorCounters& sum, const TensorCounters& t) {
  for (std::size_t i = 0; i < kDTypeCount; ++i) {
    sum.macs[i] += t.macs[i];
    sum.idle_slot_macs[i] += t.idle_slot_macs[i];
    sum.transpose_macs[i] += t.transpose_macs[i];
  }
  sum.double_row_macs += t.double_row_macs;
  sum.onezero_macs += t.onezero_macs;
  sum.array_cycles += t.array_cycles;
  sum.matmuls += t.matmuls;
  sum.loads += t.loads;
  sum.loads_skipped += t.loads_skipped;
  sum.load_elements += t.load_elements;
  sum.accumulate_elements += t.accumulate_elements;
}

void add(TrafficCounters& sum, const TrafficCounters& t) {
  sum.read_bytes += t.read_bytes;
  sum.write_bytes += t.write_bytes;
  sum.peak_bytes += t.peak_bytes;
  sum.peak_bytes_per_partition = std::max(sum.peak_bytes_per_partition, t.peak_bytes_per_partition);
  sum.capacity_bytes += t.capacity_bytes;
}

void add(DmaCounters& sum, const DmaCounters& d) {
  sum.issued_bytes += d.issued_bytes;
  sum.completed_bytes += d.completed_bytes;
  sum.transfers += d.transfers;
  sum.descriptors += d.descriptors;
  sum.hbm_read_bytes += d.hbm_read_bytes;
  sum.hbm_write_bytes += d.hbm_write_bytes;
  sum.engine_busy_fs += d.engine_busy_fs;
  sum.active_fs += d.active_fs;
  sum.issue_limited_fs += d.issue_limited_fs;
  sum.engines += d.engines;
}

void add(HbmStackCounters& sum, const HbmStackCounters& s) {
  sum.read_bytes += s.read_bytes;
  sum.write_bytes += s.write_bytes;
  sum.row_hits += s.row_hits;
  sum.row_misses += s.row_misses;
  sum.refreshes += s.refreshes;
  sum.data_bus_fs += s.data_bus_fs;
  sum.back_pressure += s.back_pressure;
}

}  // namespace

Totals totals_of(const Snapshot& snapshot) {
  Totals totals;
  for (const CoreSnapshot& core : snapshot.cores) {
    for (std::size_t i = 0; i < kEngineCount; ++i) add(totals.engines[i], core.engines[i]);
    add(totals.tensor, core.tensor);
    add(totals.sbuf, core.sbuf);
    add(totals.psum, core.psum);
    add(totals.dma, core.dma);
    totals.active_fs += std::min(core.end_fs, snapshot.end_fs);
  }
  for (const HbmStackCounters& stack : snapshot.hbm) {
    add(totals.hbm, stack);
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
