// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "integration/sweep_folder.hpp"

namespace trnsim {
namespace {

namespace fs = std::filesystem;

class Shards : public SweepCli {
 protected:
  /// Runs a sweep of 8 points in one piece and in three.
  void run_all() {
    write_sweep("s.json", {128, 256}, 4);
    ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "whole", "--quiet"}).code, 0);
    for (int i = 1; i <= 3; ++i) ASSERT_EQ(run_shard(i).code, 0);
  }
  Outcome run_shard(int i) {
    return trnsim({"sweep", "s.json", "-o", "part" + std::to_string(i), "--shard", std::to_string(i) + "/3", "--quiet", "--resume"});
  }
  /// A program named sbatch that keeps its arguments and answers with a job number.
  std::map<std::string, std::string> with_sbatch(const std::string& script) const {
    fs::create_directories(path("bin"));
    write("bin/sbatch", "#!/bin/sh\n" + script);
    ::chmod(path("bin/sbatch").c_str(), 0755);
    return {{"PATH", path("bin") + ":/usr/bin:/bin"}};
  }
};

TEST_F(Shards, MergedInAnyOrderAreTheWhole) {
  run_all();
  EXPECT_EQ(rows(read("part2/results.csv")).size(), 3U);
  const Outcome outcome = trnsim({"merge", "part3", "part1", "part2", "-o", "all", "--format", "json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("8 points: 8 done"), std::string::npos) << outcome.out;
  EXPECT_EQ(read("all/results.csv"), read("whole/results.csv"));
  EXPECT_FALSE(read("all/results.json").empty());
  for (const char* table : {"points", "configs", "sweep"}) {
    const std::string sql = std::string("SELECT * FROM ") + table + " ORDER BY 1";
    EXPECT_EQ(query("all", sql), query("whole", sql)) << table;
  }
  EXPECT_EQ(trnsim({"merge", "all", "part1", "-o", "again"}).code, 0) << "equal rows may overlap";
}

TEST_F(Shards, GapsAreNamed) {
  run_all();
  const Outcome outcome = trnsim({"merge", "part1", "part3", "-o", "all"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("3 of 8 points are missing: 1, 4, 7; of shard 2 of 3"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("all")));
}

TEST_F(Shards, ConflictsAreNamed) {
  run_all();
  query("part2", "UPDATE points SET time_ns = 1 WHERE point = 4");
  const Outcome outcome = trnsim({"merge", "whole", "part2", "-o", "all"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("point 4 differs: time_ns is "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("'1' in part2"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("all")));
}

TEST_F(Shards, OfDifferentSweepsDoNotMerge) {
  run_all();
  write_sweep("t.json", {128, 192}, 4);
  ASSERT_EQ(trnsim({"sweep", "t.json", "-o", "other", "--shard", "2/3"}).code, 0);
  const Outcome outcome = trnsim({"merge", "part1", "other", "part3", "-o", "all"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("part1 and other are of different sweeps: line 2"), std::string::npos) << outcome.err;
}

TEST_F(Shards, MergeNeedsFoldersOfSweepsAndANewOne) {
  run_all();
  expect_refusal(trnsim({"merge", "part1", "nowhere", "-o", "all"}), 4);
  fs::create_directories(path("empty"));
  expect_refusal(trnsim({"merge", "part1", "empty", "-o", "all"}), 2);
  expect_refusal(trnsim({"merge", "part1", "part2", "part3", "-o", "part1"}), 2);
  expect_refusal(trnsim({"merge", "part1", "part2", "part3", "-o", "whole"}), 2);
  EXPECT_EQ(trnsim({"merge", "part1", "part2", "part3", "-o", "whole", "--force"}).code, 0);
}

TEST_F(Shards, AreResumedOnlyAsTheSameShard) {
  run_all();
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "part1", "--shard", "1/4", "--resume"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("it was shard 1/3 and is 1/4"), std::string::npos) << outcome.err;
}

TEST_F(Shards, StatusOfAFinishedFolder) {
  run_all();
  const Outcome outcome = trnsim({"status", "part1", "--json", "s"});
  EXPECT_EQ(outcome.out, "part1: finished\npoints      3 of 3: 3 done\n");
  const auto json = nlohmann::json::parse(read("s"));
  EXPECT_EQ(json["shard"], "1/3");
  EXPECT_TRUE(json["seconds_left"].is_null());
  expect_refusal(trnsim({"status", "nowhere"}), 4);
  fs::create_directories(path("empty"));
  expect_refusal(trnsim({"status", "empty"}), 2);
}

TEST_F(Shards, SlurmDryRunPrintsTheScriptsAndWritesNothing) {
  write_sweep("s.json", {128}, 4);
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", "--slurm", "--dry-run", "-j", "4"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("#SBATCH --cpus-per-task=4\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("--shard \"$SLURM_ARRAY_TASK_ID/1\" --resume -j 4\n"), std::string::npos) << "a few points are one task";
  EXPECT_EQ(files(), std::vector<std::string>{"s.json"});
}

TEST_F(Shards, SlurmWithoutSbatchSaysSo) {
  write_sweep("s.json", {128}, 2);
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", "--slurm", "--tasks", "2"}, {.environment = {{"PATH", "/nowhere"}}});
  expect_refusal(outcome, 4);
  EXPECT_NE(outcome.err.find("sbatch: cannot run: No such file or directory"), std::string::npos) << outcome.err;
}

TEST_F(Shards, SlurmJobsAreAnArrayAndAMergeAfterIt) {
  write_sweep("s.json", {128}, 4);
  const auto environment = with_sbatch("echo \"$@\" >> calls\necho 17\n");
  const Outcome outcome =
      trnsim({"sweep", "s.json", "-o", "out", "--slurm", "--tasks", "3", "--slurm-option=--partition=cpu"}, {.environment = environment});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "job 17: shards 1-3 of 3\njob 17: merge into " + path("out") + "\n");
  EXPECT_EQ(read("calls"), "--parsable --partition=cpu --array=1-3 " + path("out") + "/slurm/array.sh\n" +
                               "--parsable --partition=cpu --dependency=afterany:17 " + path("out") + "/slurm/merge.sh\n");
  EXPECT_NE(trnsim({"status", "out"}).out.find("shard 2     not started"), std::string::npos);
}

TEST_F(Shards, SlurmResumeSubmitsOnlyWhatIsUnfinished) {
  write_sweep("s.json", {128}, 4);
  const auto environment = with_sbatch("echo \"$@\" >> calls\necho 17\n");
  const std::vector<std::string> submit{"sweep", "s.json", "-o", "out", "--slurm"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), submit.begin(), submit.end());
    return trnsim(more, {.environment = environment});
  };
  ASSERT_EQ(with({"--tasks", "3"}).code, 0);
  expect_refusal(with({"--tasks", "3"}), 2);
  expect_refusal(with({"--tasks", "2", "--resume"}), 2);
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "out/shards/2", "--shard", "2/3", "--resume"}).code, 0);
  const Outcome again = with({"--resume"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("shards 1,3 of 3"), std::string::npos) << again.out;
  const Outcome status = trnsim({"status", "out"});
  EXPECT_NE(status.out.find("shard 2     finished    1 of 1: 1 done"), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("points      1 of 4: 1 done"), std::string::npos) << status.out;
  for (const char* i : {"1", "3"}) {
    ASSERT_EQ(trnsim({"sweep", "s.json", "-o", std::string("out/shards/") + i, "--shard", std::string(i) + "/3", "--resume"}).code, 0);
  }
  ASSERT_EQ(trnsim({"merge", "out/shards/1", "out/shards/2", "out/shards/3", "-o", "out", "--force"}).code, 0);
  EXPECT_NE(with({"--resume"}).out.find("every shard is finished and merged"), std::string::npos);
  EXPECT_EQ(with({"--force", "--tasks", "2"}).code, 0);
  EXPECT_FALSE(fs::exists(path("out/results.csv")));
  EXPECT_FALSE(fs::exists(path("out/shards/2")));
}

TEST_F(Shards, SlurmRefusalIsPassedOn) {
  write_sweep("s.json", {128}, 4);
  const auto environment = with_sbatch("echo 'sbatch: error: invalid partition' >&2\nexit 1\n");
  const Outcome outcome = trnsim({"sweep", "s.json", "-o", "out", "--slurm", "--tasks", "2"}, {.environment = environment});
  expect_refusal(outcome, 4);
  EXPECT_NE(outcome.err.find("sbatch: refused: sbatch: error: invalid partition"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(Shards, MergeThatFailsHalfWayLeavesNoResults) {
  write_sweep("s.json", {128}, 2);
  for (const char* i : {"1", "2"}) {
    ASSERT_EQ(trnsim({"sweep", "s.json", "-o", i, "--shard", std::string(i) + "/2"}).code, 0);
  }
  query("2", "DROP TABLE configs");
  EXPECT_EQ(trnsim({"merge", "1", "2", "-o", "all"}).code, 4);
  EXPECT_FALSE(fs::exists(path("all")));
}

}  // namespace
}  // namespace trnsim
