// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Two results side by side, and a result beside measured figures.
#include "integration/golden_suite.hpp"
#include "integration/schema_check.hpp"

namespace trnsim {
namespace {

class CliDiff : public Cli {
 protected:
  void run(const std::string& file, const std::vector<std::string>& more = {}, const std::string& chip = "trn2") const {
    std::vector<std::string> args{"run", "--chip", chip, "--kernel", "matmul", "--param", "m=256,n=512,k=256", "--quiet", "--json", file};
    args.insert(args.end(), more.begin(), more.end());
    ASSERT_EQ(trnsim(args).code, 0);
  }
};

// A slow-down by one DMA start latency.
TEST_F(CliDiff, NamesTheConfigurationKeyFirstAndThenWhatMovedMost) {
  run("a.json");
  run("b.json", {"--set", "dma.hardware_mode.load_start_ns=1000"});
  const Outcome outcome = trnsim({"diff", "a.json", "b.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t key = outcome.out.find("dma.hardware_mode.load_start_ns"), total = outcome.out.find("time_ns"),
                    component = outcome.out.find("tensor wait_dma");
  ASSERT_NE(component, std::string::npos) << outcome.out;
  EXPECT_LT(key, total);
  EXPECT_LT(total, component);
  EXPECT_TRUE(contains(outcome.out, "Largest change: tensor wait_dma +")) << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with("one configuration key differs: dma.hardware_mode.load_start_ns (751 -> 1000).\n")) << outcome.out;
}

TEST_F(CliDiff, EqualRunsAreIdentical) {
  run("a.json");
  run("b.json");
  const Outcome outcome = trnsim({"diff", "a.json", "b.json", "--exit-code"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "A  a.json\nB  b.json\nidentical\n");
}

TEST_F(CliDiff, AnyValueThatDiffersIsADifference) {
  run("a.json");
  std::string text = read("a.json");
  const std::size_t at = text.find("\"cycles\": ") + 10;
  text.insert(at, "1");
  write("b.json", text);
  const Outcome outcome = trnsim({"diff", "a.json", "b.json", "--exit-code"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_NE(outcome.out.find("all values\n  cycles "), std::string::npos) << outcome.out;
}

TEST_F(CliDiff, ExitCodeIsOneOnlyIfAskedFor) {
  run("a.json");
  run("b.json", {"--set", "hbm.stack_gb_per_s=200"});
  EXPECT_EQ(trnsim({"diff", "a.json", "b.json"}).code, 0);
  EXPECT_EQ(trnsim({"diff", "a.json", "b.json", "--exit-code"}).code, 1);
}

TEST_F(CliDiff, CyclesOfTwoClocksAreNotCompared) {
  run("a.json");
  run("b.json", {}, "trn1");
  const Outcome outcome = trnsim({"diff", "a.json", "b.json"});
  EXPECT_TRUE(contains(outcome.out, "cycles are of different clocks, 2.4 and 2.8 GHz: compare the time")) << outcome.out;
}

TEST_F(CliDiff, ComponentsOfAnEngineAddUpToTheTime) {
  run("a.json");
  run("b.json", {"--set", "dma.hardware_mode.load_start_ns=1000"});
  ASSERT_EQ(trnsim({"diff", "a.json", "b.json", "--json", "d.json"}).code, 0);
  const auto json = nlohmann::json::parse(read("d.json"));
  EXPECT_TRUE(follows_schema("diff", json)) << json.dump(1);
  double change = 0;
  for (const auto& one : json["components"]) {
    if (one["unit"] == "ns" && one["name"].get<std::string>().starts_with("tensor ")) change += one["change"].get<double>();
  }
  const double total = json["time_ns"]["b"].get<double>() - json["time_ns"]["a"].get<double>();
  EXPECT_NEAR(change, total, 1.0) << "to one cycle";
}

TEST_F(CliDiff, BadAndMissingResultsAreToldApart) {
  run("a.json");
  write("bad.json", R"({"trnsim_result": "1.0"})");
  expect_refusal(trnsim({"diff", "a.json", "bad.json"}), 2);
  expect_refusal(trnsim({"diff", "a.json", "nowhere.json"}), 4);
  expect_refusal(trnsim({"diff", "a.json"}), 2);
  expect_refusal(trnsim({"diff", "-", "-"}), 2);
  expect_refusal(trnsim({"diff", "a.json", "a.json", "--json", "/nonexistent/x"}), 4);
}

constexpr const char* kProfile = R"({"trnsim_profile": "1.0", "chip": "trn2", "cores": 1, "source": "a test", "metrics": [
  {"metric": "device_time", "value": 10, "unit": "us", "definition": "device"},
  {"metric": "mfu", "value": 50, "unit": "percent", "definition": "executed"},
  {"metric": "hbm_rate", "value": 100, "unit": "GiB/s"}]})";

// Units are converted and named, and each row says whether both sides mean the same.
TEST_F(CliDiff, MeasuredFiguresAreConvertedAndCompared) {
  run("a.json");
  write("p.json", kProfile);
  const Outcome outcome = trnsim({"compare-hw", "a.json", "p.json", "--json", "c.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "from 10 us")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "differs: executed, simulated is useful")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "not stated")) << outcome.out;
  const auto run = result(read("a.json"));
  const auto rows = nlohmann::json::parse(read("c.json"))["metrics"];
  EXPECT_EQ(rows[0]["unit"], "ns");
  EXPECT_EQ(rows[0]["measured"], 10'000);
  EXPECT_NEAR(rows[0]["ratio"].get<double>(), run["time_ns"].get<double>() / 10'000, 1e-12);
  EXPECT_NEAR(rows[1]["ratio"].get<double>(), run["mfu"].get<double>() / 0.5, 1e-12);
  EXPECT_NEAR(rows[2]["measured"].get<double>(), 107.3741824, 1e-9);
}

TEST_F(CliDiff, FiguresOfOtherHardwareAreRefused) {
  run("a.json");
  run("other.json", {}, "trn1");
  run("two.json", {"--cores", "2"});
  (void)trnsim(
      {"run", "--chip", "trn2", "--kernel", "copy", "--param", "bytes=1048576", "--max-time", "1us", "--json", "cut.json", "--quiet"});
  write("p.json", kProfile);
  const Outcome chip = trnsim({"compare-hw", "other.json", "p.json"}), cores = trnsim({"compare-hw", "two.json", "p.json"}),
                cut = trnsim({"compare-hw", "cut.json", "p.json"});
  expect_refusal(chip, 2);
  EXPECT_TRUE(contains(chip.err, "chip: simulated trn1, measured trn2"));
  expect_refusal(cores, 2);
  EXPECT_TRUE(contains(cores.err, "cores: simulated 2, measured 1"));
  expect_refusal(cut, 2);
  EXPECT_TRUE(contains(cut.err, "stopped early (--max-time 1us reached)"));
}

TEST_F(CliDiff, AProfilerSummaryNeedsChipAndCores) {
  run("a.json");
  write("s.json",
        R"({"n1": {"total_time": 1e-05, "hbm_read_bytes": 524288, "tensor_engine_active_time": 2e-06, "mfu_estimated_percent": 0.1}})");
  expect_refusal(trnsim({"compare-hw", "a.json", "s.json"}), 2);
  const Outcome outcome = trnsim({"compare-hw", "a.json", "s.json", "--chip", "trn2", "--cores", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "from 1e-05 s")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "differs: active, simulated is busy")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "mfu")) << "a field whose unit is not documented";
}

TEST_F(CliDiff, TheCommandLineDoesNotContradictAProfile) {
  run("a.json");
  write("p.json", kProfile);
  expect_refusal(trnsim({"compare-hw", "a.json", "p.json", "--chip", "trn1"}), 2);
  expect_refusal(trnsim({"compare-hw", "a.json", "p.json", "--cores", "2"}), 2);
  expect_refusal(trnsim({"compare-hw", "a.json"}), 2);
  expect_refusal(trnsim({"compare-hw", "-", "-"}), 2);
}

TEST_F(CliDiff, ProfilesFollowTheirSchema) {
  const auto good = nlohmann::json::parse(kProfile);
  EXPECT_TRUE(follows_schema("profile", good));
  EXPECT_TRUE(follows_schema("profile", json_file(TRNSIM_SOURCE_DIR "/configs/profiles/example-trn2.json")));
  for (const char* pointer : {"/trnsim_profile", "/chip", "/cores", "/metrics/0/metric", "/metrics/0/value", "/metrics/0/unit"}) {
    auto bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = nullptr;
    EXPECT_FALSE(follows_schema("profile", bad)) << pointer;
  }
}

}  // namespace
}  // namespace trnsim
