// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "app/sweep/analysis.hpp"
#include "trnsim/error.hpp"
#include "unit/app/sweep/table_support.hpp"

namespace trnsim::app {
namespace {

using Texts = std::vector<std::string>;

SweepTable table() {
  return {{"chip", "params.m"},
          {done_row(0, {"trn1", "128"}, {{"time_ns", "30.5"}, {"average_w", "100"}}),
           done_row(1, {"trn1", "256"}, {{"time_ns", "9"}, {"average_w", "500"}}), failed_row(2, {"trn1", "512"}),
           done_row(3, {"trn2", "128"}, {{"time_ns", "9"}, {"average_w", "300"}}),
           done_row(4, {"trn2", "256"}, {{"time_ns", "100"}, {"average_w", "400"}}),
           done_row(5, {"trn2", "512"}, {{"time_ns", ""}, {"average_w", "10"}})}};
}

/// Numbers of the points found, in order.
Texts points(const BestQuery& query) {
  Texts found;
  for (const auto& row : best_points(table(), query).rows) found.push_back(row.front());
  return found;
}

Texts under(const Texts& conditions) {
  BestQuery query;
  query.by = "time_ns";
  for (const std::string& text : conditions) query.under.push_back(parse_condition(text));
  return points(query);
}

std::string refusal(const Texts& conditions) {
  try {
    under(conditions);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::string fact(const SweepAnalysis& analysis, const std::string& name) {
  for (const auto& [key, value] : analysis.facts) {
    if (key == name) return value;
  }
  return "none";
}

TEST(Best, SmallestFirstAndEqualOnesByNumber) { EXPECT_EQ(points({.by = "time_ns"}), (Texts{"1", "3", "0", "4"})); }

TEST(Best, LargestFirstOnRequest) { EXPECT_EQ(points({.by = "time_ns", .largest = true}), (Texts{"4", "0", "1", "3"})); }

TEST(Best, AsManyAsAskedFor) { EXPECT_EQ(points({.by = "time_ns", .count = 2}), (Texts{"1", "3"})); }

TEST(Best, AnEqualSignIsAtMostForNumbers) {
  EXPECT_EQ(under({"average_w=400"}), (Texts{"3", "0", "4"}));
  EXPECT_EQ(under({"average_w<=400"}), (Texts{"3", "0", "4"}));
}

TEST(Best, OtherRelationsOfNumbers) {
  EXPECT_EQ(under({"average_w>=400"}), (Texts{"1", "4"}));
  EXPECT_EQ(under({"average_w<400"}), (Texts{"3", "0"}));
  EXPECT_EQ(under({"average_w>400"}), (Texts{"1"}));
  EXPECT_EQ(under({"average_w==400"}), (Texts{"4"}));
  EXPECT_EQ(under({"params.m!=128"}), (Texts{"1", "4"}));
}

TEST(Best, AnEqualSignIsEqualForTexts) {
  EXPECT_EQ(under({"chip=trn2"}), (Texts{"3", "4"}));
  EXPECT_EQ(under({"chip==trn2"}), (Texts{"3", "4"}));
  EXPECT_EQ(under({"chip!=trn2"}), (Texts{"1", "0"}));
}

TEST(Best, AllConditionsHold) { EXPECT_EQ(under({"chip=trn2", "average_w=300"}), (Texts{"3"})); }

TEST(Best, TextsHaveNoOrder) { EXPECT_NE(refusal({"chip<=trn2"}).find("texts are only equal"), std::string::npos); }

TEST(Best, UnknownColumnsNameTheNearest) {
  EXPECT_NE(refusal({"averagew=400"}).find("no column 'averagew'; nearest: 'average_w'"), std::string::npos) << refusal({"averagew=400"});
  EXPECT_THROW((void)best_points(table(), {.by = "tim_ns"}), InputError);
  EXPECT_THROW((void)best_points(table(), {.by = "time_ns", .also = {"nothing"}}), InputError);
}

TEST(Best, ColumnsOfTextCannotBeJudged) {
  EXPECT_THROW((void)best_points(table(), {.by = "chip"}), InputError);
  EXPECT_THROW((void)best_points(table(), {.by = "bottleneck"}), InputError);
}

TEST(Best, ConditionsThatAreNoneAreRefused) {
  for (const char* text : {"average_w", "=400", "average_w=", "", "<=3"}) EXPECT_THROW((void)parse_condition(text), InputError) << text;
}

TEST(Best, WhatIsLeftOutIsCounted) {
  const SweepAnalysis analysis = best_points(table(), {.by = "time_ns", .under = {parse_condition("average_w=400")}});
  EXPECT_EQ(fact(analysis, "points"), "6");
  EXPECT_EQ(fact(analysis, "failed"), "1");
  EXPECT_EQ(fact(analysis, "outside_conditions"), "1");
  EXPECT_EQ(fact(analysis, "without_value"), "1");
}

TEST(Best, ShowsAxesTheColumnConditionsAndWhatIsAskedForOnce) {
  const SweepAnalysis analysis = best_points(
      table(), {.by = "time_ns", .under = {parse_condition("average_w=400"), parse_condition("time_ns<50")}, .also = {"mfu", "chip"}});
  EXPECT_EQ(analysis.columns, (Texts{"point", "chip", "params.m", "time_ns", "average_w", "mfu"}));
  EXPECT_EQ(analysis.rows.front(), (Texts{"3", "trn2", "128", "9", "300", "1"}));
}

TEST(Best, ConditionsOnNumbersWantNumbers) {
  EXPECT_NE(refusal({"average_w=abc"}).find("column average_w holds numbers; 'abc' is none"), std::string::npos)
      << refusal({"average_w=abc"});
  EXPECT_THROW((void)under({"params.m<=12a"}), InputError);
}

TEST(Best, RunsThatWereStoppedEarlyAreLeftOut) {
  SweepTable stopped{{"chip"},
                     {done_row(0, {"trn1"}, {{"time_ns", "5"}}), done_row(1, {"trn2"}, {{"time_ns", "1"}, {"truncated", "late"}})}};
  const SweepAnalysis analysis = best_points(stopped, {.by = "time_ns"});
  ASSERT_EQ(analysis.rows.size(), 1U);
  EXPECT_EQ(analysis.rows[0][0], "0");
  EXPECT_EQ(fact(analysis, "failed"), "1");
}

TEST(Best, NoPointIsLeftAndSaysSo) {
  const SweepAnalysis analysis = best_points(table(), {.by = "time_ns", .under = {parse_condition("average_w<0")}});
  EXPECT_TRUE(analysis.rows.empty());
  EXPECT_EQ(analysis.notes, (Texts{"No point is left."}));
}

}  // namespace
}  // namespace trnsim::app
