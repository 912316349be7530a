// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The same product at 1.4 and 2.8 GHz: a time stands beside cycles everywhere, and nothing compares the cycles of two clocks without saying
// so. compare and diff have tests of their own.
#include "integration/cli.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

class CliClocks : public Cli {
 protected:
  static std::vector<std::string> run(const std::string& ghz, const std::vector<std::string>& more) {
    std::vector<std::string> args{
        "run", "--chip", "trn1", "--kernel", "matmul", "--param", "m=256,n=512,k=256", "--set", "tensor.clock_ghz=" + ghz};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  Json result(const std::string& ghz) const { return Json::parse(trnsim(run(ghz, {"--quiet", "--json", "-"})).out); }

  /// A golden file with the cycles of one clock for a run at another.
  void write_golden(const std::string& ghz, const std::string& rest) const {
    write("golden.json",
          R"({"trnsim_golden": "1.0", "cases": [{"name": "product", "args": ["--chip", "trn1", "--kernel", "matmul", "--param",
"m=256,n=512,k=256", "--set", "tensor.clock_ghz=)" +
              ghz + R"("], )" + rest + "}]}");
  }
};

TEST_F(CliClocks, TheFasterOneTakesLessTimeAndMoreCyclesOfItsOwn) {
  const Json slow = result("1.4"), fast = result("2.8");
  EXPECT_LT(fast["time_ns"].get<double>(), slow["time_ns"].get<double>());
  EXPECT_GT(fast["cycles"].get<int>(), slow["cycles"].get<int>()) << "copies take as long as before";
  for (const auto& [json, ghz] : {std::pair(slow, 1.4), {fast, 2.8}})
    EXPECT_NEAR(json["cycles"].get<double>() / ghz, json["time_ns"].get<double>(), 1) << "cycles are those of its clock";
}

TEST_F(CliClocks, EveryEngineNamesTheClockOfItsCycles) {
  const Json json = result("1.4");
  for (const auto& [name, engine] : json["engines"].items())
    EXPECT_NEAR(engine["elapsed_cycles"].get<double>() / engine["clock_ghz"].get<double>(), json["time_ns"].get<double>(), 1.5) << name;
}

TEST_F(CliClocks, ReportsAndTablesHaveTheTimeBesideCycles) {
  const std::string report = trnsim(run("1.4", {})).out;
  EXPECT_NE(report.find("cycles at 1.4 GHz"), std::string::npos) << report;
  const std::string csv = trnsim(run("1.4", {"--csv", "-"})).out;
  EXPECT_NE(csv.find("time_ns"), std::string::npos) << csv;
  EXPECT_NE(csv.find("cycles"), std::string::npos);
  const std::string explained = trnsim({"explain", "--chip", "trn1", "--kernel", "copy", "--param", "bytes=65536", "--no-what-if"}).out;
  EXPECT_NE(explained.find("Tensor cycles at 2.8 GHz"), std::string::npos) << explained;
}

TEST_F(CliClocks, ACheckHasTheTimeBesideCycles) {
  write_golden("1.4", R"("cycles": )" + std::to_string(result("1.4")["cycles"].get<int>()));
  const Outcome outcome = trnsim({"check", "golden.json", "--json", "report.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("time"), std::string::npos) << outcome.out;
  const Json report = Json::parse(read("report.json"));
  EXPECT_EQ(report["cases"][0]["clock_ghz"], 1.4);
  EXPECT_EQ(report["cases"][0]["time_ns"], result("1.4")["time_ns"]);
}

TEST_F(CliClocks, ACheckComparesTimesWhenTheExpectedCyclesAreOfAnotherClock) {
  const int slow = result("1.4")["cycles"].get<int>();
  write_golden("2.8", R"("clock_ghz": 1.4, "cycles": )" + std::to_string(slow));
  const Outcome outcome = trnsim({"check", "golden.json", "--json", "report.json"});
  const Json one = Json::parse(read("report.json"))["cases"][0];
  EXPECT_GT(one["cycles"].get<int>(), slow) << "more cycles";
  EXPECT_EQ(one["verdict"], "improvement") << "less time";
  EXPECT_NE(outcome.out.find("times are compared"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1.4 GHz"), std::string::npos) << outcome.out;
}

TEST_F(CliClocks, AnUpdateBringsTheClockUpToDate) {
  write_golden("2.8", R"("clock_ghz": 1.4, "cycles": 5)");
  trnsim({"check", "golden.json", "--update"});
  const Json one = Json::parse(read("golden.json"))["cases"][0];
  EXPECT_EQ(one["clock_ghz"], 2.8);
  EXPECT_EQ(one["cycles"], result("2.8")["cycles"]);
  EXPECT_EQ(trnsim({"check", "golden.json"}).code, 0);
}

TEST_F(CliClocks, ASweepWarnsOfCyclesOfDifferentClocks) {
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn1", "kernel": "matmul", "params": {"m": 256, "n": 512, "k": 256}},
                      "axes": [{"path": "set.tensor.clock_ghz", "values": [1.4, 2.8]}]})");
  const Outcome sweep = trnsim({"sweep", "s.json", "-o", "d", "--quiet"});
  ASSERT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_NE(trnsim({"best", "d", "--by", "cycles"}).out.find("use a time"), std::string::npos);
  EXPECT_NE(trnsim({"pareto", "d", "--x", "cycles", "--y", "energy_total_pj"}).out.find("1.4 to 2.8 GHz"), std::string::npos);
  EXPECT_NE(trnsim({"sensitivity", "d", "--by", "cycles"}).out.find("use a time"), std::string::npos);
  EXPECT_EQ(trnsim({"best", "d"}).out.find("use a time"), std::string::npos) << "times compare";
}

TEST_F(CliClocks, CyclesOfOneClockNeedNoNote) {
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn1", "kernel": "matmul", "params": {"m": 256, "n": 512, "k": 256}},
                      "axes": [{"path": "params.n", "values": [512, 1024]}]})");
  trnsim({"sweep", "s.json", "-o", "d", "--quiet"});
  const Outcome best = trnsim({"best", "d", "--by", "cycles"});
  EXPECT_EQ(best.code, 0) << best.err;
  EXPECT_EQ(best.out.find("use a time"), std::string::npos) << best.out;
}

}  // namespace
}  // namespace trnsim
