// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "trnsim/error.hpp"
#include "trnsim/validate.hpp"

namespace trnsim {
namespace {

ValidationReport report_of(const std::map<std::string, double>& errors) {
  ValidationReport report;
  for (const auto& [id, error] : errors) {
    ValidationRecord& record = report.records.emplace_back();
    record.point.id = id;
    record.error = error;
  }
  return report;
}

std::vector<std::string> against(const std::map<std::string, double>& now, const std::map<std::string, double>& before) {
  return worse_than(report_of(now), validation_baseline(report_of(before)), "b.json", 0.01);
}

TEST(ValidationBaseline, TheSameErrorsAreFine) {
  EXPECT_TRUE(against({{"a", 0.123456789}, {"b", -0.2}}, {{"a", 0.123456789}, {"b", -0.2}}).empty());
}

TEST(ValidationBaseline, AnErrorMayGrowByThePointItIsGiven) {
  EXPECT_TRUE(against({{"a", 0.06}}, {{"a", 0.05}}).empty());
  EXPECT_EQ(against({{"a", 0.0601}}, {{"a", 0.05}}), std::vector<std::string>{"a: error +6.0 %, was +5.0 %"});
}

TEST(ValidationBaseline, TheSizeOfAnErrorCountsNotItsSign) {
  EXPECT_TRUE(against({{"a", -0.05}}, {{"a", 0.05}}).empty());
  EXPECT_EQ(against({{"a", -0.07}}, {{"a", 0.05}}).size(), 1U);
}

TEST(ValidationBaseline, ASmallerErrorIsFine) { EXPECT_TRUE(against({{"a", 0.01}}, {{"a", -0.3}}).empty()); }

TEST(ValidationBaseline, NewLostAndFailedRecordsAreNamed) {
  EXPECT_EQ(against({{"a", 0}, {"new", 0}}, {{"a", 0}}), std::vector<std::string>{"new: not in b.json"});
  EXPECT_EQ(against({{"a", 0}}, {{"a", 0}, {"lost", 0}}), std::vector<std::string>{"lost: in b.json, but no such record"});
  ValidationReport failed = report_of({{"a", 0}});
  failed.records[0].error.reset();
  failed.records[0].failure = "does not fit";
  EXPECT_EQ(worse_than(failed, validation_baseline(report_of({{"a", 0}})), "b.json", 0.01),
            std::vector<std::string>{"a: failed: does not fit"});
}

TEST(ValidationBaseline, AnotherFileIsRefused) {
  for (const char* text : {"", "[]", "{}", R"({"trnsim_validation_baseline": "2.0", "errors": {}})",
                           R"({"trnsim_validation_baseline": "1.0", "errors": {"a": "b"}})"})
    EXPECT_THROW((void)worse_than({}, text, "b.json", 0.01), ConfigError) << text;
}

}  // namespace
}  // namespace trnsim
