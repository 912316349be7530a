// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/range.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/app/sweep/sweep_support.hpp"

namespace trnsim::app {
namespace {

using Texts = std::vector<std::string>;

const Target kWhole = *target_of("params.m");
const Target kNumber = *target_of("set.hbm.stack_gb_per_s");

Texts values(const AxisRange& range, const Target& target) { return range_values(range, target); }

TEST(Range, StepsIsTheNumberOfValuesWithBothEnds) {
  EXPECT_EQ(values({0, 1, false, 5, 0}, kNumber), (Texts{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(values({5, 5, false, 1, 0}, kNumber), (Texts{"5"}));
}

TEST(Range, ALogScaleHasEqualRatios) { EXPECT_EQ(values({200, 1600, true, 4, 0}, kNumber), (Texts{"200", "400", "800", "1600"})); }

TEST(Range, AStepIsTheDifferenceOfNeighbours) {
  EXPECT_EQ(values({0, 0.5, false, 0, 0.1}, kNumber), (Texts{"0", "0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(values({128, 700, false, 0, 256}, kWhole), (Texts{"128", "384", "640"}));
}

TEST(Range, AStepOnALogScaleIsTheRatioOfNeighbours) {
  EXPECT_EQ(values({128, 4096, true, 0, 2}, kWhole), (Texts{"128", "256", "512", "1024", "2048", "4096"}));
}

TEST(Range, MayGoDown) {
  EXPECT_EQ(values({3, 1, false, 3, 0}, kWhole), (Texts{"3", "2", "1"}));
  EXPECT_EQ(values({8, 1, true, 0, 0.5}, kWhole), (Texts{"8", "4", "2", "1"}));
  EXPECT_EQ(values({1, 0, false, 0, -0.5}, kNumber), (Texts{"1", "0.5", "0"}));
}

TEST(Range, WholeNumbersAreRoundedAndEqualOnesLeftOut) {
  EXPECT_EQ(values({1, 10, true, 8, 0}, kWhole), (Texts{"1", "2", "3", "4", "5", "7", "10"}));
  EXPECT_EQ(values({1, 3, false, 9, 0}, kWhole), (Texts{"1", "2", "3"}));
}

TEST(Range, WholeDoublesHaveNoPointAndNoExponent) {
  EXPECT_EQ(plain_number(1e15), "1000000000000000");
  EXPECT_EQ(plain_number(-0.0), "0");
  EXPECT_EQ(plain_number(0.1), "0.1");
  EXPECT_EQ(plain_number(-2.5), "-2.5");
}

TEST(Range, ProblemsSayWhatIsWanted) {
  EXPECT_TRUE(contains(range_problem({1, 2, false, 2, 0}, *target_of("chip"), false), "want values"));
  EXPECT_TRUE(contains(range_problem({1, 2, false, 2, 1}, kNumber, false), "exclude each other"));
  EXPECT_TRUE(contains(range_problem({1, 2, false, 0, 0}, kNumber, false), "want steps"));
  EXPECT_EQ(range_problem({1, 2, false, 0, 0}, kNumber, true), "");
  EXPECT_TRUE(contains(range_problem({0, 2, true, 2, 0}, kNumber, false), "above 0"));
  EXPECT_TRUE(contains(range_problem({1.5, 2, false, 2, 0}, kWhole, false), "whole numbers"));
  EXPECT_TRUE(contains(range_problem({1, 2, false, 1, 0}, kNumber, false), "at least 2"));
  EXPECT_TRUE(contains(range_problem({1, 2, false, 0, -1}, kNumber, false), "does not lead from 1 to 2"));
  EXPECT_TRUE(contains(range_problem({2, 1, true, 0, 2}, kNumber, false), "does not lead from 2 to 1"));
  EXPECT_TRUE(contains(range_problem({1, 2, true, 0, 1}, kNumber, false), "does not lead"));
}

TEST(Range, CountsItsValuesBeforeTheyAreMade) {
  EXPECT_EQ(range_count({0, 1e9, false, 0, 1}), 1e9 + 1);
  EXPECT_EQ(range_count({1, 1024, true, 0, 2}), 11);
  EXPECT_EQ(range_count({1, 2, false, 7, 0}), 7);
}

RC_GTEST_PROP(RangeLaw, HasItsEndsAndIsInOrder, ()) {
  const auto from = *rc::gen::inRange(1, 100000), to = from + *rc::gen::inRange(1, 100000);
  const bool log = *rc::gen::arbitrary<bool>();
  const auto steps = *rc::gen::inRange<std::uint64_t>(2, 100);
  for (const Target& target : {kWhole, kNumber}) {
    const Texts made = values({double(from), double(to), log, steps, 0}, target);
    RC_ASSERT(made.front() == std::to_string(from));
    RC_ASSERT(made.back() == std::to_string(to));
    for (std::size_t i = 1; i < made.size(); ++i) RC_ASSERT(std::stod(made[i - 1]) < std::stod(made[i]));
  }
}

}  // namespace
}  // namespace trnsim::app
