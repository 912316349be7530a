// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trnsim/report.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

class UncertaintyReport : public ::testing::Test {
 protected:
  UncertaintyReport() {
    const ChipConfig chip = hand_made::chip("trn2");
    result =
        make_result(chip, hand_made::matmul_run(chip, 1000, 1 << 20), hand_made::matmul_context(std::uint64_t{1000} * 128 * 128 * 512));
    Uncertainty study;
    study.samples = 101;
    study.seed = 7;
    study.p5_ns = 1000, study.p50_ns = 2000, study.p95_ns = 3000;
    study.parameters = {{"hbm.trcd_ns", "assumed", 14, 11.2, 16.8, -0.9, 0.81, -500},
                        {"hbm.trp_ns", "derived", 14, 11.2, 16.8, 0.1, 0.01, 5}};
    result.uncertainty = study;
  }
  [[nodiscard]] std::string text() const { return terminal_report(result, ReportStyle{}); }
  [[nodiscard]] bool says(const std::string& part) const { return text().find(part) != std::string::npos; }

  Result result;
};

TEST_F(UncertaintyReport, ShowsTheIntervalTheMedianAndTheSeed) {
  EXPECT_TRUE(says("5-95 %: 1.00 us to 3.00 us, median 2.00 us; 101 samples, seed 7") ||
              says("5-95 %: 1.00 µs to 3.00 µs, median 2.00 µs; 101 samples, seed 7"))
      << text();
}

TEST_F(UncertaintyReport, ListsOnlyNumbersThatChanceDoesNotExplain) {
  EXPECT_TRUE(says("hbm.trcd_ns 11.2..16.8"));
  EXPECT_FALSE(says("hbm.trp_ns"));
  EXPECT_TRUE(says("2 numbers drawn"));
}

TEST_F(UncertaintyReport, SaysWhenNoNumberStandsOut) {
  result.uncertainty->parameters.erase(result.uncertainty->parameters.begin());
  EXPECT_TRUE(says("none stands out from chance"));
}

TEST_F(UncertaintyReport, NamesFailedSamplesAndHeldNumbers) {
  result.uncertainty->failures = {"sample 3: out of memory"};
  result.uncertainty->held = {"hbm.tcl_ns"};
  EXPECT_TRUE(says("1 samples failed, the first: sample 3: out of memory"));
  EXPECT_TRUE(says("not drawn, since set by hand: hbm.tcl_ns"));
}

TEST_F(UncertaintyReport, IsAbsentWithoutAStudy) {
  result.uncertainty.reset();
  EXPECT_FALSE(says("Uncertainty"));
  const auto json = nlohmann::json::parse(to_json(result))["uncertainty"];
  EXPECT_EQ(json["samples"], 0);
  EXPECT_EQ(json["seed"], nullptr);
  EXPECT_EQ(json["time_ns"]["p50"], nullptr);
  EXPECT_TRUE(json["parameters"].empty());
}

TEST_F(UncertaintyReport, IsWrittenToTheResultFile) {
  const auto json = nlohmann::json::parse(to_json(result))["uncertainty"];
  EXPECT_EQ(json["samples"], 101);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["time_ns"]["p95"], 3000);
  EXPECT_EQ(json["parameters"][0]["path"], "hbm.trcd_ns");
  EXPECT_EQ(json["parameters"][0]["range"], nlohmann::json::parse("[11.2, 16.8]"));
  EXPECT_EQ(json["parameters"][1]["confidence"], "derived");
}

}  // namespace
}  // namespace trnsim
