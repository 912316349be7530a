// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/influence.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/influence_load.hpp"
#include "analysis/totals.hpp"
#include "trnsim/report.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kUs = kFsPerUs;

/// A Trainium2 on which only what a test names is assumed.
class Influences : public ::testing::Test {
 protected:
  Influences() { chip.sources.clear(); }

  void assume(const std::string& path, double lo, double hi) {
    ValueSource source;
    source.confidence = "assumed";
    source.range = ValueRange{lo, hi, "a test"};
    chip.sources[path] = source;
  }

  /// An engine that executed `instructions` of `work` cycles each for its whole time.
  Snapshot busy(EngineKind kind, std::uint64_t instructions, std::uint64_t work, std::uint64_t overhead) {
    const double ghz = clock_ghz(chip, kind);
    const std::uint64_t cycles = instructions * (work + overhead);
    Snapshot run = hand_made::idle_run(chip, static_cast<std::uint64_t>(static_cast<double>(cycles) / ghz * 1e6));
    EngineCounters& e = hand_made::engine(run, kind);
    e.instructions = run.instructions = instructions;
    e.busy_cycles = instructions * work;
    e.stall_cycles[static_cast<std::size_t>(StallReason::Issue)] = instructions * overhead;
    e.idle_cycles = e.elapsed_cycles - cycles;
    e.charge_cycles[0] = instructions * work;
    return run;
  }

  std::vector<Influence> of(const Snapshot& run) {
    Result result;
    result.chip = chip;
    result.snapshot = run;
    result.time_ns = to_ns(Time{run.end_fs});
    for (const auto& [path, source] : chip.sources) result.assumed.push_back(path);
    return influences_of(result, totals_of(run));
  }

  ChipConfig chip = hand_made::chip("trn2");
};

TEST_F(Influences, OfAnOverheadAreItsCyclesOverTheTime) {
  chip.vector.issue_overhead_cycles = 50;
  assume("vector.issue_overhead_cycles", 0, 100);
  const Snapshot run = busy(EngineKind::Vector, 1000, 450, 50);
  const auto list = of(run);
  ASSERT_EQ(list.size(), 1u);
  const double ns = to_ns(Time{run.end_fs});
  EXPECT_NEAR(list[0].lo_ns, 0.9 * ns, 0.01 * ns);
  EXPECT_NEAR(list[0].hi_ns, 1.1 * ns, 0.01 * ns);
  EXPECT_NEAR(share_of(list[0], ns), 0.2, 0.02);
}

TEST_F(Influences, OfACostPerElementAreThoseOfTheInstructionsChargedWithIt) {
  assume("vector.reciprocal", 6, 12);
  Snapshot run = busy(EngineKind::Vector, 100, 600, 0);
  chip.vector.issue_overhead_cycles = 0;
  EngineCounters& e = hand_made::engine(run, EngineKind::Vector);
  e.charge_cycles[static_cast<std::size_t>(Charge::VectorReciprocal)] = e.charge_cycles[0] / 2;
  e.charge_cycles[0] /= 2;
  const auto list = of(run);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NEAR(list[0].hi_ns / to_ns(Time{run.end_fs}), 1.5, 0.02);
}

TEST_F(Influences, OfTheShortestIntervalAreThoseOfTheInstructionsThatTookIt) {
  assume("vector.min_interval_cycles", 64, 128);
  chip.vector.issue_overhead_cycles = 0;
  Snapshot run = busy(EngineKind::Vector, 1000, 64, 0);
  EngineCounters& e = hand_made::engine(run, EngineKind::Vector);
  e.charge_cycles[0] = 0;
  e.floored = 1000;
  const auto list = of(run);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NEAR(list[0].hi_ns / to_ns(Time{run.end_fs}), 2, 0.02);
}

TEST_F(Influences, AreNoneOnAnEngineThatDidNothing) {
  assume("gpsimd.start_cycles", 100, 200);
  EXPECT_TRUE(of(busy(EngineKind::Vector, 100, 600, 0)).empty());
}

TEST_F(Influences, OfTheIssueIntervalFillARunThatCopiesLimit) {
  assume("dma.hardware_mode.issue_interval_ns", 300, 1200);
  Snapshot run = hand_made::idle_run(chip, 600 * kUs);
  hand_made::add_copy(run, 1 << 20, 1000, 16000);
  run.cores[0].dma.issue_limited_fs = 600 * kUs;
  const auto list = of(run);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NEAR(list[0].lo_ns, 0.5 * 600'000, 10'000);
  EXPECT_NEAR(list[0].hi_ns, 2.0 * 600'000, 10'000);
}

TEST_F(Influences, StrongestComesFirst) {
  chip.vector.issue_overhead_cycles = 50;
  assume("vector.issue_overhead_cycles", 45, 55);
  assume("vector.reciprocal", 3, 12);
  Snapshot run = busy(EngineKind::Vector, 1000, 450, 50);
  EngineCounters& e = hand_made::engine(run, EngineKind::Vector);
  std::swap(e.charge_cycles[0], e.charge_cycles[static_cast<std::size_t>(Charge::VectorReciprocal)]);
  const auto list = of(run);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].path, "vector.reciprocal");
}

TEST_F(Influences, LeaveOutPointsEnergyAndWhatTheUserSet) {
  assume("vector.issue_overhead_cycles", 68, 68);
  assume("energy.uncore_w", 1, 100);
  assume("chip.launch_ns", 1, 100000);
  EXPECT_TRUE(of(busy(EngineKind::Vector, 1000, 450, 68)).empty());
}

TEST_F(Influences, OfAStoppedRunAreUnknown) {
  assume("vector.issue_overhead_cycles", 0, 100);
  Snapshot run = busy(EngineKind::Vector, 1000, 450, 68);
  run.truncated = "interrupted";
  EXPECT_TRUE(of(run).empty());
}

TEST_F(Influences, AreNamedInTheReportFromFivePercentOnWhenSimulated) {
  Result result = make_result(chip, busy(EngineKind::Vector, 1000, 450, 50), {});
  const auto named = [&](double hi_ns, bool simulated) {
    result.influences = {{"vector.issue_overhead_cycles", 50, 0, 100, result.time_ns, hi_ns, simulated}};
    return terminal_report(result).find("vector.issue_overhead_cycles (50, from") != std::string::npos;
  };
  EXPECT_TRUE(named(1.06 * result.time_ns, true));
  EXPECT_FALSE(named(1.06 * result.time_ns, false)) << "an estimate may be wrong";
  EXPECT_EQ(terminal_report(result).find("move the time"), std::string::npos);
  EXPECT_FALSE(named(1.04 * result.time_ns, true));
}

TEST_F(Influences, OfTheOwnDescriptionChangeNoLoad) {
  const Snapshot run = hand_made::matmul_run(chip, 1000, 1 << 20, 2);
  const Totals totals = totals_of(run);
  const LoadModel model(chip, totals, 2);
  const Loads a = model.loads(chip), b = model.loads(chip);
  EXPECT_EQ(a.engine, b.engine);
  EXPECT_GE(a.dma, 0);
}

}  // namespace
}  // namespace trnsim
