// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <set>

#include "trnsim/error.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {
namespace {

/// One core that loaded 4 KiB and worked for 1 µs.
Snapshot small_run() {
  Snapshot s;
  s.end_fs = kFsPerUs;
  s.instructions = 3;
  CoreSnapshot core;
  core.end_fs = kFsPerUs;
  EngineCounters& tensor = core.engines[static_cast<std::size_t>(EngineKind::Tensor)];
  tensor.elapsed_cycles = 2400;
  tensor.busy_cycles = 1500;
  tensor.stall_cycles[static_cast<std::size_t>(StallReason::WaitDma)] = 800;
  tensor.idle_cycles = 100;
  tensor.instructions = 3;
  core.tensor.macs[static_cast<std::size_t>(DType::Bf16)] = 1000;
  core.tensor.array_cycles = 1400;
  core.sbuf = {4096, 4096, 4096, 32, 1 << 20};
  core.dma.issued_bytes = core.dma.completed_bytes = core.dma.hbm_read_bytes = 4096;
  core.dma.active_fs = kFsPerUs / 2;
  s.cores.push_back(core);
  s.hbm.resize(2);
  s.hbm[0].read_bytes = 4096;
  return s;
}

EngineCounters& tensor_of(Snapshot& s) { return s.cores[0].engines[static_cast<std::size_t>(EngineKind::Tensor)]; }

/// The message of the InternalError, or "" if the accounts are in order.
std::string complaint(const Snapshot& s) {
  try {
    check_accounts(s);
  } catch (const InternalError& e) {
    return e.what();
  }
  return {};
}

bool names(const std::string& message, std::string_view word) { return message.find(word) != std::string::npos; }

TEST(Accounts, AnOrderlyRunPasses) { EXPECT_EQ(complaint(small_run()), ""); }

TEST(Accounts, AnEmptyRunPasses) { EXPECT_EQ(complaint(Snapshot{}), ""); }

/// The same run, shared out over two lines of its source.
Snapshot run_with_sources() {
  Snapshot s = small_run();
  SourceCounters one, two;
  one.at = {12, 0};
  one.instructions = 1;
  one.dma_bytes = 4096;
  one.exposed_fs = kFsPerUs / 4;
  one.engines[0].stall_cycles[static_cast<std::size_t>(StallReason::WaitDma)] = 800;
  two.at = {13, 0};
  two.instructions = 2;
  two.exposed_fs = kFsPerUs / 2;
  two.engines[0].busy_cycles = 1500;
  s.sources = {one, two};
  s.unexposed_fs = kFsPerUs / 4;
  return s;
}

TEST(Accounts, LinesOfTheSourceShareOutTheRun) { EXPECT_EQ(complaint(run_with_sources()), ""); }

TEST(Accounts, ALostPartOfALineIsNamed) {
  const auto broken = [](auto change) {
    Snapshot s = run_with_sources();
    change(s);
    return complaint(s);
  };
  EXPECT_TRUE(names(broken([](Snapshot& s) { s.sources[1].engines[0].busy_cycles -= 1; }), "core 0 tensor, source lines.busy_cycles"));
  EXPECT_TRUE(names(broken([](Snapshot& s) { s.sources[0].engines[0].stall_cycles[0] += 1; }), "source lines.wait_dma"));
  EXPECT_TRUE(names(broken([](Snapshot& s) { s.sources[0].instructions += 1; }), "source lines.instructions"));
  EXPECT_TRUE(names(broken([](Snapshot& s) { s.sources[0].dma_bytes += 1; }), "source lines.dma_bytes"));
  EXPECT_TRUE(names(broken([](Snapshot& s) { s.sources[0].exposed_fs += 1; }), "source lines.exposed_fs"));
}

TEST(Accounts, LinesOfTheSourceSurviveTheWayToAnotherProcess) {
  const Snapshot s = run_with_sources();
  EXPECT_EQ(snapshot_from_bytes(to_bytes(s)), s);
}

TEST(Accounts, ALostCycleNamesCoreAndEngine) {
  Snapshot s = small_run();
  tensor_of(s).busy_cycles -= 1;
  const std::string message = complaint(s);
  EXPECT_TRUE(names(message, "core 0 tensor")) << message;
  EXPECT_TRUE(names(message, "2399")) << message;
  EXPECT_TRUE(names(message, "elapsed_cycles = 2400")) << message;
}

TEST(Accounts, ACounterBelowZeroIsNamedAndNotSummedAway) {
  Snapshot s = small_run();
  tensor_of(s).idle_cycles = ~std::uint64_t{0} - 15;  // -16
  tensor_of(s).busy_cycles += 116;
  const std::string message = complaint(s);
  EXPECT_TRUE(names(message, "idle_cycles")) << message;
  EXPECT_TRUE(names(message, "below zero")) << message;
}

TEST(Accounts, AWrappedStallIsNamedByItsCause) {
  Snapshot s = small_run();
  tensor_of(s).stall_cycles[static_cast<std::size_t>(StallReason::PsumBank)] = ~std::uint64_t{0};
  EXPECT_TRUE(names(complaint(s), "psum_bank")) << complaint(s);
}

TEST(Accounts, BytesInFlightAtTheEndAreAnError) {
  Snapshot s = small_run();
  s.cores[0].dma.issued_bytes += 64;
  const std::string message = complaint(s);
  EXPECT_TRUE(names(message, "core 0 dma.completed_bytes")) << message;
  EXPECT_TRUE(names(message, "4160")) << message;
}

TEST(Accounts, BytesInFlightOfAStoppedRunAreNone) {
  Snapshot s = small_run();
  s.truncated = "--max-time 1us reached";
  s.cores[0].dma.issued_bytes += 64;
  EXPECT_EQ(complaint(s), "");
}

TEST(Accounts, MoreCompletedThanIssuedIsAnErrorEvenWhenStopped) {
  Snapshot s = small_run();
  s.truncated = "stopped";
  s.cores[0].dma.completed_bytes += 64;
  EXPECT_TRUE(names(complaint(s), "completed_bytes")) << complaint(s);
}

TEST(Accounts, StacksDeliverWhatTheDmaEnginesRead) {
  Snapshot s = small_run();
  s.hbm[1].read_bytes = 1;
  EXPECT_TRUE(names(complaint(s), "hbm.read_bytes")) << complaint(s);
}

TEST(Accounts, StacksTakeWhatTheDmaEnginesWrite) {
  Snapshot s = small_run();
  s.cores[0].dma.hbm_write_bytes = 64;
  EXPECT_TRUE(names(complaint(s), "hbm.write_bytes")) << complaint(s);
}

TEST(Accounts, TilesDoNotExceedTheirMemory) {
  Snapshot s = small_run();
  s.cores[0].sbuf.peak_bytes = s.cores[0].sbuf.capacity_bytes + 1;
  EXPECT_TRUE(names(complaint(s), "core 0 sbuf.peak_bytes")) << complaint(s);
}

TEST(Accounts, PartsDoNotExceedTheirWhole) {
  Snapshot s = small_run();
  s.cores[0].tensor.transpose_macs[static_cast<std::size_t>(DType::Bf16)] = 1001;
  EXPECT_TRUE(names(complaint(s), "transpose_macs")) << complaint(s);
  s = small_run();
  s.cores[0].tensor.double_row_macs = 1;  // there is no FP8
  EXPECT_TRUE(names(complaint(s), "double_row_macs")) << complaint(s);
  s = small_run();
  s.cores[0].tensor.onezero_macs = 1;  // there is no FP32
  EXPECT_TRUE(names(complaint(s), "onezero_macs")) << complaint(s);
  s = small_run();
  tensor_of(s).fast_elements = 1;
  EXPECT_TRUE(names(complaint(s), "fast_elements")) << complaint(s);
  s = small_run();
  s.cores[0].tensor.array_cycles = 2401;
  EXPECT_TRUE(names(complaint(s), "array_cycles")) << complaint(s);
}

TEST(Accounts, ACoreDoesNotOutliveTheRun) {
  Snapshot s = small_run();
  s.cores[0].end_fs += 1;
  EXPECT_TRUE(names(complaint(s), "core 0.end_fs")) << complaint(s);
}

TEST(StallReasons, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kStallReasonCount; ++i) names.insert(name_of(static_cast<StallReason>(i)));
  EXPECT_EQ(names.size(), kStallReasonCount);
  EXPECT_EQ(name_of(StallReason::WaitDma), "wait_dma");
  EXPECT_EQ(name_of(StallReason::Issue), "issue");
}

}  // namespace
}  // namespace trnsim
