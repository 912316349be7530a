// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/clock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace trnsim {
namespace {

TEST(Clock, WholePeriodsAreExact) {
  const Clock clock(1.0);
  EXPECT_EQ(clock.time_of(Cycles{5}).value, 5'000'000U);
}

TEST(Clock, FractionalPeriodsRoundUp) {
  const Clock clock(2.4);  // 416,666.67 fs
  EXPECT_EQ(clock.time_of(Cycles{1}).value, 416'667U);
  EXPECT_EQ(clock.time_of(Cycles{3}).value, 1'250'000U);
}

TEST(Clock, DoesNotDriftOverASecond) {
  const Clock clock(1.12);
  EXPECT_EQ(clock.time_of(Cycles{1'120'000'000}).value, 1'000'000'000'000'000U);
}

TEST(Clock, TheEdgeAtAnEdgeIsThatEdge) {
  const Clock clock(2.4);
  EXPECT_EQ(clock.edge_at_or_after(clock.time_of(Cycles{7})).value, 7U);
}

TEST(Clock, OneFemtosecondLaterIsTheNextEdge) {
  const Clock clock(2.4);
  EXPECT_EQ(clock.edge_at_or_after(clock.time_of(Cycles{7}) + Time{1}).value, 8U);
}

TEST(Clock, TimeZeroIsEdgeZero) { EXPECT_EQ(Clock(0.96).edge_at_or_after(Time{}).value, 0U); }

TEST(Clock, HoursOfCyclesDoNotOverflow) {
  const Clock clock(2.4);
  const Cycles hour{2'400'000'000ULL * 3600};
  EXPECT_EQ(clock.time_of(hour).value, 3'600'000'000'000'000'000ULL);
  EXPECT_EQ(clock.edge_at_or_after(Time{3'600'000'000'000'000'000ULL}), hour);
}

RC_GTEST_PROP(Clock, EdgesAndTimesAreInverse, ()) {
  const Clock clock(*rc::gen::element(0.96, 1.12, 1.2, 1.4, 2.4, 2.8, 0.125, 99.0));
  const Cycles n{*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40)};
  RC_ASSERT(clock.edge_at_or_after(clock.time_of(n)) == n);
}

RC_GTEST_PROP(Clock, AnEdgeIsNeverBeforeTheTimeAskedFor, ()) {
  const Clock clock(*rc::gen::element(0.96, 1.12, 1.2, 1.4, 2.4, 2.8));
  const Time t{*rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 60)};
  const Cycles edge = clock.edge_at_or_after(t);
  RC_ASSERT(clock.time_of(edge) >= t);
  RC_ASSERT(clock.time_of(Cycles{edge.value - 1}) < t);
}

}  // namespace
}  // namespace trnsim
