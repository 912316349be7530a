// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/validate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "trnsim/error.hpp"
#include "trnsim/text.hpp"

namespace trnsim {
namespace {

ValidationPoint kernel_point(const std::string& id, double measured, const std::string& group = "matmul") {
  ValidationPoint p;
  p.id = id;
  p.group = group;
  p.chip = "trn2";
  p.kernel = "matmul";
  p.params = {{"m", id}};
  p.measured = measured;
  p.unit = "us";
  p.source = "somewhere";
  return p;
}

ValidationPoint probe_point(Metric metric, std::uint32_t count) {
  ValidationPoint p = kernel_point("probe", 100);
  p.kernel.clear();
  p.params.clear();
  p.metric = metric;
  p.probe = InstructionProbe{};
  p.probe->count = count;
  return p;
}

/// A run of `ns` ns.
Simulated taking(double ns) {
  Simulated s;
  s.time_ns = ns;
  return s;
}

TEST(ValidationRuns, AKernelNeedsOneRunAndAProbeTwo) {
  EXPECT_EQ(runs_of(kernel_point("64", 1)).size(), 1U);
  const auto runs = runs_of(probe_point(Metric::LatencyNs, 32));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].count, 32U);
  EXPECT_EQ(runs[1].count, 64U);
}

TEST(ValidationRuns, ARelativeRateRunsItsReference) {
  ValidationPoint p = kernel_point("x", 0.5);
  p.metric = Metric::RelativeGbPerS;
  p.params = {{"bytes", "4096"}, {"bytes_per_partition", "64"}};
  p.reference = {{"bytes_per_partition", "32768"}};
  const auto runs = runs_of(p);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].params.at("bytes_per_partition"), "64");
  EXPECT_EQ(runs[1].params.at("bytes_per_partition"), "32768");
  EXPECT_EQ(runs[1].params.at("bytes"), "4096");
}

TEST(SimulatedValue, LaunchCountsOnlyWhenMeasuredWithIt) {
  ValidationPoint p = kernel_point("64", 1);
  Simulated s = taking(5000);
  s.launch_ns = 15000;
  const std::vector<Simulated> results{s};
  EXPECT_DOUBLE_EQ(simulated_value(p, results), 5);
  p.includes_launch = true;
  EXPECT_DOUBLE_EQ(simulated_value(p, results), 20);
}

TEST(SimulatedValue, ASlopeCancelsTheEndsOfARun) {
  Simulated shorter = taking(1000 + 32 * 250), longer = taking(1000 + 64 * 250);
  shorter.semaphore_hop_ns = longer.semaphore_hop_ns = 30;
  const std::vector<Simulated> results{shorter, longer};
  EXPECT_DOUBLE_EQ(simulated_value(probe_point(Metric::IntervalNs, 32), results), 250);
  EXPECT_DOUBLE_EQ(simulated_value(probe_point(Metric::LatencyNs, 32), results), 220);
}

TEST(SimulatedValue, RatesAreBytesOrOperationsOverTime) {
  Simulated a = taking(1000), b = taking(2000);
  a.dma_bytes = 100e3;
  b.dma_bytes = 400e3;
  a.flops = 1e6;
  b.flops = 78e6;
  a.mfu = 0.7;
  ValidationPoint p = kernel_point("64", 1);
  p.metric = Metric::GbPerS;
  EXPECT_DOUBLE_EQ(simulated_value(p, std::vector<Simulated>{a}), 100);
  p.metric = Metric::Mfu;
  EXPECT_DOUBLE_EQ(simulated_value(p, std::vector<Simulated>{a}), 0.7);
  p.metric = Metric::RelativeGbPerS;
  EXPECT_DOUBLE_EQ(simulated_value(p, std::vector<Simulated>{a, b}), 0.5);
  EXPECT_DOUBLE_EQ(simulated_value(probe_point(Metric::Tflops, 32), std::vector<Simulated>{a, b}), 77);
}

TEST(Validate, ErrorsAreSignedFractionsOfTheMeasurement) {
  const auto report = validate({{kernel_point("a", 10), kernel_point("b", 20)}, {}},
                               [](const ValidationRun& run) { return taking(run.params.at("m") == "a" ? 12e3 : 15e3); });
  ASSERT_EQ(report.records.size(), 2U);
  EXPECT_NEAR(report.records[0].error.value(), 0.2, 1e-12);
  EXPECT_NEAR(report.records[1].error.value(), -0.25, 1e-12);
  const ValidationGroup& g = report.groups.front();
  EXPECT_EQ(g.name, "matmul");
  EXPECT_EQ(g.n, 2U);
  EXPECT_NEAR(g.mean_abs_error.value(), 0.225, 1e-12);
  EXPECT_NEAR(g.near.value(), 0.5, 1e-12);
  EXPECT_NEAR(g.bias.value(), -0.025, 1e-12);
  EXPECT_NEAR(g.worst.value(), -0.25, 1e-12);
  EXPECT_NEAR(g.tau.value(), 1, 1e-12);
}

TEST(Validate, EqualRunsAreDoneOnce) {
  int runs = 0;
  ValidationPoint again = kernel_point("a", 11);
  again.id = "again";
  again.params = {{"m", "a"}};
  validate({{kernel_point("a", 10), again}, {}}, [&](const ValidationRun&) {
    ++runs;
    return taking(10e3);
  });
  EXPECT_EQ(runs, 1);
}

TEST(Validate, AFailedRunFailsItsRecordOnly) {
  const auto report = validate({{kernel_point("a", 10), kernel_point("b", 20)}, {}}, [](const ValidationRun& run) {
    if (run.params.at("m") == "a") throw WorkloadError("does not fit");
    return taking(20e3);
  });
  EXPECT_EQ(report.records[0].failure, "does not fit");
  EXPECT_FALSE(report.records[0].error.has_value());
  EXPECT_EQ(report.groups[0].n, 1U);
  EXPECT_NEAR(report.groups[0].bias.value(), 0, 1e-12);
}

TEST(Validate, AValueThatDoesNotExistIsAFailureNotANumber) {
  ValidationPoint p = kernel_point("a", 10);
  p.metric = Metric::GbPerS;
  const auto report = validate({{p}, {}}, [](const ValidationRun&) { return Simulated{}; });
  EXPECT_FALSE(report.records[0].simulated.has_value());
  EXPECT_FALSE(report.records[0].failure.empty());
}

TEST(Validate, GroupsKeepTheirOrderAndAllComesLast) {
  const auto report = validate({{kernel_point("a", 1, "z"), kernel_point("b", 1, "a"), kernel_point("c", 1, "z")}, {}},
                               [](const ValidationRun&) { return taking(1000); });
  ASSERT_EQ(report.groups.size(), 4U);
  EXPECT_EQ(report.groups[0].name, "z");
  EXPECT_EQ(report.groups[1].name, "a");
  EXPECT_EQ(report.groups[2].name, "kernels of quality A");
  EXPECT_EQ(report.groups[3].name, "all");
  EXPECT_EQ(report.groups[3].n, 3U);
}

ValidationPoint step(const std::string& id, double measured, const std::string& ladder) {
  ValidationPoint p = kernel_point(id, measured);
  p.ladder = ladder;
  return p;
}

/// Steps a, b, c measured 30, 20 and 10 µs, simulated as given.
ValidationReport climbed(std::map<std::string, double> simulated_us, double b_measured = 20) {
  return validate({{step("a", 30, "l"), step("b", b_measured, "l"), step("c", 10, "l"), step("alone", 1, "")}, {}},
                  [&](const ValidationRun& run) { return taking(1e3 * simulated_us[run.params.at("m")]); });
}

TEST(ValidationLadders, AreInOrderWhenTheSlowerMeasuredIsTheSlowerSimulated) {
  const auto report = climbed({{"a", 300}, {"b", 21}, {"c", 20}});
  ASSERT_EQ(report.ladders.size(), 1U);
  EXPECT_EQ(report.ladders[0].name, "l");
  EXPECT_EQ(report.ladders[0].steps, 3U);
  EXPECT_EQ(report.ladders[0].pairs, 3U);
  EXPECT_TRUE(report.ladders[0].swapped.empty());
}

TEST(ValidationLadders, NameThePairsInTheWrongOrder) {
  const auto report = climbed({{"a", 30}, {"b", 9}, {"c", 10}});
  const std::vector<std::pair<std::string, std::string>> swapped{{"b", "c"}};
  EXPECT_EQ(report.ladders[0].swapped, swapped);
  const std::vector<std::string> lines = worse_than(report, validation_baseline(report), "b.json", 0.01);
  EXPECT_EQ(lines, std::vector<std::string>{"ladder 'l': b and c are in the wrong order"});
}

TEST(ValidationLadders, EqualSimulatedTimesAreNotInOrder) {
  EXPECT_EQ(climbed({{"a", 30}, {"b", 10}, {"c", 10}}).ladders[0].swapped.size(), 1U);
}

TEST(ValidationLadders, MeasurementsWithinFivePercentHaveNoOrder) {
  const auto close = climbed({{"a", 30}, {"b", 31}, {"c", 10}}, 28.6), apart = climbed({{"a", 30}, {"b", 31}, {"c", 10}}, 28.5);
  EXPECT_EQ(close.ladders[0].pairs, 2U);
  EXPECT_TRUE(close.ladders[0].swapped.empty());
  EXPECT_EQ(apart.ladders[0].pairs, 3U);
  EXPECT_EQ(apart.ladders[0].swapped.size(), 1U);
}

TEST(ValidationLadders, AreInEveryOutput) {
  const auto report = climbed({{"a", 30}, {"b", 9}, {"c", 10}});
  const auto json = nlohmann::json::parse(to_json(report))["ladders"];
  EXPECT_EQ(json, nlohmann::json::parse(R"([{"name": "l", "steps": 3, "pairs": 3, "swapped": [["b", "c"]]}])"));
  EXPECT_NE(validation_table(report).find("not b and c"), std::string::npos);
  EXPECT_NE(validation_markdown(report).find("| l | 3 | 3 | not b and c |"), std::string::npos);
}

TEST(KendallTau, OrdersCount) {
  const std::vector<double> up{1, 2, 3, 4}, down{4, 3, 2, 1}, mixed{1, 3, 2, 4}, flat{1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(kendall_tau(up, up).value(), 1);
  EXPECT_DOUBLE_EQ(kendall_tau(up, down).value(), -1);
  EXPECT_NEAR(kendall_tau(up, mixed).value(), 4.0 / 6, 1e-12);
  EXPECT_FALSE(kendall_tau(up, flat).has_value());
  EXPECT_FALSE(kendall_tau(std::vector<double>{1}, std::vector<double>{2}).has_value());
}

TEST(KendallTau, TiesShrinkTheDenominator) {
  EXPECT_NEAR(kendall_tau(std::vector<double>{1, 1, 2}, std::vector<double>{1, 2, 3}).value(), 2 / std::sqrt(2.0 * 3), 1e-12);
}

ValidationReport two_records() {
  return validate({{kernel_point("good", 10), kernel_point("bad", 20)}, {}}, [](const ValidationRun& run) {
    if (run.params.at("m") == "bad") throw WorkloadError("first line\nsecond line");
    return taking(14e3);
  });
}

TEST(ValidationOutput, JsonHasTheAgreedKeys) {
  const auto json = nlohmann::json::parse(to_json(two_records()));
  const auto& record = json["records"][0];
  EXPECT_EQ(record["id"], "good");
  EXPECT_DOUBLE_EQ(record["simulated"], 14);
  EXPECT_DOUBLE_EQ(record["measured"], 10);
  EXPECT_EQ(record["unit"], "us");
  EXPECT_NEAR(record["error"].get<double>(), 0.4, 1e-12);
  EXPECT_TRUE(json["records"][1]["simulated"].is_null());
  EXPECT_EQ(json["records"][1]["failure"], "first line\nsecond line");
  for (const char* key : {"name", "n", "mean_abs_error", "within_20_percent", "worst", "bias", "tau"})
    EXPECT_TRUE(json["groups"][0].contains(key)) << key;
}

TEST(ValidationOutput, TheTableShowsErrorsGroupsAndFailures) {
  const std::string table = validation_table(two_records());
  EXPECT_NE(table.find("+40.0 %"), std::string::npos) << table;
  EXPECT_NE(table.find("failed: first line"), std::string::npos) << table;
  EXPECT_EQ(table.find("second line"), std::string::npos) << table;
  EXPECT_NE(table.find("matmul"), std::string::npos) << table;
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

TEST(ValidationOutput, LargeErrorsStandOutInColor) {
  ReportStyle style;
  style.color = true;
  EXPECT_NE(validation_table(two_records(), style).find("\x1b[33m"), std::string::npos);
}

}  // namespace
}  // namespace trnsim
