// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Comparison with measurements from the command line.
#include "integration/cli.hpp"

namespace trnsim {
namespace {

using CliValidate = Cli;

constexpr const char* kPoints = R"({"trnsim_validation": "1.0", "points": [
  {"id": "good", "group": "matmul", "chip": "trn2", "kernel": "matmul", "params": {"m": 128, "n": 512, "k": 128},
   "metric": "time_us", "measured": 10, "quality": "A", "source": "a test"},
  {"id": "impossible", "group": "matmul", "chip": "trn2", "kernel": "matmul", "params": {"m": 128, "n": 512, "k": 128, "dtype": "mxfp8"},
   "metric": "time_us", "measured": 10, "quality": "A", "source": "a test"}]})";

TEST_F(CliValidate, EveryRecordHasItsRunAndAFailureIsOneRecord) {
  write("points.json", kPoints);
  const Outcome outcome = trnsim({"validate", "points.json", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["records"].size(), 2u);
  EXPECT_GT(json["records"][0]["simulated"].get<double>(), 0);
  EXPECT_NEAR(json["records"][0]["error"].get<double>(), json["records"][0]["simulated"].get<double>() / 10 - 1, 1e-9);
  EXPECT_TRUE(json["records"][1]["simulated"].is_null());
  EXPECT_EQ(json["groups"][0]["n"], 1);
}

TEST_F(CliValidate, SimulatedValueIsThatOfTheRun) {
  write("points.json", kPoints);
  const auto report = nlohmann::json::parse(trnsim({"validate", "points.json", "--json", "-"}).out);
  const auto run = result(trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=128,n=512,k=128", "--json", "-"}).out);
  EXPECT_NEAR(report["records"][0]["simulated"].get<double>() * 1000, run["time_ns"].get<double>(), 0.001);
}

TEST_F(CliValidate, ReadsPointsFromStandardInput) {
  EXPECT_EQ(trnsim({"validate", "-", "--quiet"}, {.input = kPoints}).code, 0);
  const Outcome bad = trnsim({"validate", "-"}, {.input = "{}"});
  expect_refusal(bad, 2);
  EXPECT_NE(bad.err.find("stdin: "), std::string::npos) << bad.err;
}

TEST_F(CliValidate, AnErrorThatGrewFailsAgainstTheErrorsOfBefore) {
  write("points.json", R"({"trnsim_validation": "1.0", "points": [{"id": "p", "group": "g", "chip": "trn2", "kernel": "matmul",
    "params": {"m": 128, "n": 512, "k": 128}, "metric": "time_us", "measured": 10, "quality": "A", "source": "a test"}]})");
  ASSERT_EQ(trnsim({"validate", "points.json", "-q", "--against", "errors.json", "--update"}).code, 0);
  EXPECT_EQ(trnsim({"validate", "points.json", "-q", "--against", "errors.json"}).code, 0);
  write("errors.json", R"({"trnsim_validation_baseline": "1.0", "errors": {"p": 0}})");
  const Outcome worse = trnsim({"validate", "points.json", "-q", "--against", "errors.json"});
  EXPECT_EQ(worse.code, 1);
  EXPECT_NE(worse.err.find("p: error "), std::string::npos) << worse.err;
}

TEST_F(CliValidate, ErrorsOfAPartAreNotHeldAgainstAll) {
  expect_refusal(trnsim({"validate", "--only", "act", "--against", "errors.json"}), 2);
  expect_refusal(trnsim({"validate", "--against", "nowhere.json"}), 4);
}

TEST_F(CliValidate, BadAndMissingFilesAreToldApart) {
  write("bad.json", "{}");
  expect_refusal(trnsim({"validate", "bad.json"}), 2);
  expect_refusal(trnsim({"validate", "nowhere.json"}), 4);
  expect_refusal(trnsim({"validate", "."}), 4);
  expect_refusal(trnsim({"validate", "bad.json", "--json", "/nonexistent/x"}), 4);
}

}  // namespace
}  // namespace trnsim
