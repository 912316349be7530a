// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "stats/counter_sums.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace trnsim {
namespace {

/// Of one core in successive runs.
void add_run(TrafficCounters& sum, const TrafficCounters& next) {
  sum.read_bytes += next.read_bytes;
  sum.write_bytes += next.write_bytes;
  sum.peak_bytes = std::max(sum.peak_bytes, next.peak_bytes);
  sum.peak_bytes_per_partition = std::max(sum.peak_bytes_per_partition, next.peak_bytes_per_partition);
  sum.capacity_bytes = std::max(sum.capacity_bytes, next.capacity_bytes);
}

void add_run(CoreSnapshot& sum, const CoreSnapshot& next) {
  const std::uint64_t dma_engines = std::max(sum.dma.engines, next.dma.engines);
  const std::uint64_t engines_used = std::max(sum.dma.engines_used, next.dma.engines_used);
  for (std::size_t i = 0; i < kEngineCount; ++i) add_counters(sum.engines[i], next.engines[i]);
  add_counters(sum.tensor, next.tensor);
  add_run(sum.sbuf, next.sbuf);
  add_run(sum.psum, next.psum);
  add_counters(sum.dma, next.dma);
  sum.dma.engines = dma_engines;  // the same engines in each run
  sum.dma.engines_used = engines_used;
  sum.end_fs += next.end_fs;
  sum.window_limited += next.window_limited;
}

/// Peaks of one memory of one core, partition by partition.
std::vector<std::uint64_t> peaks_of(const std::vector<PartitionPeak>& list, std::uint32_t core, Buffer buffer) {
  std::vector<std::uint64_t> peaks;
  for (const PartitionPeak& p : list) {
    if (p.core == core && p.buffer == buffer) peaks.resize(p.end, p.peak_bytes);
  }
  return peaks;
}

/// The larger peak of each partition.
std::vector<PartitionPeak> largest(const std::vector<PartitionPeak>& a, const std::vector<PartitionPeak>& b) {
  std::set<std::pair<std::uint32_t, Buffer>> memories;
  for (const auto* list : {&a, &b}) {
    for (const PartitionPeak& p : *list) memories.emplace(p.core, p.buffer);
  }
  std::vector<PartitionPeak> result;
  for (const auto& [core, buffer] : memories) {
    std::vector<std::uint64_t> peaks = peaks_of(a, core, buffer);
    const std::vector<std::uint64_t> others = peaks_of(b, core, buffer);
    peaks.resize(std::max(peaks.size(), others.size()));
    for (std::size_t i = 0; i < others.size(); ++i) peaks[i] = std::max(peaks[i], others[i]);
    for (std::uint32_t i = 0; i < peaks.size(); ++i) {
      if (i > 0 && result.back().peak_bytes == peaks[i]) ++result.back().end;
      else result.push_back({core, buffer, i, i + 1, peaks[i]});
    }
  }
  return result;
}

CoreSnapshot& core_of(Snapshot& sum, std::uint32_t number) {
  const auto at = std::lower_bound(sum.cores.begin(), sum.cores.end(), number, [](const CoreSnapshot& c, auto n) { return c.core < n; });
  if (at != sum.cores.end() && at->core == number) return *at;
  CoreSnapshot core;
  core.core = number;
  return *sum.cores.insert(at, core);
}

}  // namespace

void add_counters(EngineCounters& sum, const EngineCounters& e) {
  sum.elapsed_cycles += e.elapsed_cycles;
  sum.busy_cycles += e.busy_cycles;
  sum.idle_cycles += e.idle_cycles;
  for (std::size_t i = 0; i < kStallReasonCount; ++i) sum.stall_cycles[i] += e.stall_cycles[i];
  sum.instructions += e.instructions;
  sum.elements += e.elements;
  sum.fast_elements += e.fast_elements;
  sum.exponential_elements += e.exponential_elements;
  for (std::size_t i = 0; i < kChargeCount; ++i) {
    sum.charges[i] += e.charges[i];
    sum.charge_cycles[i] += e.charge_cycles[i];
  }
  sum.floored += e.floored;
  sum.operand_reads += e.operand_reads;
  sum.read_outs += e.read_outs;
  sum.latency_cycles += e.latency_cycles;
  for (std::size_t i = 0; i < kOpcodeCount; ++i) sum.op_cycles[i] += e.op_cycles[i];
  for (std::size_t i = 0; i < kActFnCount; ++i) sum.function_cycles[i] += e.function_cycles[i];
}

void add_counters(TensorCounters& sum, const TensorCounters& t) {
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

void add_counters(DmaCounters& sum, const DmaCounters& d) {
  sum.issued_bytes += d.issued_bytes;
  sum.completed_bytes += d.completed_bytes;
  sum.transfers += d.transfers;
  sum.loads += d.loads;
  sum.descriptors += d.descriptors;
  sum.hbm_read_bytes += d.hbm_read_bytes;
  sum.hbm_write_bytes += d.hbm_write_bytes;
  sum.input_read_bytes += d.input_read_bytes;
  sum.output_write_bytes += d.output_write_bytes;
  sum.engine_busy_fs += d.engine_busy_fs;
  sum.active_fs += d.active_fs;
  sum.issue_limited_fs += d.issue_limited_fs;
  sum.engines += d.engines;
  sum.engines_used += d.engines_used;
}

void add_counters(HbmStackCounters& sum, const HbmStackCounters& s) {
  sum.read_bytes += s.read_bytes;
  sum.write_bytes += s.write_bytes;
  sum.row_hits += s.row_hits;
  sum.row_misses += s.row_misses;
  sum.refreshes += s.refreshes;
  sum.data_bus_fs += s.data_bus_fs;
  sum.back_pressure += s.back_pressure;
}

void add_counters(SourceEngineTime& sum, const SourceEngineTime& t) {
  sum.busy_cycles += t.busy_cycles;
  for (std::size_t i = 0; i < kStallReasonCount; ++i) sum.stall_cycles[i] += t.stall_cycles[i];
}

Snapshot no_runs() {
  Snapshot sum;
  sum.runs = 0;
  return sum;
}

void add_run(Snapshot& sum, const Snapshot& next) {
  sum.end_fs += next.end_fs;
  sum.instructions += next.instructions;
  sum.events += next.events;
  sum.runs += next.runs;
  if (sum.truncated.empty()) sum.truncated = next.truncated;
  sum.sources.insert(sum.sources.end(), next.sources.begin(), next.sources.end());
  sum.partitions = largest(sum.partitions, next.partitions);
  sum.unexposed_fs += next.unexposed_fs;
  for (const CoreSnapshot& core : next.cores) add_run(core_of(sum, core.core), core);
  sum.hbm.resize(std::max(sum.hbm.size(), next.hbm.size()));
  for (std::size_t i = 0; i < next.hbm.size(); ++i) add_counters(sum.hbm[i], next.hbm[i]);
}

}  // namespace trnsim
