// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/job_process.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {

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

/// Does jobs in forked processes, at most `workers` at a time, since a crash or a hang must stay one job's affair.
///
/// A process does many jobs one after the other: a new address space costs more than a small simulation does.
/// Whatever another job may have caused does not count: a job that crashed, or that failed for anything but its
/// input or its time in a process that had done others, is done once more in a process of its own.
class JobPool {
 public:
  JobPool(unsigned workers, Work work, JobLimits limits = {});
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  [[nodiscard]] bool full() const { return running_.size() >= workers_; }
  [[nodiscard]] bool idle() const { return running_.empty(); }
  [[nodiscard]] std::size_t running() const { return running_.size(); }

  /// Starts a job, with the pool's limit of time or its own; there must be room. InternalError if no process can be had.
  void start(std::size_t id) { start(id, limits_.seconds); }
  void start(std::size_t id, double seconds);
  /// The next job that ended. Nothing when none ended within `seconds`, when none runs, or when a signal arrived.
  std::optional<JobOutcome> wait(double seconds);

 private:
  struct Running {
    std::size_t id;
    std::unique_ptr<JobProcess> process;
    double seconds;  ///< That it may take.
    double started;
    bool first_attempt = true;
    bool timed_out = false;
  };

  [[nodiscard]] std::unique_ptr<JobProcess> used_process_for(std::size_t id);
  [[nodiscard]] std::unique_ptr<JobProcess> new_process_for(std::size_t id) const;
  [[nodiscard]] int poll_timeout_ms(double until) const;
  void kill_late();
  std::optional<JobOutcome> look_at(Running& job);

  unsigned workers_;
  Work work_;
  JobLimits limits_;
  std::vector<Running> running_;
  std::vector<std::unique_ptr<JobProcess>> idle_;
};

/// Number of processors this process may use, at least 1.
unsigned processor_count();

/// Does something in a process of its own and returns its text. Throws what it threw, as the same of our
/// classes (exit code and message); InternalError when it crashed.
std::string in_child(const std::function<std::string()>& work);

/// Throws the error that an outcome stands for; nothing if it is Done.
void throw_if_failed(const JobOutcome& outcome);

/// Does jobs 0 … count-1 in a pool and returns their outcomes in that order. `finished` is
/// called after each with the number done so far. The first SIGINT or SIGTERM ends all: Error with ExitCode::Stopped.
std::vector<JobOutcome> run_jobs(std::size_t count, const Work& work, unsigned workers, JobLimits limits = {},
                                 const std::function<void(std::size_t done)>& finished = {});

}  // namespace trnsim::app
