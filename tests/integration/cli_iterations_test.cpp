// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Cold and warm runs: run --iterations.
#include <algorithm>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

class CliIterations : public Cli {
 protected:
  Json run(const std::vector<std::string>& more) const {
    const Outcome outcome = trnsim(small_run(joined({"--quiet", "--json", "-"}, more)));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  static std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  static double number(const Json& json, const char* group, const char* key) { return json[group][key].get<double>(); }
};

TEST_F(CliIterations, ColdAndWarmTimesStandApartAndAddUp) {
  const Json once = run({"--iterations", "1"}), ten = run({"--iterations", "10"});
  for (const Json& json : {once, ten}) {
    const double start = number(json, "iterations", "first_run_ns");
    EXPECT_GT(start, 0);
    EXPECT_EQ(start, json["chip"]["config"]["chip"]["first_run_ns"].get<double>());
    EXPECT_DOUBLE_EQ(number(json, "iterations", "warm_ns"), json["total_ns"].get<double>());
    EXPECT_DOUBLE_EQ(number(json, "iterations", "first_ns"), start + json["launch_ns"].get<double>() + json["time_ns"].get<double>());
  }
  EXPECT_DOUBLE_EQ(number(once, "iterations", "all_ns"), number(once, "iterations", "first_ns"));
  EXPECT_DOUBLE_EQ(number(ten, "iterations", "all_ns"), number(ten, "iterations", "first_ns") + 9 * number(ten, "iterations", "warm_ns"));
}

TEST_F(CliIterations, TheHeadlineIsWarm) {
  const Json plain = run({}), ten = run({"--iterations", "10"});
  for (const char* key : {"time_ns", "cycles", "launch_ns", "total_ns", "mfu", "energy", "power"}) EXPECT_EQ(plain[key], ten[key]) << key;
  EXPECT_EQ(plain["iterations"]["count"], 1);
  EXPECT_EQ(ten["iterations"]["count"], 10);
}

TEST_F(CliIterations, StartUpChangesTheFirstRunAlone) {
  const Json a = run({"--iterations", "10"}), b = run({"--iterations", "10", "--set", "chip.first_run_ns=3000000"});
  EXPECT_EQ(a["time_ns"], b["time_ns"]);
  EXPECT_EQ(number(a, "iterations", "warm_ns"), number(b, "iterations", "warm_ns"));
  EXPECT_DOUBLE_EQ(number(b, "iterations", "all_ns") - number(a, "iterations", "all_ns"),
                   3'000'000 - number(a, "iterations", "first_run_ns"));
}

TEST_F(CliIterations, AnAssumedStartUpIsNamedWhenTheResultRestsOnIt) {
  const auto assumed = [](const Json& json) {
    const auto list = json["chip"]["assumed"].get<std::vector<std::string>>();
    return std::count(list.begin(), list.end(), "chip.first_run_ns");
  };
  EXPECT_EQ(assumed(run({})), 0);
  EXPECT_EQ(assumed(run({"--iterations", "2"})), 1);
}

TEST_F(CliIterations, TheReportSaysBoth) {
  const Outcome outcome = trnsim(small_run({"--iterations", "10"}));
  EXPECT_NE(outcome.out.find("the first 1.0"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("10 together"), std::string::npos) << outcome.out;
  EXPECT_EQ(trnsim(small_run()).out.find("chip.first_run_ns"), std::string::npos) << "not asked for";
}

TEST_F(CliIterations, AListOfLayersCountsAsOneRun) {
  write("net.csv", "Layer,M,N,K\na,128,512,128\nb,128,512,128\n");
  const Json json =
      Json::parse(trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--iterations", "3", "--quiet", "--json", "-"}).out);
  EXPECT_DOUBLE_EQ(number(json, "iterations", "all_ns"), number(json, "iterations", "first_run_ns") + 3 * json["total_ns"].get<double>());
}

TEST_F(CliIterations, ARerunRepeatsThem) {
  trnsim(small_run({"--iterations", "10", "--json", "r.json", "--quiet"}));
  const Outcome outcome = trnsim({"rerun", "r.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

TEST_F(CliIterations, RunsThatMakeNoSenseAreRefused) {
  expect_refusal(trnsim(small_run({"--iterations", "0"})), 2);
  expect_refusal(trnsim(small_run({"--iterations", "two"})), 2);
  expect_refusal(trnsim(small_run({"--iterations", "2", "--max-time", "1us"})), 2);
}

}  // namespace
}  // namespace trnsim
