// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/check_report.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace trnsim::app {
namespace {

/// One good case, one slower, one without a result, in two files; names that need escaping everywhere.
class CheckReportTest : public ::testing::Test {
 protected:
  CheckReportTest() {
    files_[0].path = "suite/a,b.json";
    files_[1].path = "two.json";
    files_[0].cases.resize(2);
    files_[1].cases.resize(1);
    add(0, 0, "good", 100, 100);
    add(0, 1, "slow <&> | \x01 \"name\"", 10'000, 10'210);
    add(1, 0, "broken", 5, 0);
    CaseRun& broken = report_.cases[2].run;
    broken.end = JobEnd::Refused;
    broken.error = "unknown kernel \"x\"\nsecond line";
    for (CheckedCase& one : report_.cases) judge(one);
    report_.cases[1].explanation = {"tensor wait_dma: +87.500 ns (+2.1 %)"};
  }

  void add(std::size_t file, std::size_t index, const std::string& name, std::uint64_t expected, std::uint64_t got) {
    GoldenCase& golden = files_[file].cases[index];
    golden.name = name;
    golden.cycles = expected;
    golden.line = static_cast<unsigned>(index) + 3;
    CheckedCase& one = report_.cases.emplace_back();
    one.file = &files_[file];
    one.golden = &golden;
    one.run.values = {got, 1.5, 64};
  }

  static bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  std::array<GoldenFile, 2> files_;
  CheckReport report_;
};

TEST_F(CheckReportTest, TheTableHasExpectedGotChangeAndVerdict) {
  const std::string table = check_table(report_, false);
  EXPECT_TRUE(table.starts_with("suite/a,b.json\n  case ")) << table;
  EXPECT_TRUE(contains(table, "10000  10210  0.00 ns  +2.1 %  slower\n")) << table;
  EXPECT_TRUE(contains(table, "100    100  0.00 ns     0 %  ok\n")) << table;
  EXPECT_TRUE(contains(table, "refused")) << table;
  EXPECT_TRUE(contains(table, "slower by 210 cycles (+2.1 %), must be equal\n    tensor wait_dma: +87.500 ns")) << table;
  EXPECT_TRUE(table.ends_with("3 cases: 1 ok, 2 failed\n")) << table;
}

TEST_F(CheckReportTest, TheShortTableHasOnlyTheUnexpected) {
  const std::string table = check_table(report_, true);
  EXPECT_FALSE(contains(table, "good"));
  EXPECT_TRUE(contains(table, "broken"));
}

TEST_F(CheckReportTest, AnnotationsStandAtTheLineOfTheCase) {
  const std::string text = check_annotations(report_, "");
  EXPECT_TRUE(text.starts_with("::error file=suite/a%2Cb.json,line=4,title=trnsim check%3A slower::slow <&> ")) << text;
  EXPECT_TRUE(contains(text, "slower by 210 cycles (+2.1 %25), must be equal%0Atensor wait_dma")) << text;
  EXPECT_TRUE(contains(text, "::error file=two.json,line=3,title=trnsim check%3A refused::broken: unknown kernel \"x\"%0Asecond line\n"))
      << text;
  EXPECT_FALSE(contains(text, "good"));
}

TEST_F(CheckReportTest, AnnotationsNameFilesAsTheRepositoryDoes) {
  files_[0].path = "/home/me/repo/suite/a.json";
  EXPECT_TRUE(contains(check_annotations(report_, "/home/me/repo"), "file=suite/a.json,"));
  EXPECT_TRUE(contains(check_annotations(report_, "/home/me/other"), "file=/home/me/repo/suite/a.json,"));
}

TEST_F(CheckReportTest, WhatDoesNotFailIsAWarningOrANotice) {
  report_.warn_only = true;
  EXPECT_TRUE(contains(check_annotations(report_, ""), "::warning file="));
  EXPECT_FALSE(contains(check_annotations(report_, ""), "::error"));
  report_.policy.improvements_fail = false;
  report_.cases[0].run.values.cycles = 99;
  judge(report_.cases[0]);
  EXPECT_TRUE(contains(check_annotations(report_, ""), "::notice file=suite/a%2Cb.json,line=3,title=trnsim check%3A improvement::"));
}

TEST_F(CheckReportTest, MarkdownHasARowPerCaseAndAReasonPerFailure) {
  const std::string text = check_markdown(report_);
  EXPECT_TRUE(text.starts_with("### Simulated cycles: 3 cases: 1 ok, 2 failed\n")) << text;
  EXPECT_TRUE(contains(text, "| good | 100 | 100 | 0.00 ns | 0 % | ok |\n")) << text;
  EXPECT_TRUE(contains(text, "| broken | 5 | - | - | - | refused |\n")) << text;
  EXPECT_TRUE(contains(text, "slow \\<\\&\\> \\|")) << text;
}

TEST_F(CheckReportTest, JunitCountsPerFileAndInTotal) {
  const std::string text = check_junit(report_);
  EXPECT_TRUE(contains(text, "<testsuites name=\"trnsim check\" tests=\"3\" failures=\"2\">")) << text;
  EXPECT_TRUE(contains(text, "<testsuite name=\"suite/a,b.json\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">")) << text;
  EXPECT_TRUE(contains(text, "<failure type=\"refused\" message=\"unknown kernel &quot;x&quot;&#10;second line\">")) << text;
}

TEST_F(CheckReportTest, JunitIsXmlWhateverTheNames) {
  const std::string path = testing::TempDir() + "trnsim-junit.xml";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(check_junit(report_).c_str(), file);
  std::fclose(file);
  const std::string parse =
      "python3 -c 'import sys, xml.etree.ElementTree as e; r = e.parse(sys.argv[1]).getroot(); "
      "cases = r.findall(\"testsuite/testcase\"); fails = r.findall(\"testsuite/testcase/failure\"); "
      "sys.exit(0 if r.tag == \"testsuites\" and len(cases) == 3 and len(fails) == 2 and \"<&> |\" in cases[1].get(\"name\") else 1)' ";
  EXPECT_EQ(std::system((parse + path).c_str()), 0) << check_junit(report_);
  std::remove(path.c_str());
}

TEST_F(CheckReportTest, JunitOfAWarningHasNoFailure) {
  report_.warn_only = true;
  EXPECT_FALSE(contains(check_junit(report_), "<failure"));
  EXPECT_TRUE(contains(check_junit(report_), "<system-out>slower: "));
}

TEST_F(CheckReportTest, JsonHasEveryCaseWithItsVerdict) {
  const auto json = nlohmann::json::parse(check_json(report_));
  EXPECT_EQ(json["trnsim_check_report"], "1.0");
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["totals"]["failed"], 2);
  ASSERT_EQ(json["cases"].size(), 3u);
  EXPECT_EQ(json["cases"][1]["verdict"], "slower");
  EXPECT_EQ(json["cases"][1]["expected_cycles"], 10'000);
  EXPECT_EQ(json["cases"][1]["cycles"], 10'210);
  EXPECT_TRUE(json["cases"][2]["cycles"].is_null());
}

}  // namespace
}  // namespace trnsim::app
