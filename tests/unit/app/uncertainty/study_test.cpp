// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/uncertainty/study.hpp"

#include <gtest/gtest.h>

#include "app/uncertainty/options.hpp"

namespace trnsim::app {
namespace {

/// Samples of two numbers: the first runs from 0 to 100, the second back and forth.
class Summary : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<SampleTime> times(double (*of)(double a, double b), int count = 101) const {
    std::vector<SampleTime> list;
    for (int i = 0; i < count; ++i) {
      const double a = i, b = i * 37 % 101;
      list.push_back({{a, b}, of(a, b)});
    }
    return list;
  }
  std::vector<Drawn> numbers{{"a", "assumed", 50, 0, 100, false}, {"b", "derived", 50, 0, 100, false}};
};

TEST_F(Summary, HasThePercentilesOfTheTimes) {
  const Uncertainty u = summarize(numbers, times([](double a, double) { return 1000 + a; }));
  EXPECT_DOUBLE_EQ(u.p5_ns, 1005);
  EXPECT_DOUBLE_EQ(u.p50_ns, 1050);
  EXPECT_DOUBLE_EQ(u.p95_ns, 1095);
}

TEST_F(Summary, PutsTheNumberThatTheTimeFollowsFirst) {
  const Uncertainty u = summarize(numbers, times([](double, double b) { return 1000 - 2 * b; }));
  ASSERT_EQ(u.parameters.size(), 2u);
  EXPECT_EQ(u.parameters[0].path, "b");
  EXPECT_EQ(u.parameters[0].confidence, "derived");
  EXPECT_NEAR(u.parameters[0].rank_correlation, -1, 1e-12);
  EXPECT_NEAR(u.parameters[0].share, 1, 1e-12);
  EXPECT_NEAR(u.parameters[0].change_ns, -200, 1e-9);
  EXPECT_LT(u.parameters[1].share, 0.1);
}

TEST_F(Summary, OfEqualTimesFindsNoInfluence) {
  const Uncertainty u = summarize(numbers, times([](double, double) { return 7.0; }));
  EXPECT_EQ(u.p5_ns, 7);
  EXPECT_EQ(u.p95_ns, 7);
  for (const UncertainParameter& p : u.parameters) {
    EXPECT_EQ(p.share, 0);
    EXPECT_EQ(p.change_ns, 0);
  }
}

TEST_F(Summary, ScalesTheChangeToTheWholeRange) {
  const Uncertainty u = summarize(numbers, times([](double a, double) { return 1000 + a; }, 51));
  EXPECT_DOUBLE_EQ(u.p50_ns, 1025);
  EXPECT_NEAR(u.parameters[0].change_ns, 100, 1e-9);
}

TEST_F(Summary, OfNoTimesIsEmpty) {
  const Uncertainty u = summarize(numbers, {});
  EXPECT_TRUE(u.parameters.empty());
  EXPECT_EQ(u.p95_ns, 0);
}

class StudyOptions : public ::testing::Test {
 protected:
  StudyOptions() { add_study_options(spec); }
  [[nodiscard]] StudyRequest parse(const Args& args) const { return study_request(spec.parse(args), request); }
  [[nodiscard]] std::string refusal(const Args& args) const {
    try {
      (void)parse(args);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
  Options spec{"run", "", ""};
  RunRequest request;
};

TEST_F(StudyOptions, AreOffUnlessAsked) { EXPECT_EQ(parse({}).samples, 0u); }

TEST_F(StudyOptions, TakeTheNumberTheSeedAndTheLimits) {
  const StudyRequest study = parse({"--uncertainty", "30", "--seed", "9", "--sample-timeout", "5", "--sample-memory", "128"});
  EXPECT_EQ(study.samples, 30u);
  EXPECT_EQ(study.seed, 9u);
  EXPECT_EQ(study.limits.seconds, 5);
  EXPECT_EQ(study.limits.memory_bytes, std::uint64_t{128} << 20);
}

TEST_F(StudyOptions, RefuseNumbersOutOfRange) {
  for (const char* number : {"0", "1", "100001", "-5", "many", "2.5"}) EXPECT_NE(refusal({"--uncertainty", number}), "accepted") << number;
  EXPECT_NE(refusal({"--uncertainty", "1"}).find("--uncertainty"), std::string::npos);
}

TEST_F(StudyOptions, OfASampleNeedAStudy) {
  EXPECT_EQ(refusal({"--seed", "1"}), "--seed belongs to --uncertainty");
  EXPECT_EQ(refusal({"--sample-timeout", "1"}), "--sample-timeout belongs to --uncertainty");
}

TEST_F(StudyOptions, DoNotGoWithWorkThatCanBeReadOnlyOnce) {
  request.trace = "-";
  EXPECT_NE(refusal({"--uncertainty", "5"}).find("stdin"), std::string::npos);
}

TEST_F(StudyOptions, DoNotGoWithALimitOfTheTime) {
  request.max_time = "1us";
  EXPECT_NE(refusal({"--uncertainty", "5"}).find("--max-time"), std::string::npos);
}

}  // namespace
}  // namespace trnsim::app
