// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// On-chip memory: capacity to the byte, and what more of it saves.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/program_builder.hpp"
#include "support/run_result.hpp"

namespace trnsim {
namespace {

using test::preset;

struct Capacity {
  const char* chip;
  std::uint32_t bytes;
};

class SbufCapacity : public testing::TestWithParam<Capacity> {
 protected:
  /// Ends of a run with tiles of these sizes, all alive at once.
  static test::Outcome run(const std::vector<std::uint32_t>& sizes, std::int64_t address = -1) {
    test::ProgramBuilder b;
    for (const std::uint32_t size : sizes) {
      const TensorId tile = b.tile(Buffer::Sbuf, 128, size, address);
      b.add(Opcode::Memset, EngineKind::Vector, {test::ProgramBuilder::on_chip(tile, Buffer::Sbuf, 128, 8)});
    }
    const ChipConfig chip = preset(GetParam().chip);
    return test::simulate_forked(chip, [&] { return b.workload(); });
  }

  static void expect_names(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
  }
};

TEST_P(SbufCapacity, IsExactForOneTile) {
  const std::uint32_t bytes = GetParam().bytes;
  EXPECT_EQ(run({bytes - 1}).error, "");
  EXPECT_EQ(run({bytes}).error, "");
  const test::Outcome refused = run({bytes + 1});
  EXPECT_EQ(refused.code, ExitCode::BadInput);
  expect_names(refused.error, {std::to_string(bytes + 1), std::to_string(bytes), "sbuf"});
}

TEST_P(SbufCapacity, IsExactForAllBuffersTogether) {
  const std::uint32_t bytes = GetParam().bytes, rest = bytes - 100'000 - 2'048;
  EXPECT_EQ(run({100'000, 2'048, rest - 1}).error, "");
  EXPECT_EQ(run({100'000, 2'048, rest}).error, "");
  const test::Outcome refused = run({100'000, 2'048, rest + 1});
  EXPECT_EQ(refused.code, ExitCode::BadInput);
  expect_names(refused.error, {"t2", "t0 (100000 B)", "t1 (2048 B)", std::to_string(rest + 1), "102048 are in use"});
}

TEST_P(SbufCapacity, CountsFromTheGivenAddress) {
  const std::uint32_t bytes = GetParam().bytes;
  EXPECT_EQ(run({1024}, bytes - 1024).error, "");
  const test::Outcome refused = run({1025}, bytes - 1024);
  EXPECT_EQ(refused.code, ExitCode::BadInput);
  expect_names(refused.error, {std::to_string(bytes - 1024), "1025"});
}

INSTANTIATE_TEST_SUITE_P(Generations, SbufCapacity,
                         testing::Values(Capacity{"trn1", 196'608}, Capacity{"trn2", 229'376}, Capacity{"trn3", 262'144}),
                         [](const auto& test) { return std::string(test.param.chip); });

TEST(SbufSize, AttentionNamesItsBuffersWhenTheyDoNotFit) {
  const ChipConfig chip = preset("trn2", {"sbuf.kib_per_partition=2"});
  try {
    make_kernel("attention", parse_params({"seq_q=512"}), chip);
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    const std::string text = error.what();
    for (const char* buffer : {"q ", "kT ", "v ", "stat ", "available 2048"}) EXPECT_NE(text.find(buffer), std::string::npos) << text;
  }
}

TEST(SbufSize, AttentionKeepsWithinSixteenKib) {
  const ChipConfig chip = preset("trn2", {"sbuf.kib_per_partition=16"});
  const Snapshot snapshot = test::kernel_snapshot(chip, "attention", "seq_q=512,causal=true");
  EXPECT_GT(snapshot.cores.at(0).sbuf.peak_bytes_per_partition, 0U);
  EXPECT_LE(snapshot.cores[0].sbuf.peak_bytes_per_partition, 16 * kKiB);
}

TEST(SbufSize, MoreOfItSavesTrafficAndTime) {
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    SCOPED_TRACE(name);
    std::vector<Snapshot> runs;
    for (const char* kib : {"8", "32", "192"}) {  // 1, 4 and 24 MiB
      const ChipConfig chip = preset(name, {std::string("sbuf.kib_per_partition=") + kib});
      runs.push_back(test::kernel_snapshot(chip, "matmul", "m=2048,n=2048,k=2048"));
    }
    EXPECT_GE(test::hbm_bytes(runs[0]), test::hbm_bytes(runs[1]));
    EXPECT_GE(test::hbm_bytes(runs[1]), test::hbm_bytes(runs[2]));
    EXPECT_GT(test::hbm_bytes(runs[0]), test::hbm_bytes(runs[2]));
    EXPECT_GE(runs[0].end_fs, runs[1].end_fs);
    EXPECT_GE(runs[1].end_fs, runs[2].end_fs);
  }
}

TEST(SbufSize, AProductThatFitsWholeIsReadAndWrittenOnce) {
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    const Snapshot snapshot = test::kernel_snapshot(preset(name), "matmul", "m=256,n=256,k=256");
    EXPECT_EQ(test::hbm_bytes(snapshot), 393'216U) << name;
  }
}

TEST(SbufSize, TrafficNeverExceedsWhatTheWorkCanNeed) {
  for (const char* params : {"m=512,n=512,k=512", "m=300,n=700,k=100", "m=512,n=512,k=512,schedule=naive"}) {
    const Snapshot snapshot = test::kernel_snapshot(preset("trn2", {"sbuf.kib_per_partition=4096"}), "matmul", params);
    EXPECT_LE(test::hbm_bytes(snapshot), 16 * test::macs(snapshot)) << params;
    EXPECT_LE(snapshot.cores[0].dma.completed_bytes, 16 * test::macs(snapshot)) << params;
  }
}

/// trn2 whose memory path costs next to nothing: no limit on rates, no latency of copies or of DRAM. The
/// array runs at full power from the start.
std::vector<std::string> free_memory() {
  std::vector<std::string> set{"hbm.stack_gb_per_s=100000", "dma.engine_gb_per_s=100000", "dma.wire_gb_per_s=100000",
                               "dma.outstanding_bytes=16777216", "tensor.throttle_start=1"};
  for (const char* key : {"hardware_mode.issue_interval", "hardware_mode.trigger", "hardware_mode.load_start", "hardware_mode.store_start",
                          "descriptor", "completion_load", "completion_store"}) {
    set.push_back(std::string("dma.") + key + "_ns=0");
  }
  for (const char* key : {"trcd", "trp", "tcl", "tras", "trrd", "tfaw", "twr", "trtp", "trfc", "write_to_read", "read_to_write",
                          "idle_latency", "remote_stack"}) {
    set.push_back(std::string("hbm.") + key + "_ns=0");
  }
  return set;
}

double busy_share(const EngineCounters& counters) {
  return static_cast<double>(counters.busy_cycles) / static_cast<double>(counters.elapsed_cycles);
}

TEST(UnlimitedMemory, OfASmallProductLeavesOnlyTheEvictionOfItsLastTile) {
  std::vector<std::string> set = free_memory();
  const ChipConfig chip = preset("trn2", set);
  const Snapshot snapshot = test::kernel_snapshot(chip, "matmul", "m=512,n=512,k=512");
  const EngineCounters& tensor = test::engine(snapshot, EngineKind::Tensor);
  EXPECT_LE(test::stall(tensor, StallReason::WaitDma) + test::stall(tensor, StallReason::WaitBuffer), 10U) << "the first tile";
  // One PSUM tile of 512 columns goes through the array's pipe, the Vector engine and two semaphores.
  const double vector_cycles = 512 + chip.vector.issue_overhead_cycles + chip.vector.pipe_latency_cycles;
  const double tail = chip.tensor.pipe_latency_cycles +
                      chip.tensor.clock_ghz * (vector_cycles / chip.vector.clock_ghz + 2 * chip.sequencer.semaphore_hop_ns);
  EXPECT_LE(static_cast<double>(tensor.idle_cycles), tail + 20);
  EXPECT_LT(busy_share(tensor), 0.8);

  set.insert(set.end(), {"vector.clock_ghz=100", "sequencer.semaphore_hop_ns=0", "tensor.pipe_latency_cycles=0"});
  const Snapshot free_eviction = test::kernel_snapshot(preset("trn2", set), "matmul", "m=512,n=512,k=512");
  EXPECT_GE(busy_share(test::engine(free_eviction, EngineKind::Tensor)), 0.95);
}

TEST(UnlimitedMemory, LeavesTheArrayNothingToWaitFor) {
  // Neither rates nor issue intervals of copies limit, and the array runs at full power from the start.
  const ChipConfig chip = preset("trn2", {"hbm.stack_gb_per_s=100000", "dma.engine_gb_per_s=100000", "dma.wire_gb_per_s=100000",
                                          "dma.hardware_mode.issue_interval_ns=0", "tensor.throttle_start=1"});
  const Snapshot snapshot = test::kernel_snapshot(chip, "matmul", "m=2048,n=2048,k=2048");
  const EngineCounters& tensor = test::engine(snapshot, EngineKind::Tensor);
  const double first_load = chip.dma.hardware_mode.load_start_ns + chip.dma.completion_load_ns + chip.hbm.idle_latency_ns;
  const auto first_cycles = static_cast<std::uint64_t>((first_load + 1000) * chip.tensor.clock_ghz);
  EXPECT_LE(test::stall(tensor, StallReason::WaitDma) + test::stall(tensor, StallReason::WaitBuffer), first_cycles);
  EXPECT_GE(busy_share(tensor), 0.95);
}

// 16 copies of 2 MiB in long rows: bandwidth alone counts.
TEST(RingEngines, OneRingWithHalfOfThemMovesHalfAsMuch) {
  const ChipConfig half = preset("trn2", {"dma.ring_engine_share=0.5"});
  const auto ns = [](const ChipConfig& chip, const char* rings) {
    return test::kernel_ns(chip, "copy", std::string("bytes=33554432,bytes_per_partition=16384,dma_queues=") + rings);
  };
  const double all = ns(preset("trn2"), "1");
  EXPECT_NEAR(ns(half, "1") / all, 2, 0.03);
  EXPECT_NEAR(ns(half, "2") / all, 1, 0.03);
}

TEST(RingEngines, OfTheRingsInUseLimitACopyAndSaySo) {
  const Result result =
      test::kernel_result(preset("trn2", {"dma.ring_engine_share=0.25"}), "copy", "bytes=33554432,bytes_per_partition=16384,dma_queues=1");
  EXPECT_EQ(result.snapshot.cores[0].dma.engines_used, 4U);
  EXPECT_EQ(result.bottleneck.resource, "DMA engines");
  EXPECT_NE(result.bottleneck.sentence.find("The DMA engines of the rings in use limit"), std::string::npos) << result.bottleneck.sentence;
  EXPECT_NEAR(result.dma_utilization.value(), 0.25, 0.01);
}

}  // namespace
}  // namespace trnsim
