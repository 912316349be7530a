// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/verdict.hpp"

#include <gtest/gtest.h>

namespace trnsim::app {
namespace {

/// A case that expects and gets these cycles.
struct Judged {
  GoldenFile file;
  GoldenCase golden;
  CheckedCase checked;

  Judged(std::optional<std::uint64_t> expected, std::uint64_t got, Tolerance tolerance = {}) {
    golden.cycles = expected;
    checked.golden = &golden;
    checked.tolerance = tolerance;
    checked.run.values.cycles = got;
    judge(checked);
  }
};

Verdict verdict(std::optional<std::uint64_t> expected, std::uint64_t got, Tolerance tolerance = {}) {
  return Judged(expected, got, tolerance).checked.verdict;
}

TEST(CheckVerdict, IsExactInBothDirections) {
  EXPECT_EQ(verdict(100'000, 99'999), Verdict::Improvement);
  EXPECT_EQ(verdict(100'000, 100'000), Verdict::Ok);
  EXPECT_EQ(verdict(100'000, 100'001), Verdict::Slower);
}

TEST(CheckVerdict, FollowsTheRuleOfTwoPercentAndThirtyCycles) {
  const Tolerance rule{20'000'000, 30};
  EXPECT_EQ(verdict(10'000, 10'190, rule), Verdict::Ok);
  EXPECT_EQ(verdict(10'000, 10'210, rule), Verdict::Slower);
  EXPECT_EQ(verdict(100, 103, rule), Verdict::Ok);
  EXPECT_EQ(verdict(10'000, 9'500, rule), Verdict::Improvement);
}

TEST(CheckVerdict, AnImprovementAsksForAnUpdate) {
  EXPECT_EQ(Judged(10'000, 9'500).checked.reason, "improvement, update the golden file: 500 cycles fewer (-5 %), must be equal");
  EXPECT_EQ(Judged(10'000, 10'210, {20'000'000, 30}).checked.reason, "slower by 210 cycles (+2.1 %), allowed 2 % or 30 cycles");
}

TEST(CheckVerdict, ImprovementsFailOrAreNoted) {
  EXPECT_TRUE(fails(Verdict::Improvement, {true}));
  EXPECT_FALSE(fails(Verdict::Improvement, {false}));
  EXPECT_TRUE(fails(Verdict::Slower, {false}));
  EXPECT_FALSE(fails(Verdict::Ok, {true}));
}

TEST(CheckVerdict, AMissingExpectationFails) {
  EXPECT_EQ(verdict(std::nullopt, 5), Verdict::New);
  EXPECT_TRUE(fails(Verdict::New, {false}));
}

TEST(CheckVerdict, AResultOfZeroFailsEvenIfNothingIsExpected) {
  EXPECT_EQ(verdict(5, 0), Verdict::Zero);
  EXPECT_EQ(verdict(std::nullopt, 0), Verdict::Zero);
  EXPECT_EQ(verdict(5, 0, {1'000'000'000, 1000}), Verdict::Zero);
}

TEST(CheckVerdict, ATruncatedRunFailsEvenWithTheSameCycles) {
  Judged judged(5, 5);
  judged.checked.run.truncated = "--max-time 1us reached";
  judge(judged.checked);
  EXPECT_EQ(judged.checked.verdict, Verdict::Truncated);
}

TEST(CheckVerdict, EveryEndOfARunHasItsWord) {
  const std::vector<std::pair<JobEnd, std::string>> words{
      {JobEnd::Refused, "refused"}, {JobEnd::Crashed, "crashed"}, {JobEnd::TimedOut, "timed out"}, {JobEnd::OutOfMemory, "out of memory"}};
  for (const auto& [end, word] : words) {
    Judged judged(5, 0);
    judged.checked.run.end = end;
    judged.checked.run.error = "what went wrong";
    judge(judged.checked);
    EXPECT_EQ(name_of(judged.checked.verdict), word);
    EXPECT_EQ(judged.checked.reason, "what went wrong");
  }
}

TEST(CheckVerdict, EnergyAndTrafficCountWhereTheyAreExpected) {
  Judged judged(5, 5);
  judged.checked.run.values = {5, 110, 64};
  judged.golden.dma_bytes = 64;
  judged.golden.energy_pj = 100;
  judge(judged.checked);
  EXPECT_EQ(judged.checked.verdict, Verdict::Energy);
  EXPECT_EQ(judged.checked.reason, "energy is 110 pJ instead of 100 (+10 %)");
  judged.golden.dma_bytes = 65;
  judge(judged.checked);
  EXPECT_EQ(judged.checked.verdict, Verdict::Traffic);
}

TEST(CheckVerdict, MinCyclesSaysNothingAboutBytes) {
  Judged judged(5, 5, {0, 1000});
  judged.golden.dma_bytes = 65;
  judged.checked.run.values.dma_bytes = 64;
  judge(judged.checked);
  EXPECT_EQ(judged.checked.verdict, Verdict::Traffic);
}

TEST(CheckVerdict, SmallChangesAreNotRoundedAway) {
  EXPECT_EQ(percent_change(100'000, 100'001), "+0.001 %");
  EXPECT_EQ(percent_change(3, 2), "-33.33 %");
  EXPECT_EQ(percent_change(7, 7), "0 %");
  EXPECT_EQ(percent_change(0, 7), "from 0");
}

TEST(CheckVerdict, ReportsCountFailuresAndNotes) {
  CheckReport report;
  report.cases = {Judged(5, 4).checked, Judged(5, 5).checked, Judged(5, 6).checked};
  EXPECT_EQ(report.failures(), 2u);
  EXPECT_EQ(report.notes(), 0u);
  report.policy.improvements_fail = false;
  EXPECT_EQ(report.failures(), 1u);
  EXPECT_EQ(report.notes(), 1u);
}

}  // namespace
}  // namespace trnsim::app
