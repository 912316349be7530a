// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <numeric>

#include "stats/counter_sums.hpp"
#include "trnsim/error.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {
namespace {

/// No counter of a run of at most 5 hours comes near it; a difference that went below zero does.
constexpr std::uint64_t kCounterBound = std::uint64_t{1} << 62;

[[noreturn]] void fail(const std::string& counter, const std::string& what) {
  throw InternalError(fmt::format("account of {}: {}", counter, what));
}

/// Names counters of one unit in messages: "core 0 tensor.busy_cycles".
class Unit {
 public:
  explicit Unit(std::string name) : name_(std::move(name)) {}

  void bounded(std::string_view counter, std::uint64_t value) const {
    if (value >= kCounterBound) fail(name_ + "." + std::string(counter), fmt::format("{} is above 2^62, a counter went below zero", value));
  }
  void at_most(std::string_view part, std::uint64_t value, std::string_view whole, std::uint64_t limit) const {
    bounded(part, value);
    bounded(whole, limit);
    if (value > limit) fail(name_ + "." + std::string(part), fmt::format("{} exceeds {} = {}", value, whole, limit));
  }
  void equal(std::string_view a, std::uint64_t left, std::string_view b, std::uint64_t right) const {
    bounded(a, left);
    bounded(b, right);
    if (left != right) fail(name_ + "." + std::string(a), fmt::format("{} differs from {} = {}", left, b, right));
  }

 private:
  std::string name_;
};

template <class Array>
std::uint64_t sum(const Array& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

void check_engine(const EngineCounters& e, const Unit& unit) {
  for (std::size_t i = 0; i < kStallReasonCount; ++i) unit.bounded(name_of(static_cast<StallReason>(i)), e.stall_cycles[i]);
  unit.bounded("busy_cycles", e.busy_cycles);
  unit.bounded("idle_cycles", e.idle_cycles);
  unit.bounded("instructions", e.instructions);
  unit.equal("busy + stalls + idle", e.busy_cycles + sum(e.stall_cycles) + e.idle_cycles, "elapsed_cycles", e.elapsed_cycles);
  unit.at_most("fast_elements", e.fast_elements, "elements", e.elements);
  unit.at_most("exponential_elements", e.exponential_elements, "elements", e.elements);
}

const EngineCounters& engine_of(const CoreSnapshot& core, EngineKind kind) { return core.engines[static_cast<std::size_t>(kind)]; }

/// A stopped run has work booked beyond its end, so that parts may exceed what had passed by then.
void check_tensor(const CoreSnapshot& core, const Unit& unit, bool complete) {
  const TensorCounters& t = core.tensor;
  for (std::size_t i = 0; i < kDTypeCount; ++i) {
    const std::string type(name_of(static_cast<DType>(i)));
    unit.bounded("macs." + type, t.macs[i]);
    unit.bounded("idle_slot_macs." + type, t.idle_slot_macs[i]);
    unit.at_most("transpose_macs." + type, t.transpose_macs[i], "macs." + type, t.macs[i]);
  }
  const std::uint64_t fp8 = t.macs[static_cast<std::size_t>(DType::Fp8E4M3)] + t.macs[static_cast<std::size_t>(DType::Fp8E5M2)];
  unit.at_most("double_row_macs", t.double_row_macs, "FP8 macs", fp8);
  unit.at_most("onezero_macs", t.onezero_macs, "FP32 macs", t.macs[static_cast<std::size_t>(DType::Fp32)]);
  unit.bounded("array_cycles", t.array_cycles);
  if (complete) unit.at_most("array_cycles", t.array_cycles, "elapsed_cycles", engine_of(core, EngineKind::Tensor).elapsed_cycles);
  unit.bounded("matmuls", t.matmuls);
  unit.bounded("loads", t.loads);
  unit.bounded("loads_skipped", t.loads_skipped);
  unit.bounded("load_elements", t.load_elements);
  unit.bounded("accumulate_elements", t.accumulate_elements);
}

void check_traffic(const TrafficCounters& t, const Unit& unit) {
  unit.bounded("read_bytes", t.read_bytes);
  unit.bounded("write_bytes", t.write_bytes);
  unit.at_most("peak_bytes", t.peak_bytes, "capacity_bytes", t.capacity_bytes);
  unit.at_most("peak_bytes_per_partition", t.peak_bytes_per_partition, "capacity_bytes", t.capacity_bytes);
}

void check_dma(const DmaCounters& d, const Unit& unit, const Snapshot& snapshot) {
  unit.bounded("transfers", d.transfers);
  unit.bounded("descriptors", d.descriptors);
  unit.bounded("engine_busy_fs", d.engine_busy_fs);
  unit.bounded("issue_limited_fs", d.issue_limited_fs);
  unit.at_most("engines_used", d.engines_used, "engines", d.engines);
  unit.at_most("completed_bytes", d.completed_bytes, "issued_bytes", d.issued_bytes);
  unit.at_most("input_read_bytes", d.input_read_bytes, "hbm_read_bytes", d.hbm_read_bytes);
  unit.at_most("output_write_bytes", d.output_write_bytes, "hbm_write_bytes", d.hbm_write_bytes);
  if (!snapshot.truncated.empty()) return;  // transfers in flight were booked ahead
  unit.at_most("active_fs", d.active_fs, "device time in fs", snapshot.end_fs);
  unit.equal("completed_bytes", d.completed_bytes, "issued_bytes", d.issued_bytes);
}

void check_core(const CoreSnapshot& core, const Snapshot& snapshot) {
  const std::string name = fmt::format("core {}", core.core);
  for (std::size_t i = 0; i < kEngineCount; ++i) {
    check_engine(core.engines[i], Unit(fmt::format("{} {}", name, name_of(static_cast<EngineKind>(i)))));
  }
  check_tensor(core, Unit(name + " tensor"), snapshot.truncated.empty());
  check_traffic(core.sbuf, Unit(name + " sbuf"));
  check_traffic(core.psum, Unit(name + " psum"));
  check_dma(core.dma, Unit(name + " dma"), snapshot);
  if (snapshot.truncated.empty()) Unit(name).at_most("end_fs", core.end_fs, "device time in fs", snapshot.end_fs);
}

void check_stacks(const Snapshot& snapshot) {
  for (std::size_t i = 0; i < snapshot.hbm.size(); ++i) {
    const HbmStackCounters& s = snapshot.hbm[i];
    const Unit unit(fmt::format("hbm stack {}", i));
    unit.bounded("read_bytes", s.read_bytes);
    unit.bounded("write_bytes", s.write_bytes);
    unit.bounded("row_hits", s.row_hits);
    unit.bounded("row_misses", s.row_misses);
    unit.bounded("refreshes", s.refreshes);
    unit.bounded("data_bus_fs", s.data_bus_fs);
    unit.bounded("back_pressure", s.back_pressure);
  }
}

/// What the DMA engines of all cores moved to and from HBM is what the stacks delivered and took.
void check_hbm_bytes(const Snapshot& snapshot) {
  std::uint64_t dma_read = 0, dma_write = 0, hbm_read = 0, hbm_write = 0;
  for (const CoreSnapshot& core : snapshot.cores) {
    dma_read += core.dma.hbm_read_bytes;
    dma_write += core.dma.hbm_write_bytes;
  }
  for (const HbmStackCounters& stack : snapshot.hbm) {
    hbm_read += stack.read_bytes;
    hbm_write += stack.write_bytes;
  }
  const Unit unit("hbm");
  unit.equal("read_bytes", hbm_read, "bytes read by the DMA engines", dma_read);
  unit.equal("write_bytes", hbm_write, "bytes written by the DMA engines", dma_write);
}

/// Lines of the source, instructions without a line included, share out what the engines of a core did.
void check_sources(const Snapshot& snapshot, const CoreSnapshot& core) {
  SourceCounters sum;
  bool any = false;
  for (const SourceCounters& s : snapshot.sources) {
    if (s.core != core.core) continue;
    any = true;
    sum.instructions += s.instructions;
    sum.dma_bytes += s.dma_bytes;
    for (std::size_t e = 0; e < kEngineCount; ++e) add_counters(sum.engines[e], s.engines[e]);
  }
  if (!any) return;
  std::uint64_t instructions = 0;
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    const EngineCounters& engine = core.engines[e];
    const Unit unit(fmt::format("core {} {}, source lines", core.core, name_of(static_cast<EngineKind>(e))));
    instructions += engine.instructions;
    if (!snapshot.truncated.empty()) continue;  // work booked beyond the end was cut from the engine alone
    unit.equal("busy_cycles", sum.engines[e].busy_cycles, "busy_cycles of the engine", engine.busy_cycles);
    for (std::size_t i = 0; i < kStallReasonCount; ++i) {
      unit.equal(name_of(static_cast<StallReason>(i)), sum.engines[e].stall_cycles[i], "those of the engine", engine.stall_cycles[i]);
    }
  }
  const Unit unit(fmt::format("core {}, source lines", core.core));
  unit.equal("instructions", sum.instructions, "those of the engines", instructions);
  unit.equal("dma_bytes", sum.dma_bytes, "issued_bytes", core.dma.issued_bytes);
}

void check_exposed(const Snapshot& snapshot) {
  if (snapshot.sources.empty() || !snapshot.truncated.empty()) return;
  std::uint64_t exposed = snapshot.unexposed_fs;
  for (const SourceCounters& s : snapshot.sources) exposed += s.exposed_fs;
  Unit("source lines").equal("exposed_fs", exposed, "device time in fs", snapshot.end_fs);
}

}  // namespace

void check_accounts(const Snapshot& snapshot) {
  for (const CoreSnapshot& core : snapshot.cores) {
    check_core(core, snapshot);
    check_sources(snapshot, core);
  }
  check_exposed(snapshot);
  check_stacks(snapshot);
  Unit("run").bounded("end_fs", snapshot.end_fs);
  Unit("run").bounded("instructions", snapshot.instructions);
  if (snapshot.truncated.empty()) check_hbm_bytes(snapshot);
}

}  // namespace trnsim
