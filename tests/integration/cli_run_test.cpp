// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The same input gives the same bytes; early ends are marked; results can be repeated.
#include "integration/cli.hpp"

namespace trnsim {
namespace {

using CliRun = Cli;

TEST_F(CliRun, TwentyRunsGiveTheSameBytes) {
  const std::string first = result(trnsim(small_run({"--json", "-"})).out).dump(1);
  for (int i = 0; i < 19; ++i) {
    const Outcome outcome = trnsim(small_run({"--json", "-"}), {.fixed_addresses = i % 2 == 0});
    ASSERT_EQ(result(outcome.out).dump(1), first) << i;
  }
}

TEST_F(CliRun, PlaceOfTheOutputDoesNotShowInIt) {
  ASSERT_EQ(trnsim(small_run({"--json", "a.json"})).code, 0);
  ASSERT_EQ(trnsim(small_run({"--json", "b.json", "--csv", "c.csv", "--quiet"})).code, 0);
  EXPECT_EQ(result(read("a.json")), result(read("b.json")));
}

TEST_F(CliRun, CommandOfTheResultNamesTheInput) {
  const auto json = result(trnsim(small_run({"--json", "-"})).out);
  EXPECT_EQ(json["command"], "trnsim run --chip trn2 --kernel matmul --param m=256,n=512,k=256");
}

TEST_F(CliRun, OverridesAreRecorded) {
  const auto json = result(trnsim(small_run({"--json", "-", "--set", "hbm.stack_gb_per_s=500"})).out);
  EXPECT_NE(json["chip"]["overrides"].dump().find("hbm.stack_gb_per_s"), std::string::npos);
  EXPECT_EQ(json["chip"]["config"]["hbm"]["stack_gb_per_s"], 500);
}

TEST_F(CliRun, TimeLimitGivesATruncatedResult) {
  const Outcome outcome = trnsim(small_run({"--max-time", "5us", "--json", "r.json"}));
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  const auto json = result(read("r.json"));
  EXPECT_EQ(json["truncated"], "--max-time 5us reached");
  EXPECT_EQ(json["time_ns"], 5000);
  EXPECT_NE(outcome.out.find("TRUNCATED"), std::string::npos) << outcome.out;
}

TEST_F(CliRun, TimeLimitAtTheNaturalEndTruncatesNothing) {
  auto whole = result(trnsim(small_run({"--json", "-"})).out);
  const Outcome outcome = trnsim(small_run({"--json", "-", "--max-time", whole["time_ns"].dump() + "ns"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  auto limited = result(outcome.out);
  EXPECT_TRUE(limited["truncated"].is_null());
  whole.erase("command");
  limited.erase("command");
  EXPECT_EQ(limited, whole);
}

TEST_F(CliRun, TimeLimitJustBeforeTheEndTruncates) {
  const auto whole = result(trnsim(small_run({"--json", "-"})).out);
  const auto ps = static_cast<std::uint64_t>(whole["time_ns"].get<double>() * 1000 + 0.5);
  const Outcome outcome = trnsim(small_run({"--json", "-", "--max-time", std::to_string(ps - 1) + "ps"}));
  EXPECT_EQ(outcome.code, 5) << outcome.err;
}

TEST_F(CliRun, InterruptWritesWhatThereIs) {
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=32768,n=32768,k=32768", "--json", "r.json"},
                                 {.interrupt_after_ms = 1000});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  const auto json = result(read("r.json"));
  EXPECT_EQ(json["truncated"], "interrupted");
  EXPECT_GT(json["time_ns"].get<double>(), 0);
}

TEST_F(CliRun, ResultCanBeRepeated) {
  ASSERT_EQ(trnsim(small_run({"--json", "r.json", "--set", "dma.engines=8"})).code, 0);
  const Outcome outcome = trnsim({"rerun", "r.json", "--json", "again.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(result(read("again.json")), result(read("r.json")));
}

TEST_F(CliRun, RepetitionFindsANumberThatMoved) {
  ASSERT_EQ(trnsim(small_run({"--json", "r.json"})).code, 0);
  auto json = nlohmann::ordered_json::parse(read("r.json"));
  json["cycles"] = json["cycles"].get<std::uint64_t>() + 1;
  write("r.json", json.dump());
  const Outcome outcome = trnsim({"rerun", "r.json"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("/cycles"), std::string::npos) << outcome.out;
}

TEST_F(CliRun, RepetitionUsesTheRecordedChipWhenItsFileIsGone) {
  write("chip.json", R"({"extends":"trn2","hbm":{"stack_gb_per_s":500}})");
  const Outcome first = trnsim({"run", "--chip", "chip.json", "--kernel", "matmul", "--param", "m=256,n=512,k=256", "--json", "r.json"});
  ASSERT_EQ(first.code, 0) << first.err;
  std::filesystem::remove(path("chip.json"));
  const Outcome outcome = trnsim({"rerun", "r.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.err.find("chip.json"), std::string::npos) << outcome.err;
}

TEST_F(CliRun, NewerResultFormatIsRefusedWithBothVersions) {
  ASSERT_EQ(trnsim(small_run({"--json", "r.json"})).code, 0);
  for (const char* version : {"1.1", "2.0"}) {
    auto json = nlohmann::ordered_json::parse(read("r.json"));
    json["trnsim_result"] = version;
    write("newer.json", json.dump());
    const Outcome outcome = trnsim({"rerun", "newer.json"});
    expect_refusal(outcome, 2);
    EXPECT_NE(outcome.err.find(version), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("reads 1.0"), std::string::npos) << outcome.err;
  }
}

TEST_F(CliRun, WorkOfTheLargestShapeIsAnExactInteger) {
  const Outcome outcome =
      trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=65536,n=65536,k=65536", "--max-time", "1us", "--json", "-"});
  ASSERT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_EQ(result(outcome.out)["workload"]["macs"], 281474976710656u);
}

TEST_F(CliRun, ExtremeRatesRunOrAreRefused) {
  for (const char* set : {"tensor.clock_ghz=1e-300", "hbm.stack_gb_per_s=1e-300"}) expect_refusal(trnsim(small_run({"--set", set})), 2);
  // The interval after the last copy ends long after the run.
  for (const char* set : {"tensor.clock_ghz=0.001", "dma.engine_gb_per_s=0.001", "dma.hardware_mode.issue_interval_ns=1e6"}) {
    EXPECT_EQ(trnsim(small_run({"--set", set})).code, 0) << set;
  }
}

TEST_F(CliRun, WrongConfigFolderIsNamed) {
  const Outcome outcome = trnsim(small_run(), {.environment = {{"TRNSIM_CONFIGS", "/nonexistent"}}});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("/nonexistent/chips"), std::string::npos) << outcome.err;
}

TEST_F(CliRun, TypeOfALaterGenerationIsRefusedByName) {
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=256,n=512,k=256,dtype=mxfp8"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("mxfp8"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("trn2"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace trnsim
