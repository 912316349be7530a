// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "app/sweep/analysis.hpp"
#include "app/sweep/rank.hpp"
#include "trnsim/error.hpp"
#include "unit/app/sweep/table_support.hpp"

namespace trnsim::app {
namespace {

using Texts = std::vector<std::string>;

/// A grid of m and banks; the time depends on m alone.
SweepTable grid() {
  SweepTable table{{"params.m", "set.hbm.banks"}, {}};
  std::size_t point = 0;
  for (const char* m : {"1", "2", "8"}) {
    for (const char* banks : {"16", "32"}) {
      table.rows.push_back(
          done_row(point++, {m, banks}, {{"time_ns", std::string(m) + "0"}, {"config_hash", banks}, {"overrides", banks}}));
    }
  }
  return table;
}

/// The row of an axis by column.
std::map<std::string, std::string> row_of(const SweepAnalysis& analysis, const std::string& axis) {
  std::map<std::string, std::string> row;
  for (const auto& cells : analysis.rows) {
    if (cells.front() != axis) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) row[analysis.columns[i]] = cells[i];
  }
  return row;
}

TEST(Sensitivity, RatiosComparePointsThatDifferInOneAxisAlone) {
  const SweepAnalysis analysis = axis_effects(grid(), "time_ns");
  auto m = row_of(analysis, "params.m");
  EXPECT_EQ(m["groups"], "2");
  EXPECT_EQ(m["mean_ratio"], "8.0000");
  EXPECT_EQ(m["rank_correlation"], "");
  auto banks = row_of(analysis, "set.hbm.banks");
  EXPECT_EQ(banks["values"], "2");
  EXPECT_EQ(banks["groups"], "3");
  EXPECT_EQ(banks["max_ratio"], "1.0000");
}

TEST(Sensitivity, MeanLeastAndLargestAreThoseOfTheGroups) {
  SweepTable table{{"a", "b"}, {}};
  const char* times[] = {"10", "20", "10", "80"};  // ratios along b: 2 and 8
  for (std::size_t i = 0; i < 4; ++i)
    table.rows.push_back(done_row(i, {i < 2 ? "x" : "y", i % 2 == 0 ? "p" : "q"}, {{"time_ns", times[i]}}));
  auto b = row_of(axis_effects(table, "time_ns"), "b");
  EXPECT_EQ(b["mean_ratio"], "4.0000");
  EXPECT_EQ(b["min_ratio"], "2.0000");
  EXPECT_EQ(b["max_ratio"], "8.0000");
}

TEST(Sensitivity, TheStrongestAxisComesFirst) { EXPECT_EQ(axis_effects(grid(), "time_ns").rows.front().front(), "params.m"); }

TEST(Sensitivity, AxesThatChangeNothingAreNamed) {
  const SweepAnalysis analysis = axis_effects(grid(), "time_ns");
  EXPECT_EQ(row_of(analysis, "set.hbm.banks")["any_output"], "no");
  EXPECT_EQ(row_of(analysis, "params.m")["any_output"], "");
  ASSERT_FALSE(analysis.notes.empty());
  EXPECT_TRUE(analysis.notes.back().starts_with("no output depends on set.hbm.banks: ")) << analysis.notes.back();
  EXPECT_EQ(axes_without_effect(grid()), (Texts{"set.hbm.banks"}));
}

TEST(Sensitivity, AnyOutputIsAnEffect) {
  SweepTable table = grid();
  table.rows[3] = done_row(3, {"2", "32"}, {{"time_ns", "20"}, {"energy_dma_pj", "2"}});
  EXPECT_TRUE(axes_without_effect(table).empty());
}

TEST(Sensitivity, AFailureIsAnEffect) {
  SweepTable table = grid();
  table.rows[5] = failed_row(5, {"8", "32"});
  EXPECT_TRUE(axes_without_effect(table).empty());
  auto m = row_of(axis_effects(table, "time_ns"), "params.m");
  EXPECT_EQ(m["min_ratio"], "2.0000");  // the group of 32 banks has 10 and 20 left
}

TEST(Sensitivity, AnAxisOfOneValueSaysNothing) {
  SweepTable table{{"a", "b"}, {done_row(0, {"1", "7"}, {{"time_ns", "5"}}), done_row(1, {"2", "7"}, {{"time_ns", "5"}})}};
  EXPECT_EQ(axes_without_effect(table), (Texts{"a"}));
  EXPECT_EQ(row_of(axis_effects(table, "time_ns"), "b")["mean_ratio"], "");
}

TEST(Sensitivity, PointsApartAreComparedByRanks) {
  SweepTable table{{"up", "down", "text"}, {}};
  for (std::size_t i = 0; i < 6; ++i) {
    table.rows.push_back(
        done_row(i, {std::to_string(i * i), std::to_string(100 - i), i < 3 ? "x" : "y"}, {{"time_ns", std::to_string(10 + i)}}));
  }
  const SweepAnalysis analysis = axis_effects(table, "time_ns");
  EXPECT_EQ(row_of(analysis, "up")["rank_correlation"], "1.0000");
  EXPECT_EQ(row_of(analysis, "down")["rank_correlation"], "-1.0000");
  EXPECT_EQ(row_of(analysis, "text")["rank_correlation"], "0.8783");  // sqrt(13.5 / 17.5)
  EXPECT_EQ(row_of(analysis, "up")["groups"], "");
  EXPECT_TRUE(axes_without_effect(table).empty());
}

TEST(Sensitivity, AFewLuckyPairsSpeakForNoSweep) {
  SweepTable table{{"a", "b"}, {}};
  for (std::size_t i = 0; i < 20; ++i) table.rows.push_back(done_row(i, {std::to_string(i), std::to_string(i)}, {{"time_ns", "5"}}));
  table.rows.push_back(done_row(20, {"0", "1"}, {{"time_ns", "5"}}));
  EXPECT_TRUE(axes_without_effect(table).empty());
}

TEST(Sensitivity, AConstantObjectiveHasNoCorrelation) {
  EXPECT_FALSE(rank_relation({"1", "2", "3"}, {4, 4, 4}).has_value());
  EXPECT_FALSE(rank_relation({"1", "1"}, {3, 4}).has_value());
  EXPECT_FALSE(rank_relation({"1"}, {3}).has_value());
  EXPECT_FALSE(rank_relation({}, {}).has_value());
}

TEST(Sensitivity, EqualValuesShareTheirRank) { EXPECT_NEAR(*rank_relation({"1", "1", "2"}, {5, 6, 7}), std::sqrt(3.0) / 2, 1e-12); }

TEST(Sensitivity, UnknownAndTextColumnsAreRefused) {
  EXPECT_THROW((void)axis_effects(grid(), "tim_ns"), InputError);
  EXPECT_THROW((void)axis_effects(grid(), "bottleneck"), InputError);
}

TEST(Sensitivity, AnEmptyTableHasAxesAndNothingElse) {
  const SweepAnalysis analysis = axis_effects({{"a"}, {}}, "time_ns");
  EXPECT_EQ(analysis.rows, (std::vector<Texts>{{"a", "0", "", "", "", "", "", ""}}));
  EXPECT_TRUE(axes_without_effect({{"a"}, {}}).empty());
}

RC_GTEST_PROP(RankLaw, DependsOnOrderAloneAndTurnsWithIt, ()) {
  const auto pairs =
      *rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(rc::gen::inRange(-50, 50), rc::gen::inRange(-50, 50)));
  Texts axis, stretched, turned;
  std::vector<double> objective;
  for (const auto& [a, b] : pairs) {
    axis.push_back(std::to_string(a));
    stretched.push_back(std::to_string(a * a * a + 7));
    turned.push_back(std::to_string(-a));
    objective.push_back(b);
  }
  const auto relation = rank_relation(axis, objective);
  RC_ASSERT(relation == rank_relation(stretched, objective));
  const auto mirrored = rank_relation(turned, objective);
  RC_ASSERT(relation.has_value() == mirrored.has_value());
  if (relation) RC_ASSERT(std::abs(*relation + *mirrored) < 1e-12);
  if (relation) RC_ASSERT(std::abs(*relation) <= 1);
}

}  // namespace
}  // namespace trnsim::app
