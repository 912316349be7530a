// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>

#include "integration/sweep_folder.hpp"

namespace trnsim {
namespace {

class LongSweep : public SweepCli {
 protected:
  /// 1,000 points of the 1024-cubed matmul over five keys.
  void write_thousand() const {
    write("thousand.json", R"({"trnsim_sweep": "1.0",
      "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 1024, "n": 1024, "k": 1024}},
      "axes": [{"path": "set.hbm.stack_gb_per_s", "range": {"from": 200, "to": 1600, "steps": 10, "scale": "log"}},
               {"path": "set.dma.engines", "values": [4, 8, 12, 16, 32]},
               {"path": "set.vector.clock_ghz", "values": [0.48, 0.96]},
               {"path": "set.tensor.clock_ghz", "values": [0.7, 1.0, 1.2, 1.4, 2.0]},
               {"path": "set.chip.launch_ns", "values": [1000, 15000]}]})");
  }
  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
};

// Twenty times: kill -9 of the parent or of a worker at a random moment, then go on.
TEST_F(LongSweep, KillsAtRandomMomentsChangeNoByteOfTheTable) {
  write_sweep("s.json", {16384, 32768, 32769}, 50);
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "calm", "-j", "2"}).code, 0);
  const double calm = seconds_since(start);
  std::mt19937 random(7);
  const std::vector<std::string> resume{"sweep", "s.json", "-o", "out", "-j", "2", "--resume", "--quiet"};
  int kills = 0;
  while (kills < 20) {
    Background run(resume, path(""));
    const bool parent = random() % 2 == 0;
    const double share = std::uniform_real_distribution<double>(0.05, 0.5)(random);
    ::usleep(static_cast<useconds_t>(calm * share * 1e6));
    if (parent) {
      run.kill(SIGKILL);
      ++kills;
    }
    for (int worker = 0; !parent && worker < 2; ++worker) {
      if (const pid_t process = run.some_worker(static_cast<unsigned>(random())); process != 0) {
        ::kill(process, SIGKILL);
        ++kills;
      }
      ::usleep(20'000);
    }
    if (!parent) run.kill(SIGKILL);
    run.wait();
    if (std::filesystem::exists(path("out/results.csv"))) std::filesystem::remove_all(path("out"));
  }
  const Outcome last = trnsim(resume);
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(read("out/results.csv"), read("calm/results.csv"));
  EXPECT_EQ(query("out", "SELECT * FROM points"), query("calm", "SELECT * FROM points"));
}

TEST_F(LongSweep, OneWorkerTwoWorkersAndShardsGiveTheSameTable) {
  write_sweep("s.json", {512, 1000}, 60);
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "one", "-j", "1"}).code, 0);
  ASSERT_EQ(trnsim({"sweep", "s.json", "-o", "two", "-j", "2"}).code, 0);
  std::vector<std::string> merge{"merge", "-o", "merged"};
  for (const char* i : {"1", "2", "3"}) {
    const std::string folder = std::string("part") + i;
    ASSERT_EQ(trnsim({"sweep", "s.json", "-o", folder, "--shard", std::string(i) + "/3"}).code, 0);
    merge.push_back(folder);
  }
  ASSERT_EQ(trnsim(merge).code, 0);
  EXPECT_EQ(read("one/results.csv"), read("two/results.csv"));
  EXPECT_EQ(read("one/results.csv"), read("merged/results.csv"));
}

// Seconds of CPU and the memory of the parent, which do not depend on who else uses the machine.
TEST_F(LongSweep, ThousandPointsNeedTenSecondsOfTwoCoresAndLittleOfTheParent) {
  write_thousand();
  const auto start = std::chrono::steady_clock::now();
  Background run({"sweep", "thousand.json", "-o", "out", "-j", "2"}, path(""));
  ASSERT_EQ(run.wait(), 0);
  const rusage used = run.used();
  const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  RecordProperty("seconds", std::to_string(seconds_since(start)));
  RecordProperty("cpu_seconds", std::to_string(cpu));
  RecordProperty("parent_kib", std::to_string(run.peak_kib()));
  EXPECT_EQ(rows(read("out/results.csv")).size(), 1000U);
  EXPECT_LT(cpu, 20);
  EXPECT_GT(run.peak_kib(), 0);
  EXPECT_LT(run.peak_kib(), 200 * 1024);
}

// Two workers can be 1.8 times as fast as one only if the parent leaves them the time.
TEST_F(LongSweep, ParentLeavesTheProcessorsToItsWorkers) {
  write_thousand();
  Background run({"sweep", "thousand.json", "-o", "out", "-j", "2"}, path(""));
  double parent = 0;
  for (double ticks = 0; run.running(); ::usleep(5'000), parent = std::max(parent, ticks)) ticks = run.own_cpu_seconds();
  const rusage used = run.used();
  const auto all = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  RecordProperty("share", std::to_string(parent / std::max(all, 1.0)));
  EXPECT_GT(parent, 0);
  EXPECT_LT(parent, 0.25 * std::max(all, 1.0));
}

}  // namespace
}  // namespace trnsim
