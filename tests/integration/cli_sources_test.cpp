// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Times by line of the kernel's source.
#include <cmath>
#include <sstream>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

class CliSources : public Cli {
 protected:
  /// A kernel's trace whose instructions have places in `kernel.py`; every `gap`-th has none.
  void write_trace(const std::string& name, unsigned gap = 0) const {
    const Outcome written =
        trnsim({"trace", "write", "--kernel", "matmul", "--param", "m=256,n=1024,k=512,schedule=hoisted", "-o", "plain.jsonl"});
    ASSERT_EQ(written.code, 0) << written.err;
    std::istringstream in(read("plain.jsonl"));
    std::string text;
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
      if (text.empty()) {
        const std::string tensors = "\"tensors\":";
        line.insert(line.find(tensors), "\"files\":[\"kernel.py\"],");
      } else if (line.starts_with("{\"op\"") && (++number, gap == 0 || number % gap != 0)) {
        line.insert(line.size() - 1, ",\"at\":[0," + std::to_string(line_of(line)) + "]");
      }
      text += line + "\n";
    }
    write(name, text);
    write("kernel.py", "def kernel(a, b):\n  x = nl.load(a)\n  y = nisa.nc_matmul(w, x)\n  z = nl.copy(y)\n");
  }
  static int line_of(const std::string& line) {
    return line.find("dma_copy") != std::string::npos ? 2 : line.find("nc_matmul") != std::string::npos ? 3 : 4;
  }

  [[nodiscard]] nlohmann::ordered_json run(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args{"run", "--chip", "trn2", "--trace", name, "--json", "-"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome outcome = trnsim(args);
    EXPECT_TRUE(outcome.code == 0 || !more.empty()) << outcome.err;
    return result(outcome.out);
  }
  static double sum(const nlohmann::ordered_json& lines, const std::string& key) {
    double total = 0;
    for (const auto& line : lines) total += line[key].get<double>();
    return total;
  }
};

TEST_F(CliSources, HotLinesHaveTimeStallsAndBytes) {
  write_trace("k.jsonl");
  const auto json = run("k.jsonl");
  const auto& lines = json["source_lines"];
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines[0]["text"], "x = nl.load(a)") << "this schedule waits for its loads";
  EXPECT_EQ(lines[0]["dma_bytes"], json["dma"]["bytes"]);
  double stalls = 0;
  for (const auto& line : lines) {
    for (const auto& [cause, ns] : line["stall_ns"].items()) stalls += ns.get<double>();
    if (line["line"] == 3) {
      EXPECT_GT(line["busy_ns"]["tensor"].get<double>(), 0);
      EXPECT_GT(line["stall_ns"]["wait_dma"].get<double>(), 0);
      EXPECT_EQ(line["dma_bytes"], 0);
    }
  }
  EXPECT_GT(stalls, 0);
}

TEST_F(CliSources, TheEntriesAddUpToTheRun) {
  write_trace("k.jsonl", 5);
  const auto json = run("k.jsonl");
  const auto& lines = json["source_lines"];
  EXPECT_NEAR(sum(lines, "exposed_ns"), json["time_ns"].get<double>(), 0.001 * static_cast<double>(lines.size()));
  EXPECT_EQ(sum(lines, "instructions"), json["workload"]["instructions"].get<double>());
  EXPECT_EQ(sum(lines, "dma_bytes"), json["dma"]["bytes"].get<double>());
  for (const auto& [name, engine] : json["engines"].items()) {
    double busy = 0;
    for (const auto& line : lines) busy += line["busy_ns"][name].get<double>();
    EXPECT_NEAR(busy, engine["busy_cycles"].get<double>() / engine["clock_ghz"].get<double>(), 0.01) << name;
  }
}

TEST_F(CliSources, AbsentPlacesBreakNothingAndShareTheLastEntry) {
  write_trace("k.jsonl", 3);
  const auto json = run("k.jsonl");
  const auto& last = json["source_lines"].back();
  EXPECT_TRUE(last["file"].is_null());
  EXPECT_TRUE(last["line"].is_null());
  EXPECT_GT(last["instructions"].get<int>(), 0);
  EXPECT_TRUE(run("plain.jsonl")["source_lines"].empty());
}

TEST_F(CliSources, PlacesChangeNeitherTimesNorHash) {
  write_trace("k.jsonl");
  auto with = run("k.jsonl"), without = run("plain.jsonl");
  for (auto* json : {&with, &without}) {
    for (const char* key : {"command", "source_lines"}) json->erase(key);
    (*json)["workload"].erase("source");
  }
  EXPECT_EQ(with, without);
}

TEST_F(CliSources, TheReportHasATableOfLines) {
  write_trace("k.jsonl");
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--trace", "k.jsonl"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("exposed"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("kernel.py:3"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("nisa.nc_matmul(w, x)"), std::string::npos) << outcome.out;
  EXPECT_EQ(trnsim({"run", "--chip", "trn2", "--trace", "plain.jsonl"}).out.find("exposed"), std::string::npos);
}

TEST_F(CliSources, ASourceThatIsGoneLeavesTheTextOut) {
  write_trace("k.jsonl");
  std::filesystem::remove(path("kernel.py"));
  for (const auto& line : run("k.jsonl")["source_lines"]) EXPECT_TRUE(line["text"].is_null());
}

TEST_F(CliSources, AStoppedRunHasLinesToo) {
  write_trace("k.jsonl");
  const auto json = run("k.jsonl", {"--max-time", "8us"});
  EXPECT_FALSE(json["truncated"].is_null());
  EXPECT_NEAR(sum(json["source_lines"], "exposed_ns"), json["time_ns"].get<double>(), 0.01);
}

}  // namespace
}  // namespace trnsim
