// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

std::string profile_text(const std::string& metrics) {
  return R"({"trnsim_profile": "1.0", "chip": "trn2", "cores": 1, "metrics": [)" + metrics + "]}";
}

std::vector<std::string> problems_of(const std::string& text) {
  try {
    (void)parse_profile(text, "p.json");
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

SimulatedFigures figures() {
  SimulatedFigures simulated;
  simulated.chip = "trn2";
  simulated.cores = 1;
  simulated.workload = "matmul";
  simulated.values.assign(metrics().size(), std::nullopt);
  simulated.values[0] = 5000;
  return simulated;
}

TEST(Units, EveryDimensionHasItsBaseUnit) {
  for (const Metric& metric : metrics()) {
    const Unit* unit = find_unit(base_unit(metric.dimension));
    ASSERT_NE(unit, nullptr) << metric.name;
    EXPECT_EQ(unit->factor, 1) << metric.name;
    EXPECT_EQ(unit->dimension, metric.dimension) << metric.name;
  }
}

TEST(Units, BinaryAndDecimalPrefixesDiffer) {
  EXPECT_DOUBLE_EQ(find_unit("GiB/s")->factor, 1.073741824);
  EXPECT_DOUBLE_EQ(find_unit("GB/s")->factor, 1);
  EXPECT_DOUBLE_EQ(find_unit("MiB")->factor, 1048576);
  EXPECT_DOUBLE_EQ(find_unit("MB")->factor, 1e6);
  EXPECT_EQ(find_unit("gb/s"), nullptr);
}

TEST(Metrics, NamesAreUniqueAndEachHasADefinition) {
  std::set<std::string_view> names;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.definitions.empty()) << metric.name;
    EXPECT_EQ(find_metric(metric.name), &metric);
  }
}

TEST(ProfileReader, ConvertsToBaseUnits) {
  const Profile profile = parse_profile(
      profile_text(R"({"metric": "device_time", "value": 1.5, "unit": "ms"}, {"metric": "mfu", "value": 40, "unit": "percent"})"),
      "p.json");
  ASSERT_EQ(profile.metrics.size(), 2u);
  EXPECT_DOUBLE_EQ(profile.metrics[0].base_value, 1.5e6);
  EXPECT_DOUBLE_EQ(profile.metrics[1].base_value, 0.4);
  EXPECT_EQ(profile.metrics[0].unit, "ms");
}

TEST(ProfileReader, NamesEveryProblem) {
  const auto problems = problems_of(R"({"trnsim_profile": "1.0", "chipp": "trn2", "cores": 0, "metrics": [
    {"metric": "device_tim", "value": 1, "unit": "ns"}, {"metric": "mfu", "value": -1, "unit": "ms"},
    {"metric": "power", "value": 1, "unit": "W", "definition": "room", "vaule": 2}, 7]})");
  ASSERT_EQ(problems.size(), 9u);
  EXPECT_EQ(problems[0], "p.json: unknown key 'chipp'; nearest: 'chip'");
  EXPECT_TRUE(contains(problems[3], "metrics[0]: metric: unknown 'device_tim'; nearest: 'device_time'; known: device_time")) << problems[3];
  EXPECT_EQ(problems[4], "p.json: metrics[1] (mfu): unit: want one of ratio percent, not \"ms\"");
  EXPECT_EQ(problems[5], "p.json: metrics[1] (mfu): value: want a number from 0, not -1");
  EXPECT_EQ(problems[7], "p.json: metrics[2] (power): definition: want one of chip board cores_used, not \"room\"");
}

TEST(ProfileReader, AMetricStandsOnce) {
  const auto problems =
      problems_of(profile_text(R"({"metric": "mfu", "value": 1, "unit": "ratio"}, {"metric": "mfu", "value": 1, "unit": "ratio"})"));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(contains(problems[0], "'mfu' stands twice"));
}

TEST(ProfileReader, WithoutMetricsIsNoProfile) {
  EXPECT_TRUE(contains(problems_of(profile_text("")).at(0), "metrics: want a list of measured figures"));
}

TEST(ProfileReader, ReadsTheProfilersSummary) {
  const Profile profile = parse_profile(R"({"n": {"total_time": 0.001, "hbm_read_bytes": 64, "something_else": [1]}})", "s.json");
  EXPECT_EQ(profile.chip, "");
  EXPECT_EQ(profile.cores, 0u);
  ASSERT_EQ(profile.metrics.size(), 2u);
  EXPECT_DOUBLE_EQ(profile.metrics[0].base_value, 1e6);
  EXPECT_EQ(profile.metrics[0].definition, "device");
  EXPECT_EQ(profile.metrics[1].definition, "");
}

TEST(ProfileReader, ASummaryWithATextForATimeIsRefused) {
  EXPECT_EQ(problems_of(R"({"n": {"total_time": "fast"}})").at(0), "p.json: total_time: want a number from 0, not \"fast\"");
}

TEST(CompareFigures, RatioIsSimulatedOverMeasured) {
  const auto rows = compare_figures(
      figures(), parse_profile(profile_text(R"({"metric": "device_time", "value": 10, "unit": "us", "definition": "device"})"), "p"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].ratio.value(), 0.5);
  EXPECT_EQ(rows[0].definition, "same");
}

TEST(CompareFigures, WhatIsMissingHasNoRatio) {
  const auto rows = compare_figures(
      figures(),
      parse_profile(profile_text(R"({"metric": "mfu", "value": 1, "unit": "ratio"}, {"metric": "device_time", "value": 0, "unit": "ns"})"),
                    "p"));
  EXPECT_FALSE(rows[0].simulated);
  EXPECT_FALSE(rows[0].ratio);
  EXPECT_FALSE(rows[1].ratio) << "nothing was measured";
  EXPECT_TRUE(contains(hardware_table(rows), "mfu          ratio"));
}

TEST(CompareFigures, AllMismatchesAreToldTogether) {
  Profile profile = parse_profile(profile_text(R"({"metric": "mfu", "value": 1, "unit": "ratio"})"), "p");
  profile.chip = "trn1";
  profile.cores = 8;
  profile.workload = "softmax";
  SimulatedFigures simulated = figures();
  simulated.truncated = "interrupted";
  try {
    (void)compare_figures(simulated, profile);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().size(), 4u);
  }
}

TEST(CompareFigures, JsonNamesTheUnitThatWasGiven) {
  const Profile profile = parse_profile(profile_text(R"({"metric": "device_time", "value": 10, "unit": "us"})"), "p");
  const auto json = nlohmann::json::parse(hardware_json(compare_figures(figures(), profile), profile));
  EXPECT_EQ(json["trnsim_hardware_comparison"], "1.0");
  EXPECT_EQ(json["metrics"][0]["given"]["unit"], "us");
  EXPECT_EQ(json["metrics"][0]["unit"], "ns");
}

}  // namespace
}  // namespace trnsim::app
