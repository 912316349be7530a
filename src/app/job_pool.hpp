// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trnsim/error.hpp"

namespace trnsim::app {

/// What a job computes in a process of its own; its text is handed to the parent.
using Job = std::function<std::string()>;

/// Zero is no limit.
struct JobLimits {
  double seconds = 0;              ///< Of host time.
  std::uint64_t memory_bytes = 0;  ///< Of address space, the program itself included.
};

enum class JobEnd : std::uint8_t {
  Done,
  Refused,      ///< Threw one of our errors, or another exception (then the code is Fault).
  Crashed,      ///< Ended by a signal, or without a word.
  TimedOut,     ///< Ran into JobLimits::seconds and was killed.
  OutOfMemory,  ///< Ran into JobLimits::memory_bytes.
};

struct JobOutcome {
  std::size_t id = 0;
  JobEnd end = JobEnd::Done;
  ExitCode code = ExitCode::Done;  ///< Of the error that was thrown; Fault when it crashed or ran into a limit.
  std::string text;                ///< What the job returned, or one line on what went wrong.
  double seconds = 0;              ///< Of host time.
};

/// Runs jobs in forked processes, at most `workers` at a time, since a simulation works once per process
/// and a crash or a hang must stay one job's affair. The processes are leaders of their own groups: a
/// Ctrl-C reaches the parent alone, which decides; they die with the parent, whatever ends it.
class JobPool {
 public:
  explicit JobPool(unsigned workers, JobLimits limits = {});
  ~JobPool();  ///< Kills what still runs.
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  [[nodiscard]] bool full() const { return running_.size() >= workers_; }
  [[nodiscard]] bool idle() const { return running_.empty(); }
  [[nodiscard]] std::size_t running() const { return running_.size(); }

  /// Starts a job, with the pool's limits or its own; there must be room. InternalError if no process can be had.
  void start(std::size_t id, const Job& job) { start(id, job, limits_); }
  void start(std::size_t id, const Job& job, const JobLimits& limits);
  /// The next job that ended. Nothing when none ended within `seconds`, when none runs, or when a signal arrived.
  std::optional<JobOutcome> wait(double seconds);

 private:
  struct Running {
    std::size_t id;
    pid_t process;
    int pipe;
    double started;
    JobLimits limits;
    std::string text;
    bool timed_out;
  };

  [[nodiscard]] int poll_timeout_ms(double until) const;
  void kill_late();
  bool read_some(Running& job);
  JobOutcome finish(Running& job);

  unsigned workers_;
  JobLimits limits_;
  std::vector<Running> running_;
};

/// Number of processors this process may use, at least 1.
unsigned processor_count();

/// Runs one job in a process of its own and returns its text. Throws what it threw, as the same of our
/// classes (exit code and message); InternalError when it crashed.
std::string in_child(const Job& job);

/// Throws the error that an outcome stands for; nothing if it is Done.
void throw_if_failed(const JobOutcome& outcome);

/// Runs jobs 0 … count-1 on `workers` processes and returns their outcomes in that order. `finished` is
/// called after each with the number done so far. The first SIGINT or SIGTERM ends all: Error with ExitCode::Stopped.
std::vector<JobOutcome> run_jobs(std::size_t count, const std::function<std::string(std::size_t)>& job, unsigned workers,
                                 JobLimits limits = {}, const std::function<void(std::size_t done)>& finished = {});

}  // namespace trnsim::app
