// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// `trnsim run --uncertainty`: the spread of the time over the ranges of what nobody has measured.
#include "integration/cli.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

class CliUncertainty : public Cli {
 protected:
  Outcome study(const std::vector<std::string>& more) const {
    std::vector<std::string> args{"run", "--chip", "trn3", "--kernel", "softmax", "--param", "rows=128,cols=256", "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return trnsim(args);
  }
  Json uncertainty(const std::vector<std::string>& more) const {
    std::vector<std::string> args = more;
    args.insert(args.end(), {"--json", "-"});
    const Outcome outcome = study(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? result(outcome.out)["uncertainty"] : Json();
  }
};

TEST_F(CliUncertainty, GivesTheSameBytesWithOneWorkerAndWithTwo) {
  const Json one = uncertainty({"--uncertainty", "12", "-j", "1"}), two = uncertainty({"--uncertainty", "12", "-j", "2"});
  EXPECT_EQ(one.dump(), two.dump());
  EXPECT_EQ(one["samples"], 12);
  EXPECT_EQ(one["failed"], 0);
}

TEST_F(CliUncertainty, PutsTheMedianBetweenTheEnds) {
  const Json u = uncertainty({"--uncertainty", "12"});
  EXPECT_LT(u["time_ns"]["p5"], u["time_ns"]["p50"]);
  EXPECT_LT(u["time_ns"]["p50"], u["time_ns"]["p95"]);
  double before = 1;
  for (const Json& p : u["parameters"]) {
    EXPECT_LE(p["share"], before);
    before = p["share"];
    EXPECT_LE(p["range"][0], p["value"]);
    EXPECT_GE(p["range"][1], p["value"]);
    EXPECT_TRUE(p["confidence"] == "assumed" || p["confidence"] == "derived");
  }
}

TEST_F(CliUncertainty, AnotherSeedDrawsOtherSamples) {
  EXPECT_NE(uncertainty({"--uncertainty", "5", "--seed", "1"})["time_ns"], uncertainty({"--uncertainty", "5", "--seed", "2"})["time_ns"]);
}

TEST_F(CliUncertainty, DoesNotDrawWhatTheUserSets) {
  const Json u = uncertainty({"--uncertainty", "3", "--set", "dma.hardware_mode.issue_interval_ns=600"});
  EXPECT_EQ(u["held"], Json::array({"dma.hardware_mode.issue_interval_ns"}));
  for (const Json& p : u["parameters"]) EXPECT_NE(p["path"], "dma.hardware_mode.issue_interval_ns");
}

TEST_F(CliUncertainty, LeavesTheRunItselfAsItIs) {
  const Outcome with = study({"--uncertainty", "3", "--json", "-"}), without = study({"--json", "-"});
  Json a = result(with.out), b = result(without.out);
  a.erase("uncertainty"), b.erase("uncertainty");
  EXPECT_EQ(a, b);
}

TEST_F(CliUncertainty, WithoutAnyTimeIsAnErrorThatNamesTheFirstReason) {
  const Outcome outcome = study({"--uncertainty", "3", "--sample-memory", "16"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("no sample gave a time; sample 0: needs more than 16 MiB of memory"), std::string::npos) << outcome.err;
}

TEST_F(CliUncertainty, ReportNamesIntervalAndNumbers) {
  const Outcome outcome = study({"--uncertainty", "30"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("Uncertainty  5-95 %:"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("numbers drawn; share: squared rank correlation"), std::string::npos);
}

TEST_F(CliUncertainty, OfLayersAddsThemUp) {
  write("net.csv", "Layer,M,N,K\na,128,128,128\nb,256,128,128\n");
  const Outcome outcome = trnsim({"run", "--chip", "trn3", "--gemm-list", "net.csv", "--uncertainty", "4", "--quiet", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json r = result(outcome.out);
  EXPECT_GT(r["uncertainty"]["time_ns"]["p95"], 0.5 * r["time_ns"].get<double>());
}

TEST_F(CliUncertainty, OfATraceReadsItOncePerSample) {
  ASSERT_EQ(trnsim({"trace", "write", "--chip", "trn3", "--kernel", "softmax", "--param", "rows=128,cols=256", "-o", "k.jsonl"}).code, 0);
  const Outcome outcome = trnsim({"run", "--chip", "trn3", "--trace", "k.jsonl", "--uncertainty", "12", "--quiet", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(result(outcome.out)["uncertainty"]["time_ns"], uncertainty({"--uncertainty", "12"})["time_ns"]);
}

TEST_F(CliUncertainty, RerunRepeatsTheRunBehindTheStudy) {
  ASSERT_EQ(study({"--uncertainty", "2", "--json", "r.json"}).code, 0);
  EXPECT_EQ(trnsim({"rerun", "r.json", "--quiet"}).code, 0);
}

TEST_F(CliUncertainty, RefusesWhatMakesNoSense) {
  expect_refusal(study({"--uncertainty", "1"}), 2);
  expect_refusal(study({"--uncertainty", "x"}), 2);
  expect_refusal(study({"--seed", "1"}), 2);
  expect_refusal(study({"--uncertainty", "3", "--max-time", "1us"}), 2);
}

TEST_F(CliUncertainty, CtrlCEndsItWithoutAResult) {
  Surroundings how;
  how.interrupt_after_ms = 1500;
  const Outcome outcome = trnsim(
      {"run", "--chip", "trn3", "--kernel", "matmul", "--param", "m=2048,n=2048,k=2048", "--uncertainty", "5000", "--json", "r.json"}, how);
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_TRUE(files().empty());
}

// Short copies: the issue interval of a static ring, which nobody has measured on this chip, sets the time.
TEST_F(CliUncertainty, TheReportNamesWhatMovesTheTimeAsSimulatedAtBothEnds) {
  const std::vector<std::string> run{
      "run", "--chip", "trn1", "--kernel", "copy", "--param", "bytes=1048576,bytes_per_partition=64,dma_queues=1", "--json", "r.json"};
  const Outcome outcome = trnsim(run);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("assumed numbers that move the time most: dma.static_mode.issue_interval_ns (600, from 50 to"),
            std::string::npos)
      << outcome.out;
  const Json strongest = result(read("r.json"))["influences"][0];
  EXPECT_EQ(strongest["path"], "dma.static_mode.issue_interval_ns");
  EXPECT_TRUE(strongest["simulated"]);
  std::vector<std::string> low = run;
  low.insert(low.end(), {"--set", "dma.static_mode.issue_interval_ns=50"});
  ASSERT_EQ(trnsim(low).code, 0);
  EXPECT_EQ(result(read("r.json"))["time_ns"], strongest["lo_ns"]);
}

TEST_F(CliUncertainty, TheReportReadsATraceFromStdinOnce) {
  ASSERT_EQ(
      trnsim({"trace", "write", "--chip", "trn1", "--kernel", "copy", "--param", "bytes=1048576,bytes_per_partition=64", "-o", "k.jsonl"})
          .code,
      0);
  const Outcome outcome = trnsim({"run", "--chip", "trn1", "--trace", "-", "--json", "r.json"}, {.input = read("k.jsonl")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("move the time"), std::string::npos);
  EXPECT_FALSE(result(read("r.json"))["influences"][0]["simulated"]);
}

}  // namespace
}  // namespace trnsim
