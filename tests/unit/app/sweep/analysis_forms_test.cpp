// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/sweep/analysis.hpp"

namespace trnsim::app {
namespace {

SweepAnalysis sample() {
  return {"best",
          {{"by", "time_ns"}, {"order", "smallest first"}, {"points", "36"}, {"failed", "2"}, {"without_value", "0"}},
          {"point", "chip", "time_ns", "mfu"},
          {{"4", "trn1,\"x\"", "9.5", ""}, {"12", "a|b", "1000", ""}},
          {"A note."}};
}

TEST(AnalysisForms, CsvHasHeaderAndRows) {
  EXPECT_EQ(analysis_csv(sample()), "point,chip,time_ns,mfu\n4,\"trn1,\"\"x\"\"\",9.5,\n12,a|b,1000,\n");
}

TEST(AnalysisForms, JsonHasSettingsCountsAndTypedCells) {
  const auto json = nlohmann::json::parse(analysis_json(sample()));
  EXPECT_EQ(json["trnsim_sweep_analysis"], "1.0");
  EXPECT_EQ(json["kind"], "best");
  EXPECT_EQ(json["by"], "time_ns");
  EXPECT_EQ(json["failed"], 2);
  EXPECT_EQ(json["notes"][0], "A note.");
  EXPECT_EQ(json["rows"][0]["point"], 4);
  EXPECT_EQ(json["rows"][0]["time_ns"], 9.5);
  EXPECT_TRUE(json["rows"][0]["mfu"].is_null());
  EXPECT_EQ(json["rows"][1]["chip"], "a|b");
}

TEST(AnalysisForms, JsonWithoutRowsIsValid) {
  SweepAnalysis none = sample();
  none.rows.clear();
  EXPECT_TRUE(nlohmann::json::parse(analysis_json(none))["rows"].empty());
}

TEST(AnalysisForms, MarkdownIsATableWithoutEmptyColumns) {
  EXPECT_EQ(analysis_markdown(sample()),
            "best · by time_ns · smallest first · 36 points · 2 failed\n\n"
            "| point | chip | time_ns |\n| --- | --- | --- |\n| 4 | trn1,\"x\" | 9.5 |\n| 12 | a\\|b | 1000 |\n\nA note.\n");
}

TEST(AnalysisForms, TheTerminalHasNumbersOnTheRight) {
  EXPECT_EQ(analysis_text(sample(), {100, false, true}),
            "best · by time_ns · smallest first · 36 points · 2 failed\n\n"
            "  point  chip      time_ns\n      4  trn1,\"x\"      9.5\n     12  a|b          1000\n\nA note.\n");
}

TEST(AnalysisForms, PlainTerminalsGetPlainCharacters) {
  for (const char c : analysis_text(sample(), {100, false, false})) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(AnalysisForms, FractionsAreRoundedForTheEyeOnly) {
  SweepAnalysis analysis = sample();
  analysis.rows = {{"1", "trn2", "3968.620000000001", "0.000012345678"},
                   {"2", "trn2", "12345678.9", "0.25198420997897464"},
                   {"3", "trn2", "123456789012", "1.0000000001"}};
  const std::string text = analysis_text(analysis, {100, false, true});
  EXPECT_NE(text.find("3968.62  1.23457e-05\n"), std::string::npos) << text;
  EXPECT_NE(text.find("12345679      0.25198\n"), std::string::npos) << text;
  EXPECT_NE(text.find("123456789012            1\n"), std::string::npos) << text;
  EXPECT_NE(analysis_csv(analysis).find("0.25198420997897464"), std::string::npos);
  EXPECT_NE(analysis_json(analysis).find("0.25198420997897464"), std::string::npos);
}

}  // namespace
}  // namespace trnsim::app
