// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/observer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/forked.hpp"
#include "trnsim/workload.hpp"

namespace trnsim {
namespace {

using test::preset;

/// Adds everything up as the accounts do, and remembers when each instruction and copy was usable.
class Sums : public RunObserver {
 public:
  struct Done {
    Time start, usable;
  };
  struct Core {
    std::array<EngineCounters, kEngineCount> engines{};
    std::array<std::vector<Done>, kEngineCount> instructions;
    std::map<std::uint8_t, std::vector<Time>> copies;
    std::uint64_t array_cycles = 0, planned = 0;
    DmaCounters dma;
  };
  std::map<std::uint32_t, Core> cores;
  std::map<std::uint32_t, HbmStackCounters> stacks;
  std::vector<ExecutedInstruction> all;
  std::map<StartCause, std::size_t> causes;
  std::int64_t tiles_alive = 0;
  std::string order_error;
  Snapshot end_snapshot;

  void placed(const PlacedTile&, const TensorInfo&) override { ++tiles_alive; }
  void released(std::uint32_t, TensorId) override { --tiles_alive; }
  void planned(const PlannedInstruction& p, const Instruction&) override { ++cores[p.core].planned; }
  void executed(const ExecutedInstruction& e) override {
    Core& core = cores[e.core];
    const auto engine = static_cast<std::size_t>(e.engine);
    for (const ObservedInterval& i : e.intervals)
      (i.busy ? core.engines[engine].busy_cycles : core.engines[engine].stall_cycles[static_cast<std::size_t>(i.reason)]) += i.cycles.value;
    if (!e.started) return;
    ++core.engines[engine].instructions;
    core.instructions[engine].push_back({e.start, e.usable});
    if (core.instructions[engine].size() != e.number) order_error = "an engine's instructions are not in order";
    core.array_cycles += e.array_cycles.value;
    ++causes[e.cause.kind];
    all.push_back(e);
    all.back().intervals = {};
  }
  void triggered(const TriggeredCopy& c) override {
    ++cores[c.core].dma.transfers;
    cores[c.core].dma.issued_bytes += c.bytes;
  }
  void moved(const MovedChunk& c) override {
    cores[c.core].dma.completed_bytes += c.bytes;
    cores[c.core].dma.engine_busy_fs += c.engine_time.value;
  }
  void completed(const CompletedCopy& c) override {
    cores[c.core].copies[c.ring].push_back(c.usable);
    if (cores[c.core].copies[c.ring].size() != c.copy) order_error = "a ring's copies are not in order";
  }
  void accessed(const HbmAccess& a) override { (a.write ? stacks[a.stack].write_bytes : stacks[a.stack].read_bytes) += a.bytes; }
  void end(const Snapshot& snapshot) override { end_snapshot = snapshot; }
};

Snapshot observe(RunObserver* observer, const std::string& chip, const std::string& kernel, const std::string& params, unsigned cores = 1,
                 const std::vector<std::string>& set = {}) {
  const ChipConfig config = preset(chip, set);
  Workload workload = make_kernel(kernel, parse_params({params}), config, cores);
  RunOptions options;
  options.observer = observer;
  Snapshot snapshot = simulate(config, workload, options);
  forget_simulation();
  return snapshot;
}

void expect_sums(const Sums& sums, const Snapshot& snapshot) {
  EXPECT_EQ(sums.order_error, "");
  for (const CoreSnapshot& core : snapshot.cores) {
    const Sums::Core& seen = sums.cores.at(core.core);
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      EXPECT_EQ(seen.engines[e].busy_cycles, core.engines[e].busy_cycles) << e;
      EXPECT_EQ(seen.engines[e].stall_cycles, core.engines[e].stall_cycles) << e;
      EXPECT_EQ(seen.engines[e].instructions, core.engines[e].instructions) << e;
    }
    EXPECT_EQ(seen.array_cycles, core.tensor.array_cycles);
    EXPECT_EQ(seen.dma.transfers, core.dma.transfers);
    EXPECT_EQ(seen.dma.issued_bytes, core.dma.issued_bytes);
    EXPECT_EQ(seen.dma.completed_bytes, core.dma.completed_bytes);
    EXPECT_EQ(seen.dma.engine_busy_fs, core.dma.engine_busy_fs);
  }
  for (const auto& [stack, bytes] : sums.stacks) {
    EXPECT_EQ(bytes.read_bytes, snapshot.hbm[stack].read_bytes);
    EXPECT_EQ(bytes.write_bytes, snapshot.hbm[stack].write_bytes);
  }
}

/// What the cause of a start says was there by then, or NoTime.
bool fits(const Sums::Core& core, const ExecutedInstruction& e) {
  switch (e.cause.kind) {
    case StartCause::None: return true;
    case StartCause::Result:
    case StartCause::LoadResult: {
      const Sums::Done& by = core.instructions[e.cause.actor][e.cause.number - 1];
      const Time arrival = by.usable;
      const Time waiting = e.cause.kind == StartCause::LoadResult ? e.load_from : e.start;
      return arrival <= waiting && to_ns(waiting) - to_ns(arrival) < 1.0;  // up to the next clock edge
    }
    case StartCause::Copy:
    case StartCause::LoadCopy: {
      const Time arrival = core.copies.at(e.cause.actor)[e.cause.number - 1];
      const Time waiting = e.cause.kind == StartCause::LoadCopy ? e.load_from : e.start;
      return arrival <= waiting && to_ns(waiting) - to_ns(arrival) < 1.0;
    }
    case StartCause::RingRoom: return e.cause.number >= 1;
    default: return e.cause.number >= 1 && core.instructions[e.cause.actor][e.cause.number - 1].start <= e.start;
  }
}

struct Case {
  const char *chip, *kernel, *params;
  unsigned cores;
};

class ObservedKernel : public testing::TestWithParam<Case> {};

TEST_P(ObservedKernel, AddsUpToTheCountersOfTheRun) {
  Sums sums;
  const Snapshot snapshot = observe(&sums, GetParam().chip, GetParam().kernel, GetParam().params, GetParam().cores);
  expect_sums(sums, snapshot);
  EXPECT_EQ(sums.end_snapshot, snapshot);
}

TEST_P(ObservedKernel, RunsAsIfNobodyLooked) {
  Sums sums;
  const Snapshot seen = observe(&sums, GetParam().chip, GetParam().kernel, GetParam().params, GetParam().cores);
  EXPECT_EQ(observe(nullptr, GetParam().chip, GetParam().kernel, GetParam().params, GetParam().cores), seen);
}

TEST_P(ObservedKernel, NamesForEveryStartWhatArrivedLast) {
  Sums sums;
  observe(&sums, GetParam().chip, GetParam().kernel, GetParam().params, GetParam().cores);
  std::size_t wrong = 0;
  for (const ExecutedInstruction& e : sums.all) {
    if (!fits(sums.cores.at(e.core), e)) ++wrong;
  }
  EXPECT_EQ(wrong, 0U) << "of " << sums.all.size();
  EXPECT_LE(sums.causes[StartCause::None], 8U * kEngineCount);
}

INSTANTIATE_TEST_SUITE_P(Kernels, ObservedKernel,
                         testing::Values(Case{"trn2", "matmul", "m=512,n=1024,k=512", 1},
                                         Case{"trn2", "matmul", "m=512,n=512,k=512,schedule=naive", 2},
                                         Case{"trn3", "matmul", "m=512,n=1024,k=512,dtype=mxfp8", 1},
                                         Case{"trn1", "softmax", "rows=1024,cols=2048", 1},
                                         Case{"trn2", "attention", "batch=1,heads=1,seq_q=512,seq_k=512,head_dim=64", 1},
                                         Case{"trn3", "attention", "batch=1,heads=1,seq_q=512,seq_k=512,head_dim=64", 1},
                                         Case{"trn2", "copy", "bytes=4194304,bytes_per_partition=512,from=hbm,to=sbuf", 1},
                                         Case{"trn1", "rmsnorm", "rows=512,cols=1024", 2}));

}  // namespace
}  // namespace trnsim
