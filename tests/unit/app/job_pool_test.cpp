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

#include "support/sanitized.hpp"

namespace trnsim::app {
namespace {

constexpr bool kShadowMemory = test::kSanitized;  // no limit of address space leaves room for it

std::string pause_forever() {
  for (;;) ::pause();
}

std::string pause_at(std::size_t) { return pause_forever(); }

/// Work that counts what its process has done before.
template <class Function>
Work counting(Function work) {
  return [work, before = 0](std::size_t id) mutable { return work(id, before++); };
}

std::string text_of(std::optional<JobOutcome> outcome) { return outcome && outcome->end == JobEnd::Done ? outcome->text : "failed"; }

JobOutcome outcome_of(const std::function<std::string()>& work, JobLimits limits = {}) {
  JobPool pool(
      1, [&work](std::size_t) { return work(); }, limits);
  pool.start(7);
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
  JobPool pool(1, pause_at);
  pool.start(0);
  EXPECT_FALSE(pool.wait(0.01).has_value());
  EXPECT_EQ(pool.running(), 1U);
}

TEST(JobPool, NothingRunningIsNothingToWaitFor) {
  JobPool pool(2, pause_at);
  EXPECT_TRUE(pool.idle());
  EXPECT_FALSE(pool.wait(60).has_value());
}

TEST(JobPool, IsFullAtItsNumberOfWorkers) {
  JobPool pool(2, pause_at);
  pool.start(0);
  EXPECT_FALSE(pool.full());
  pool.start(1);
  EXPECT_TRUE(pool.full());
}

TEST(JobPool, DestructionKillsWhatRuns) {
  const std::string file = ::testing::TempDir() + "job_pool_process";
  {
    JobPool pool(1, [&file](std::size_t) {
      std::ofstream(file + ".part") << ::getpid();
      std::filesystem::rename(file + ".part", file);
      return pause_forever();
    });
    pool.start(0);
    while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pid_t process = 0;
  std::ifstream(file) >> process;
  std::filesystem::remove(file);
  EXPECT_EQ(::kill(process, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(JobPool, OneProcessDoesManyJobs) {
  const auto outcomes = run_jobs(
      5, [](std::size_t) { return std::to_string(::getpid()); }, 1);
  for (const JobOutcome& outcome : outcomes) EXPECT_EQ(outcome.text, outcomes[0].text);
  EXPECT_NE(outcomes[0].text, std::to_string(::getpid()));
}

TEST(JobPool, ProcessIsReplacedAfterManyJobs) {
  const auto outcomes = run_jobs(
      600, [](std::size_t) { return std::to_string(::getpid()); }, 1);
  EXPECT_NE(outcomes.back().text, outcomes.front().text);
}

TEST(JobPool, ProcessOfAFailedJobIsReplaced) {
  const auto outcomes = run_jobs(2, counting([](std::size_t id, int before) {
                                   if (id == 0) throw WorkloadError("no");
                                   return std::to_string(before);
                                 }),
                                 1);
  EXPECT_EQ(outcomes[0].text, "no");
  EXPECT_EQ(outcomes[1].text, "0");
}

// Whatever an earlier job has done to the process.
TEST(JobPool, FailureInAUsedProcessIsTriedInAFreshOne) {
  const std::function<std::string()> failures[] = {[]() -> std::string { ::abort(); }, []() -> std::string { throw std::bad_alloc(); },
                                                   []() -> std::string { throw InternalError("broken"); },
                                                   []() -> std::string { ::_exit(0); }};
  for (const auto& failure : failures) {
    const auto outcomes = run_jobs(2, counting([&](std::size_t, int before) { return before == 0 ? std::string("fresh") : failure(); }), 1);
    EXPECT_EQ(outcomes[0].text, "fresh");
    EXPECT_EQ(outcomes[1].end, JobEnd::Done) << outcomes[1].text;
    EXPECT_EQ(outcomes[1].text, "fresh");
  }
}

TEST(JobPool, RefusalOfInputIsBelievedAtOnce) {
  const auto outcomes =
      run_jobs(2, counting([](std::size_t, int before) { return before == 0 ? std::string("fresh") : throw WorkloadError("no"); }), 1);
  EXPECT_EQ(outcomes[1].end, JobEnd::Refused);
}

TEST(JobPool, SignalFromOutsideCostsNoJob) {
  const std::string file = ::testing::TempDir() + "job_pool_signal";
  std::filesystem::remove(file);
  const JobOutcome outcome = outcome_of([&file]() -> std::string {
    if (std::filesystem::exists(file)) return "done";
    std::ofstream(file) << "once";
    return std::to_string(std::raise(SIGKILL));
  });
  std::filesystem::remove(file);
  EXPECT_EQ(outcome.text, "done");
}

TEST(JobPool, ProcessKilledBetweenJobsIsReplaced) {
  JobPool pool(1, [](std::size_t) { return std::to_string(::getpid()); });
  pool.start(0);
  const pid_t first = std::stoi(text_of(pool.wait(60)));
  ::kill(first, SIGKILL);
  pool.start(1);
  EXPECT_NE(std::stoi(text_of(pool.wait(60))), first);
}

TEST(JobPool, TimeOfAJobDoesNotCountThoseBefore) {
  const auto outcomes = run_jobs(4,
                                 [](std::size_t) {
                                   std::this_thread::sleep_for(std::chrono::milliseconds(300));
                                   return std::string("done");
                                 },
                                 1, {.seconds = 1});
  for (const JobOutcome& outcome : outcomes) EXPECT_EQ(outcome.text, "done");
}

TEST(JobPool, JobMayHaveALimitOfTimeOfItsOwn) {
  JobPool pool(1, pause_at, {.seconds = 3600});
  pool.start(0, 0.05);
  const auto outcome = pool.wait(60);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->text, "ran longer than 0.05 s");
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
