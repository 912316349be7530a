// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/job_pool.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace trnsim::app {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kShadowMemory = true;  // no limit of address space leaves room for it
#else
constexpr bool kShadowMemory = false;
#endif

std::string pause_forever() {
  for (;;) ::pause();
}

JobOutcome outcome_of(const Job& job, JobLimits limits = {}) {
  JobPool pool(1, limits);
  pool.start(7, job);
  const std::optional<JobOutcome> outcome = pool.wait(60);
  EXPECT_TRUE(outcome.has_value());
  return outcome.value_or(JobOutcome{});
}

TEST(InChild, TextComesBackWhole) {
  std::string large(1'000'000, 'x');
  large += '\0';
  EXPECT_EQ(in_child([&] { return large; }), large);
}

TEST(InChild, MemoryOfTheParentIsNotTouched) {
  int value = 1;
  in_child([&] {
    value = 2;
    return std::string();
  });
  EXPECT_EQ(value, 1);
}

TEST(InChild, ErrorsKeepTheirKindAndMessage) {
  EXPECT_THROW(in_child([]() -> std::string { throw WorkloadError("no"); }), InputError);
  EXPECT_THROW(in_child([]() -> std::string { throw IoError("no"); }), IoError);
  EXPECT_THROW(in_child([]() -> std::string { throw std::runtime_error("no"); }), InternalError);
  try {
    in_child([]() -> std::string { throw DeadlockError("who waits for what"); });
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::Fault);
    EXPECT_STREQ(error.what(), "who waits for what");
  }
}

TEST(InChild, CrashIsAnErrorOfTheParent) {
  EXPECT_THROW(in_child([]() -> std::string {
                 std::raise(SIGKILL);
                 return "";
               }),
               InternalError);
}

TEST(JobPool, OutcomeNamesTheJob) {
  const JobOutcome outcome = outcome_of([] { return std::string("text"); });
  EXPECT_EQ(outcome.id, 7U);
  EXPECT_EQ(outcome.end, JobEnd::Done);
  EXPECT_EQ(outcome.text, "text");
}

TEST(JobPool, CrashNamesTheSignal) {
  const JobOutcome outcome = outcome_of([]() -> std::string {
    std::raise(SIGKILL);
    return "";
  });
  EXPECT_EQ(outcome.end, JobEnd::Crashed);
  EXPECT_NE(outcome.text.find("signal 9"), std::string::npos) << outcome.text;
}

TEST(JobPool, ExitWithoutAWordIsACrash) {
  const JobOutcome outcome = outcome_of([]() -> std::string { ::_exit(42); });
  EXPECT_EQ(outcome.end, JobEnd::Crashed);
  EXPECT_EQ(outcome.text, "ended with exit code 42");
}

TEST(JobPool, HangingJobIsKilledAtItsLimit) {
  const JobOutcome outcome = outcome_of(pause_forever, {.seconds = 0.05});
  EXPECT_EQ(outcome.end, JobEnd::TimedOut);
  EXPECT_EQ(outcome.text, "ran longer than 0.05 s");
  EXPECT_GE(outcome.seconds, 0.05);
}

TEST(JobPool, MemoryBeyondTheLimitIsRefused) {
  if (kShadowMemory) GTEST_SKIP() << "the address sanitizer maps more than any limit";
  const JobOutcome outcome = outcome_of([] { return std::string(std::size_t{1} << 31, 'x'); }, {.memory_bytes = std::uint64_t{1} << 30});
  EXPECT_EQ(outcome.end, JobEnd::OutOfMemory);
  EXPECT_EQ(outcome.text, "needs more than 1024 MiB of memory");
}

TEST(JobPool, WaitGivesUpAfterItsTime) {
  JobPool pool(1);
  pool.start(0, pause_forever);
  EXPECT_FALSE(pool.wait(0.01).has_value());
  EXPECT_EQ(pool.running(), 1U);
}

TEST(JobPool, NothingRunningIsNothingToWaitFor) {
  JobPool pool(2);
  EXPECT_TRUE(pool.idle());
  EXPECT_FALSE(pool.wait(60).has_value());
}

TEST(JobPool, IsFullAtItsNumberOfWorkers) {
  JobPool pool(2);
  pool.start(0, pause_forever);
  EXPECT_FALSE(pool.full());
  pool.start(1, pause_forever);
  EXPECT_TRUE(pool.full());
}

TEST(JobPool, DestructionKillsWhatRuns) {
  const std::string file = ::testing::TempDir() + "job_pool_process";
  {
    JobPool pool(1);
    pool.start(0, [&file] {
      std::ofstream(file + ".part") << ::getpid();
      std::filesystem::rename(file + ".part", file);
      return pause_forever();
    });
    while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pid_t process = 0;
  std::ifstream(file) >> process;
  std::filesystem::remove(file);
  EXPECT_EQ(::kill(process, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(RunJobs, OutcomesComeInTheOrderOfTheJobs) {
  std::vector<std::size_t> progress;
  const auto outcomes = run_jobs(
      20, [](std::size_t i) { return std::to_string(i * i); }, 3, {}, [&](std::size_t done) { progress.push_back(done); });
  ASSERT_EQ(outcomes.size(), 20U);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].id, i);
    EXPECT_EQ(outcomes[i].text, std::to_string(i * i));
  }
  EXPECT_EQ(progress.size(), 20U);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
}

TEST(RunJobs, OneFailureLeavesTheOthersAlone) {
  const auto outcomes = run_jobs(
      4,
      [](std::size_t i) -> std::string {
        if (i == 1) throw WorkloadError("no");
        if (i == 2) std::raise(SIGKILL);
        return "done";
      },
      2);
  EXPECT_EQ(outcomes[0].end, JobEnd::Done);
  EXPECT_EQ(outcomes[1].end, JobEnd::Refused);
  EXPECT_EQ(outcomes[1].code, ExitCode::BadInput);
  EXPECT_EQ(outcomes[2].end, JobEnd::Crashed);
  EXPECT_EQ(outcomes[3].end, JobEnd::Done);
}

TEST(RunJobs, AnInterruptEndsAll) {
  try {
    run_jobs(
        2,
        [](std::size_t i) {
          if (i == 0) ::kill(::getppid(), SIGINT);
          return pause_forever();
        },
        2);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::Stopped);
    EXPECT_STREQ(error.what(), "interrupted with 0 of 2 simulations done; nothing was written");
  }
}

TEST(ProcessorCount, IsPositive) { EXPECT_GE(processor_count(), 1U); }

}  // namespace
}  // namespace trnsim::app
