// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// `trnsim run --bound`: the least time by arithmetic, without a simulation.
#include "integration/cli.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

class CliBound : public Cli {
 protected:
  Json json_of(std::vector<std::string> args) const {
    args.insert(args.end(), {"--quiet", "--json", "-"});
    const Outcome outcome = trnsim(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? Json::parse(outcome.out) : Json();
  }
  static std::vector<std::string> with(std::vector<std::string> args, const std::vector<std::string>& more) {
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
};

TEST_F(CliBound, IsBelowTheSimulatedTimeAndNamesTheSameResources) {
  const Json bound = json_of(with(small_run(), {"--bound"})), run = json_of(small_run());
  EXPECT_GT(bound["bound_ns"], 0);
  EXPECT_LE(bound["bound_ns"], run["time_ns"]);
  std::vector<std::string> a, b;
  for (const auto& [name, ns] : bound["bounds_ns"].items()) a.push_back(name);
  for (const auto& [name, ns] : run["bottleneck"]["bounds_ns"].items()) b.push_back(name);
  EXPECT_EQ(a, b);
  EXPECT_EQ(bound["workload"]["macs"], run["workload"]["macs"]);
  EXPECT_EQ(bound["workload"]["instructions"], run["workload"]["instructions"]);
  EXPECT_EQ(bound["chip"]["config_hash"], run["chip"]["config_hash"]);
}

TEST_F(CliBound, OfATraceIsThatOfItsKernel) {
  const std::vector<std::string> kernel{"--chip", "trn2", "--kernel", "attention", "--param", "seq_q=256,heads=1"};
  ASSERT_EQ(trnsim(with({"trace", "write", "-o", "k.jsonl"}, kernel)).code, 0);
  EXPECT_EQ(json_of({"run", "--chip", "trn2", "--trace", "k.jsonl", "--bound"})["bounds_ns"],
            json_of(with(with({"run"}, kernel), {"--bound"}))["bounds_ns"]);
}

TEST_F(CliBound, OfLayersIsTheirSumAndStandsInTheirReport) {
  write("net.csv", "Layer,M,N,K\na,256,512,128\nb,128,128,128\nc,512,384,256\n");
  const Json bound = json_of({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--bound"});
  const Json run = json_of({"run", "--chip", "trn2", "--gemm-list", "net.csv"});
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    sum += bound["layers"][i]["bound_ns"].get<double>();
    EXPECT_EQ(bound["layers"][i]["bound_ns"], run["layers"][i]["bound_ns"]);
    EXPECT_GE(run["layers"][i]["bound_ratio"], 1);
  }
  EXPECT_NEAR(bound["bound_ns"].get<double>(), sum, 1e-6);
  const Outcome text = trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--quiet"});
  EXPECT_NE(text.out.find("x bound"), std::string::npos) << text.out;
}

TEST_F(CliBound, OfAHugeKernelTakesNoSimulation) {
  const Json bound = json_of({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=32768,n=32768,k=32768", "--bound"});
  EXPECT_TRUE(bound["whole"]);
  EXPECT_GE(bound["bound_ns"].get<double>() * (1 + 1e-9), 32768.0 * 32768 * 32768 / (128.0 * 128 * 2.4));
}

TEST_F(CliBound, FollowsOverridesAndCores) {
  const Json fast = json_of(with(small_run(), {"--bound"})),
             slow = json_of(with(small_run(), {"--bound", "--set", "tensor.clock_ghz=1.2"}));
  EXPECT_GT(slow["bounds_ns"]["tensor array"], fast["bounds_ns"]["tensor array"]);
  EXPECT_EQ(slow["chip"]["overrides"]["tensor.clock_ghz"], "1.2");
}

TEST_F(CliBound, ReportListsResources) {
  const Outcome outcome = trnsim(with(small_run(), {"--bound"}));
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"nothing was simulated", "tensor array", "DMA issue", "HBM bandwidth"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
}

TEST_F(CliBound, RefusesOptionsOfASimulation) {
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--uncertainty", "3"}, {"--max-time", "1us"}, {"--csv", "x.csv"}, {"-j", "2"}}) {
    expect_refusal(trnsim(with(with(small_run(), {"--bound"}), more)), 2);
  }
  expect_refusal(trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=0,n=1,k=1", "--bound"}), 2);
}

}  // namespace
}  // namespace trnsim
