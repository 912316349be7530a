// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "integration/sweep_folder.hpp"

namespace trnsim {
namespace {

namespace fs = std::filesystem;

class SweepCommand : public SweepCli {};

TEST_F(SweepCommand, LeavesARowPerPointWithItsIdentity) {
  write_sweep("s.json", {128, 256}, 3);
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("6 points: 6 done"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("out/results.csv"), std::string::npos);
  const auto table = rows(read("out/results.csv"));
  ASSERT_EQ(table.size(), 6U);
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i].at("point"), std::to_string(i));
    EXPECT_EQ(table[i].at("status"), "done");
    EXPECT_EQ(table[i].at("preset"), "trn2");
    EXPECT_EQ(table[i].at("generation"), "v3");
    EXPECT_EQ(table[i].at("config_hash").size(), 16U);
    EXPECT_EQ(table[i].at("overrides"), "hbm.stack_gb_per_s=" + table[i].at("set.hbm.stack_gb_per_s"));
  }
  EXPECT_EQ(query("out", "SELECT count(*) FROM points JOIN configs USING (config_hash)"), std::vector<std::string>{"6"});
}

TEST_F(SweepCommand, RowIsThatOfARun) {
  write_sweep("s.json", {256}, 2);
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "out", "--quiet"}).code, 0);
  const Outcome run = trnsim(
      {"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=256,n=512,k=256", "--set", "hbm.stack_gb_per_s=210", "--csv", "-"});
  const std::string row = run.out.substr(run.out.find('\n') + 1), csv = read("out/results.csv");
  EXPECT_NE(csv.find("1,256,210,done,," + row), std::string::npos) << row;
}

TEST_F(SweepCommand, NumberOfWorkersChangesNoByte) {
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"kernel": "matmul", "params": {"m": 128, "n": 128, "k": 128}}, "axes": [
    {"path": "chip", "values": ["trn1", "trn2", "trn3"]}, {"path": "params.m", "values": [64, 128, 192, 256]},
    {"path": "params.dtype", "values": ["bf16", "fp32"]}]})");
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "one", "-j", "1", "--format", "json,markdown"}).code, 0);
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "eight", "-j", "8", "--format", "json,markdown"}).code, 0);
  for (const char* name : {"results.csv", "results.json", "results.md"}) {
    EXPECT_EQ(read(std::string("one/") + name), read(std::string("eight/") + name)) << name;
    EXPECT_FALSE(read(std::string("one/") + name).empty()) << name;
  }
  EXPECT_EQ(rows(read("one/results.csv")).size(), 24U);
  EXPECT_EQ(nlohmann::json::parse(read("one/results.json"))["rows"].size(), 24U);
  EXPECT_EQ(lines(read("one/results.md")), 26U);
}

TEST_F(SweepCommand, UnknownFormatListsAll) {
  write_sweep("s.json", {128}, 1);
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", "--format", "jsn"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("csv, json, markdown; nearest: 'json'"), std::string::npos) << outcome.err;
}

TEST_F(SweepCommand, FailedPointsAreRowsWithTheirReason) {
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 128, "n": 4096, "k": 65536}},
    "limits": {"seconds": 4, "memory_mib": 4000}, "axes": [{"path": "params.m", "values": [128, 65536]},
    {"path": "params.dtype", "values": ["bf16", "mxfp8"]}]})");
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("is the first that failed, refused: "), std::string::npos) << outcome.err;
  const auto table = rows(read("out/results.csv"));
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table[1].at("status"), "refused");
  EXPECT_NE(table[1].at("error").find("mxfp8 is not available on trn2"), std::string::npos) << table[1].at("error");
  EXPECT_EQ(table[2].at("status"), "timed_out");
  EXPECT_EQ(table[2].at("error"), "ran longer than 4 s");
  for (const std::size_t failed : {1U, 2U, 3U}) {
    EXPECT_EQ(table[failed].at("preset"), "trn2");
    EXPECT_EQ(table[failed].at("generation"), "v3");
    EXPECT_EQ(table[failed].at("config_hash").size(), 16U);
    EXPECT_EQ(table[failed].at("time_ns"), "");
  }
}

TEST_F(SweepCommand, PointWithTooLittleMemoryIsARow) {
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 128, "n": 2048, "k": 4096}},
    "limits": {"memory_mib": 1}, "axes": [{"path": "params.m", "values": [4096]}]})");
  EXPECT_EQ(trnsim({"sweep", "s.json", "-o", "out"}).code, 1);
  const auto table = rows(read("out/results.csv"));
  ASSERT_EQ(table.size(), 1U);
  EXPECT_EQ(table[0].at("status"), "out_of_memory");
  EXPECT_EQ(table[0].at("error"), "needs more than 1 MiB of memory");
}

TEST_F(SweepCommand, EqualPointsAreSimulatedOnce) {
  // 409.5 and 409.50 are one number, and the second axis is the default.
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 128, "n": 128, "k": 128}},
    "axes": [{"path": "set.hbm.stack_gb_per_s", "values": [300, 300.0]}, {"path": "params.dma_queues", "values": [1, 2]}]})");
  const Outcome plan = trnsim({"sweep", "s.json", "--dry-run"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("simulations    2\n"), std::string::npos) << plan.out;
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out"});
  EXPECT_NE(outcome.out.find("2 copied from equal points"), std::string::npos) << outcome.out << outcome.err;
  EXPECT_EQ(query("out", "SELECT count(*) FROM timings WHERE copied_from IS NOT NULL"), std::vector<std::string>{"2"});
  const auto table = rows(read("out/results.csv"));
  EXPECT_EQ(table.at(0).at("time_ns"), table.at(2).at("time_ns"));
  EXPECT_EQ(table.at(0).at("workload_hash"), table.at(2).at("workload_hash"));
}

TEST_F(SweepCommand, AxisWithoutEffectIsNamed) {
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 128, "n": 128, "k": 128}},
    "axes": [{"path": "params.m", "values": [128, 256]}, {"path": "set.gpsimd.clock_ghz", "values": [1.0, 1.2, 1.4]}]})");
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "trnsim: warning: no output depends on set.gpsimd.clock_ghz\n");
}

TEST_F(SweepCommand, DryRunOfAnEnormousSweepIsQuick) {
  write("s.json", R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "copy", "params": {"bytes": 65536}},
    "axes": [{"path": "set.hbm.stack_gb_per_s", "range": {"from": 200, "to": 1600, "steps": 100000}}]})");
  const Outcome outcome = trnsim({"sweep", "s.json", "--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("points         100000\ncopies         not counted"), std::string::npos) << outcome.out;
}

TEST_F(SweepCommand, DryRunWritesNothing) {
  write_sweep("s.json", {128, 256}, 4);
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", "--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("points         8\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("estimate       "), std::string::npos) << outcome.out;
  EXPECT_EQ(files(), std::vector<std::string>{"s.json"});
}

TEST_F(SweepCommand, SecondRunNeedsResumeOrForce) {
  write_sweep("s.json", {128}, 3);
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "out"}).code, 0);
  const std::string csv = read("out/results.csv");
  const Outcome again = trnsim({"sweep", "s.json", "-o", "out"});
  expect_refusal(again, 2);
  EXPECT_NE(again.err.find("--resume continues them, --force replaces them"), std::string::npos) << again.err;
  const auto before = timings("out");
  EXPECT_EQ(trnsim({"sweep", "s.json", "-o", "out", "--resume"}).code, 0);
  EXPECT_EQ(timings("out"), before);
  EXPECT_EQ(read("out/results.csv"), csv);
  write("out/notes.txt", "mine");
  EXPECT_EQ(trnsim({"sweep", "s.json", "-o", "out", "--force"}).code, 0);
  EXPECT_NE(timings("out"), before);
  EXPECT_EQ(read("out/results.csv"), csv);
  EXPECT_EQ(read("out/notes.txt"), "mine");
}

TEST_F(SweepCommand, FilesOfOthersAreLeftAlone) {
  write_sweep("s.json", {128}, 1);
  fs::create_directories(path("out"));
  write("out/results.csv", "mine");
  for (const char* how : {"--resume", "--force", "--quiet"}) {
    const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", how});
    expect_refusal(outcome, 2);
    EXPECT_NE(outcome.err.find("holds 'results.csv' but no sweep"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(read("out/results.csv"), "mine");
}

TEST_F(SweepCommand, ResumeOfAnotherSweepSaysWhatDiffers) {
  write_sweep("s.json", {128}, 2);
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "out"}).code, 0);
  write_sweep("s.json", {256}, 2);
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", "--resume"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("line 2 of the sweep file was"), std::string::npos) << outcome.err;
}

TEST_F(SweepCommand, PlacesThatCannotBeWrittenAreNamed) {
  write_sweep("s.json", {128}, 1);
  write("file", "x");
  for (const char* place : {"file", "file/out", "/proc/out", "/dev/null"}) {
    const Outcome outcome = trnsim({"sweep", "s.json", "-o", place});
    expect_refusal(outcome, 4);
    EXPECT_NE(outcome.err.find(place), std::string::npos) << outcome.err;
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  }
}

TEST_F(SweepCommand, FullDiskLeavesNothingThatLooksComplete) {
  write_sweep("s.json", {128}, 20);
  // A file that may not grow stands for a disk that is full.
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out"}, {.file_size = 40'000});
  expect_refusal(outcome, 4);
  EXPECT_NE(outcome.err.find("out/results.sqlite: "), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("out/results.csv")));
  EXPECT_EQ(trnsim({"sweep", "s.json", "-o", "out", "--resume"}).code, 0);
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "calm"}).code, 0);
  EXPECT_EQ(read("out/results.csv"), read("calm/results.csv"));
}

TEST_F(SweepCommand, ASweepHoldsItsFolder) {
  write_sweep("s.json", {131072, 131071}, 40);
  Background first({"sweep", "s.json", "-o", "out", "-j", "1"}, path(""));
  for (int i = 0; i < 500 && !fs::exists(path("out/results.sqlite")); ++i) ::usleep(10'000);
  const Outcome second = trnsim({"sweep", "s.json", "-o", "out", "--resume"});
  expect_refusal(second, 2);
  EXPECT_NE(second.err.find("a sweep is running in this folder"), std::string::npos) << second.err;
  const Outcome status = trnsim({"status", "out"});
  EXPECT_NE(status.out.find("out: running\n"), std::string::npos) << status.out;
}

TEST_F(SweepCommand, CtrlCKeepsWhatIsDone) {
  write_sweep("s.json", {131072, 65536}, 100);
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", "-j", "1"}, {.interrupt_after_ms = 1500});
  ASSERT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_NE(outcome.err.find("of 200 points done; --resume continues"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("out/results.csv")));
  const Outcome status = trnsim({"status", "out", "--json", "-"});
  const auto json = nlohmann::json::parse(status.out);
  EXPECT_EQ(json["trnsim_sweep_status"], "1.0");
  EXPECT_EQ(json["state"], "stopped");
  EXPECT_EQ(json["points"], 200);
  EXPECT_EQ(json["ended"], json["done"]);
}

TEST_F(SweepCommand, KilledAtHalfContinuesWithWhatIsLeft) {
  write_sweep("s.json", {32768, 32769}, 100);
  {
    Background run({"sweep", "s.json", "-o", "out"}, path(""));
    for (int i = 0; i < 3000; ++i, ::usleep(10'000)) {
      if (fs::exists(path("out/results.sqlite")) && query("out", "SELECT count(*) FROM timings") >= std::vector<std::string>{"1"}) break;
    }
    run.kill(SIGKILL);
    EXPECT_EQ(run.wait(), 128 + SIGKILL);
  }
  const auto before = timings("out");
  EXPECT_GT(before.size(), 0U);
  EXPECT_LT(before.size(), 200U);
  EXPECT_FALSE(fs::exists(path("out/results.csv")));
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "out", "--resume"}).code, 0);
  const auto after = timings("out");
  for (const auto& [point, timing] : before) EXPECT_EQ(after.at(point), timing) << point;
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "calm"}).code, 0);
  EXPECT_EQ(read("out/results.csv"), read("calm/results.csv"));
}

TEST_F(SweepCommand, WrongUseIsOneLine) {
  write_sweep("s.json", {128}, 1);
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{{"s.json"},
                                                                                    {"s.json", "-o", "out", "--resume", "--force"},
                                                                                    {"s.json", "-o", "out", "--shard", "0/3"},
                                                                                    {"s.json", "-o", "out", "--shard", "4/3"},
                                                                                    {"s.json", "-o", "out", "--shard", "2"},
                                                                                    {"s.json", "-o", "out", "-j", "0"},
                                                                                    {"s.json", "-o", "out", "--tasks", "3"},
                                                                                    {"s.json", "-o", "out", "--slurm", "--shard", "1/2"}}) {
    std::vector<std::string> all{"sweep"};
    all.insert(all.end(), args.begin(), args.end());
    const Outcome outcome = trnsim(all);
    expect_refusal(outcome, 2);
    EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  }
  EXPECT_EQ(files(), std::vector<std::string>{"s.json"});
}

}  // namespace
}  // namespace trnsim
