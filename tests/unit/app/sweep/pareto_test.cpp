// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "app/sweep/analysis.hpp"
#include "trnsim/error.hpp"
#include "unit/app/sweep/table_support.hpp"

namespace trnsim::app {
namespace {

using Texts = std::vector<std::string>;
using Pairs = std::vector<std::pair<int, int>>;

SweepTable table_of(const Pairs& pairs) {
  SweepTable table{{"params.m"}, {}};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    table.rows.push_back(done_row(i, {std::to_string(i)},
                                  {{"time_ns", std::to_string(pairs[i].first)}, {"energy_total_pj", std::to_string(pairs[i].second)}}));
  }
  return table;
}

Texts front(const SweepTable& table, bool largest_x = false, bool largest_y = false) {
  Texts points;
  for (const auto& row : pareto_points(table, {"time_ns", "energy_total_pj", largest_x, largest_y}).rows) points.push_back(row.front());
  return points;
}

TEST(Pareto, KeepsWhatNothingBeatsBestXFirst) {
  EXPECT_EQ(front(table_of({{5, 1}, {1, 5}, {3, 3}, {4, 4}, {2, 6}})), (Texts{"1", "2", "0"}));
}

TEST(Pareto, EqualPointsStandSideBySide) { EXPECT_EQ(front(table_of({{2, 2}, {1, 3}, {2, 2}})), (Texts{"1", "0", "2"})); }

TEST(Pareto, AnEqualColumnDecidesByTheOther) {
  EXPECT_EQ(front(table_of({{1, 5}, {1, 4}})), (Texts{"1"}));
  EXPECT_EQ(front(table_of({{1, 5}, {2, 5}})), (Texts{"0"}));
}

TEST(Pareto, LargerMayBeBetter) {
  const SweepTable table = table_of({{1, 1}, {2, 2}, {3, 1}});
  EXPECT_EQ(front(table, true, false), (Texts{"2"}));
  EXPECT_EQ(front(table, false, true), (Texts{"0", "1"}));
  EXPECT_EQ(front(table, true, true), (Texts{"2", "1"}));
}

TEST(Pareto, FailedPointsAreLeftOutAndCounted) {
  SweepTable table = table_of({{1, 1}});
  table.rows.push_back(failed_row(1, {"7"}));
  const SweepAnalysis analysis = pareto_points(table, {"time_ns", "energy_total_pj"});
  EXPECT_EQ(analysis.rows.size(), 1U);
  EXPECT_NE(std::find(analysis.facts.begin(), analysis.facts.end(), std::pair<std::string, std::string>("failed", "1")),
            analysis.facts.end());
}

TEST(Pareto, AnAxisMayBeAColumn) {
  const SweepAnalysis analysis = pareto_points(table_of({{3, 1}, {2, 1}}), {"params.m", "time_ns"});
  EXPECT_EQ(analysis.columns, (Texts{"point", "params.m", "time_ns"}));
  EXPECT_EQ(analysis.rows.size(), 2U);
}

TEST(Pareto, UnknownColumnsAreRefused) { EXPECT_THROW((void)pareto_points(table_of({{1, 1}}), {"time", "cycles"}), InputError); }

TEST(Pareto, ASweepWithoutResultsHasNoFront) { EXPECT_TRUE(front({{"params.m"}, {failed_row(0, {"1"})}}).empty()); }

/// Member of the front by the definition.
bool beaten(const Pairs& all, std::size_t i, int sign_x, int sign_y) {
  for (const auto& [x, y] : all) {
    const int dx = sign_x * (x - all[i].first), dy = sign_y * (y - all[i].second);
    if (dx <= 0 && dy <= 0 && (dx < 0 || dy < 0)) return true;
  }
  return false;
}

RC_GTEST_PROP(ParetoLaw, MembersAreBeatenByNoneAndAllOthersByOne, ()) {
  const auto pairs = *rc::gen::container<Pairs>(rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(0, 12)));
  const bool largest_x = *rc::gen::arbitrary<bool>(), largest_y = *rc::gen::arbitrary<bool>();
  const Texts found = front(table_of(pairs), largest_x, largest_y);
  const std::set<std::string> members(found.begin(), found.end());
  RC_ASSERT(members.size() == found.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    RC_ASSERT(beaten(pairs, i, largest_x ? -1 : 1, largest_y ? -1 : 1) != members.contains(std::to_string(i)));
  }
}

}  // namespace
}  // namespace trnsim::app
