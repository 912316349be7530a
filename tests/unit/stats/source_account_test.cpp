// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "stats/source_account.hpp"

#include <gtest/gtest.h>

#include "stats/time_split.hpp"

namespace trnsim {
namespace {

class Frontier : public ::testing::Test {
 protected:
  CompletionFrontier frontier;
  std::uint64_t a = 0, b = 0, c = 0;
};

TEST_F(Frontier, ACompletionHasTheTimeSinceTheOneBefore) {
  frontier.complete(Time{0}, Time{100}, a);
  frontier.complete(Time{0}, Time{130}, b);
  frontier.complete(Time{0}, Time{200}, a);
  frontier.finish(Time{250});
  EXPECT_EQ(a, 170U);
  EXPECT_EQ(b, 30U);
  EXPECT_EQ(frontier.reached(), Time{200});
}

TEST_F(Frontier, AnnouncementsAheadOfTimeTakeTheirTurn) {
  frontier.complete(Time{0}, Time{1000}, a);  // booked ahead
  frontier.complete(Time{10}, Time{400}, b);
  frontier.complete(Time{500}, Time{600}, c);
  frontier.finish(Time{1000});
  EXPECT_EQ(b, 400U);
  EXPECT_EQ(c, 200U);
  EXPECT_EQ(a, 400U);
}

TEST_F(Frontier, OfEqualTimesTheFirstAnnouncedCounts) {
  frontier.complete(Time{0}, Time{50}, a);
  frontier.complete(Time{0}, Time{50}, b);
  frontier.finish(Time{50});
  EXPECT_EQ(a, 50U);
  EXPECT_EQ(b, 0U);
}

TEST_F(Frontier, NothingCountsBeyondTheEndOfAStoppedRun) {
  frontier.complete(Time{0}, Time{80}, a);
  frontier.complete(Time{0}, Time{300}, b);
  frontier.finish(Time{100});
  EXPECT_EQ(a + b, 100U);
}

TEST_F(Frontier, WhatWaitsIsBoundedAndLosesNoTime) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < CompletionFrontier::kMost + 100; ++i) frontier.complete(Time{0}, Time{10'000'000 - i}, i % 2 == 0 ? a : b);
  frontier.finish(Time{10'000'000});
  sum = a + b;
  EXPECT_EQ(sum, 10'000'000U);
}

TEST(SourceAccount, CountersKeepTheirPlace) {
  CompletionFrontier frontier;
  SourceAccount account(frontier);
  SourceCounters& first = account[0];
  for (std::uint32_t line = 1; line < 5000; ++line) ++account[line].instructions;
  EXPECT_EQ(&first, &account[0]);
  account.complete(Time{0}, Time{70}, 3);
  frontier.finish(Time{70});
  EXPECT_EQ(account[3].exposed_fs, 70U);
}

TEST(TimeSplit, ALineIsChargedWithWhatIsBookedForIt) {
  TimeSplit split;
  SourceEngineTime one, two;
  split.charge(&one);
  split.stall(StallReason::WaitDma, Cycles{10});
  split.busy(Cycles{30});
  split.charge(&two);
  split.busy(Cycles{35});
  const EngineCounters all = split.finish(Cycles{50});
  EXPECT_EQ(one.stall_cycles[static_cast<std::size_t>(StallReason::WaitDma)], 10U);
  EXPECT_EQ(one.busy_cycles, 20U);
  EXPECT_EQ(two.busy_cycles, 5U);
  EXPECT_EQ(all.busy_cycles, 25U);
  EXPECT_EQ(all.idle_cycles, 15U);
}

TEST(TimeSplit, TheCutOfAStoppedRunIsTakenFromItsLine) {
  TimeSplit split;
  SourceEngineTime one, two;
  split.charge(&one);
  split.busy(Cycles{30});
  split.charge(&two);
  split.busy(Cycles{60});
  split.finish(Cycles{20});
  EXPECT_EQ(one.busy_cycles, 20U);
  EXPECT_EQ(two.busy_cycles, 0U);
}

}  // namespace
}  // namespace trnsim
