// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "stats/time_split.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace trnsim {
namespace {

std::uint64_t stalls(const EngineCounters& e, StallReason reason) { return e.stall_cycles[static_cast<std::size_t>(reason)]; }

std::uint64_t sum(const EngineCounters& e) {
  return e.busy_cycles + e.idle_cycles + std::accumulate(e.stall_cycles.begin(), e.stall_cycles.end(), std::uint64_t{0});
}

TEST(TimeSplit, EveryCycleGoesUnderOneState) {
  TimeSplit split;
  split.stall(StallReason::WaitDma, Cycles{100});
  split.busy(Cycles{164});
  split.stall(StallReason::Throttle, Cycles{200});
  const EngineCounters e = split.finish(Cycles{250});
  EXPECT_EQ(stalls(e, StallReason::WaitDma), 100U);
  EXPECT_EQ(e.busy_cycles, 64U);
  EXPECT_EQ(stalls(e, StallReason::Throttle), 36U);
  EXPECT_EQ(e.idle_cycles, 50U);
  EXPECT_EQ(e.elapsed_cycles, 250U);
}

TEST(TimeSplit, WhatIsBookedStaysBooked) {
  TimeSplit split;
  split.busy(Cycles{100});
  split.stall(StallReason::Issue, Cycles{80});
  const EngineCounters e = split.finish(Cycles{100});
  EXPECT_EQ(e.busy_cycles, 100U);
  EXPECT_EQ(stalls(e, StallReason::Issue), 0U);
}

TEST(TimeSplit, TheEndOfAStoppedRunCutsItsLastSegment) {
  TimeSplit split;
  split.stall(StallReason::WaitDma, Cycles{100});
  split.busy(Cycles{600});
  const EngineCounters e = split.finish(Cycles{250});
  EXPECT_EQ(e.busy_cycles, 150U);
  EXPECT_EQ(e.elapsed_cycles, 250U);
}

TEST(TimeSplit, TheCutReachesOverSeveralSegments) {
  TimeSplit split;
  split.busy(Cycles{100});
  split.stall(StallReason::WaitEngine, Cycles{300});
  split.busy(Cycles{400});
  split.stall(StallReason::Throttle, Cycles{450});
  const EngineCounters e = split.finish(Cycles{250});
  EXPECT_EQ(e.busy_cycles, 100U);
  EXPECT_EQ(stalls(e, StallReason::WaitEngine), 150U);
  EXPECT_EQ(stalls(e, StallReason::Throttle), 0U);
  EXPECT_EQ(sum(e), 250U);
}

TEST(TimeSplit, ACutFurtherThanTheMemoryStillAddsUp) {
  TimeSplit split;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    split.busy(Cycles{20 * i - 10});
    split.stall(StallReason::Issue, Cycles{20 * i});
  }
  for (const std::uint64_t end : {0ULL, 5ULL, 9999ULL, 19999ULL, 20000ULL, 30000ULL}) {
    TimeSplit copy = split;
    const EngineCounters e = copy.finish(Cycles{end});
    EXPECT_EQ(e.elapsed_cycles, end);
    EXPECT_EQ(sum(e), end);
  }
}

}  // namespace
}  // namespace trnsim
