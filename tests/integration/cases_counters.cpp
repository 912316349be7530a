// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// No counter is printed that nothing ever counts: a few workloads together make each of them move. The list
// of counters is the header of the CSV, so a new column without work behind it fails.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "support/program_builder.hpp"
#include "support/run_result.hpp"

namespace trnsim {
namespace {

using test::preset;
using test::ProgramBuilder;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) result.push_back(cell);
  return result;
}

Operand in_sbuf(TensorId id, std::uint64_t offset = 0) { return ProgramBuilder::on_chip(id, Buffer::Sbuf, 128, 512, DType::Bf16, offset); }
Operand in_psum(TensorId id) { return ProgramBuilder::on_chip(id, Buffer::Psum, 128, 512, DType::Fp32); }

/// Every engine and every kind of waiting: shared ports and banks, full rings, table loads, a cold array.
Workload contention() {
  ProgramBuilder b;
  const TensorId in = b.hbm("in", {128, 512}, DType::Bf16, TensorUse::Input),
                 out = b.hbm("out", {128, 512}, DType::Bf16, TensorUse::Output);
  const TensorId x = b.sbuf(128, 1024), y = b.sbuf(128, 1024), z = b.sbuf(128, 1024), bank = b.psum(128, 2048);
  for (int i = 0; i < 80; ++i) b.load(x, in, 128, 512);
  b.matmul(bank, x, x, 128, 128, 512);
  b.matmul(bank, x, y, 64, 32, 100);
  for (int i = 0; i < 4; ++i) {
    b.matmul(bank, x, x, 128, 128, 512, DType::Bf16, true);
    b.add(Opcode::TensorCopy, EngineKind::Vector, {in_sbuf(y), in_psum(bank)});
    b.add(Opcode::Activation, EngineKind::Scalar, {in_sbuf(z), in_psum(bank)}).function = i % 2 == 0 ? ActFn::Exp : ActFn::Tanh;
    b.add(Opcode::Iota, EngineKind::GpSimd, {in_sbuf(x)});
    b.add(Opcode::TensorScalar, EngineKind::Vector, {in_sbuf(y), in_sbuf(y)});
    b.store(out, y, 128, 512);
    b.load(z, in, 128, 512);
  }
  return b.workload();
}

Workload kernel(const ChipConfig& chip, const char* name, const char* params) { return make_kernel(name, parse_params({params}), chip); }

std::vector<Result> coverage() {
  std::vector<Result> results;
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    const ChipConfig chip = preset(name);
    results.push_back(test::result_of(chip, [] { return contention(); }));
  }
  const ChipConfig trn1 = preset("trn1"), trn2 = preset("trn2", {"sbuf.kib_per_partition=64"}),
                   shallow = preset("trn2", {"dma.ring_depth=1"});
  results.push_back(test::result_of(trn1, [&] { return kernel(trn1, "matmul", "m=2048,n=2048,k=1024"); }));
  results.push_back(test::result_of(trn2, [&] { return kernel(trn2, "attention", "seq_q=512,causal=true"); }));
  results.push_back(test::result_of(shallow, [&] { return kernel(shallow, "rmsnorm", "rows=512,cols=2048"); }));
  return results;
}

TEST(Counters, EveryNumericColumnIsCountedBySomeWorkload) {
  // What one kernel on one chip cannot do: send over links, wait for a host between kernels, hold the Tensor engine for reasons of
  // the other engines. Built-in kernels keep nothing but their operands in HBM.
  const std::set<std::string> none{"energy_link_pj",
                                   "tensor_stall_port_conflict_cycles",
                                   "tensor_stall_psum_bank_cycles",
                                   "tensor_stall_table_load_cycles",
                                   "tensor_stall_queue_full_cycles",
                                   "host_gap_ns",
                                   "border_inner_bytes"};
  const std::set<std::string> text{"preset", "generation",    "config_hash", "overrides", "workload",
                                   "params", "workload_hash", "run_status",  "truncated", "bottleneck"};
  const std::vector<std::string> names = cells(csv_header());
  std::map<std::string, bool> moved;
  for (const Result& result : coverage()) {
    const std::vector<std::string> values = cells(csv_row(result));
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) moved[names[i]] |= !values[i].empty() && values[i] != "0";
  }
  for (const std::string& name : names) {
    if (text.contains(name)) continue;
    EXPECT_EQ(moved[name], !none.contains(name)) << name;
  }
}

TEST(Counters, EveryReasonToStallOccurs) {
  std::map<StallReason, std::uint64_t> cycles;
  for (const Result& result : coverage()) {
    for (const EngineCounters& e : result.snapshot.cores.at(0).engines) {
      for (std::size_t r = 0; r < kStallReasonCount; ++r) cycles[static_cast<StallReason>(r)] += e.stall_cycles[r];
    }
  }
  for (std::size_t r = 0; r < kStallReasonCount; ++r) {
    const auto reason = static_cast<StallReason>(r);
    EXPECT_GT(cycles[reason], 0U) << name_of(reason);
  }
}

TEST(Counters, EveryCounterOfTheSnapshotOccurs) {
  std::map<std::string, std::uint64_t> sums;
  for (const Result& result : coverage()) {
    const CoreSnapshot& core = result.snapshot.cores.at(0);
    const TensorCounters& t = core.tensor;
    sums["matmuls"] += t.matmuls, sums["loads"] += t.loads, sums["loads_skipped"] += t.loads_skipped;
    sums["load_elements"] += t.load_elements, sums["accumulate_elements"] += t.accumulate_elements;
    sums["array_cycles"] += t.array_cycles;
    for (const auto& count : t.idle_slot_macs) sums["idle_slot_macs"] += count;
    for (const auto& count : t.transpose_macs) sums["transpose_macs"] += count;
    for (const EngineCounters& e : core.engines) sums["elements"] += e.elements, sums["fast_elements"] += e.fast_elements;
    sums["sbuf_read"] += core.sbuf.read_bytes, sums["sbuf_write"] += core.sbuf.write_bytes, sums["sbuf_peak"] += core.sbuf.peak_bytes;
    sums["psum_read"] += core.psum.read_bytes, sums["psum_write"] += core.psum.write_bytes, sums["psum_peak"] += core.psum.peak_bytes;
    sums["engine_busy_fs"] += core.dma.engine_busy_fs, sums["active_fs"] += core.dma.active_fs;
    sums["issue_limited_fs"] += core.dma.issue_limited_fs;
    for (const HbmStackCounters& s : result.snapshot.hbm) {
      sums["row_hits"] += s.row_hits, sums["row_misses"] += s.row_misses, sums["refreshes"] += s.refreshes;
      sums["data_bus_fs"] += s.data_bus_fs, sums["back_pressure"] += s.back_pressure;
    }
    sums["events"] += result.snapshot.events;
  }
  for (const auto& [name, sum] : sums) EXPECT_GT(sum, 0U) << name;
}

}  // namespace
}  // namespace trnsim
