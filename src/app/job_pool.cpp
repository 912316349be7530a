// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/job_pool.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "app/stop_signal.hpp"

namespace trnsim::app {
namespace {

constexpr unsigned kJobsPerProcess = 256;  // then a new one, so that nothing can pile up

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

JobOutcome outcome_of(JobProcess::Answer answer, std::uint64_t memory_bytes) {
  if (answer.status == JobProcess::kNoMemory) {
    const std::string what = memory_bytes == 0 ? "out of memory" : fmt::format("needs more than {} MiB of memory", memory_bytes >> 20);
    return {0, JobEnd::OutOfMemory, ExitCode::Fault, what, 0};
  }
  return {0, answer.status == 0 ? JobEnd::Done : JobEnd::Refused, static_cast<ExitCode>(answer.status), std::move(answer.text), 0};
}

/// Of a process that ended without an answer.
JobOutcome crash(int wait_status) {
  const std::string how = WIFSIGNALED(wait_status)
                              ? fmt::format("ended with signal {} ({})", WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)))
                              : fmt::format("ended with exit code {}", WEXITSTATUS(wait_status));
  return {0, JobEnd::Crashed, ExitCode::Fault, how, 0};
}

/// Whether something else may have caused this: a signal from outside, or what earlier jobs left behind.
bool doubtful(const JobOutcome& outcome, bool used) {
  if (outcome.end == JobEnd::Crashed) return true;
  return used && (outcome.end == JobEnd::OutOfMemory || (outcome.end == JobEnd::Refused && outcome.code == ExitCode::Fault));
}

}  // namespace

JobPool::JobPool(unsigned workers, Work work, JobLimits limits)
    : workers_(std::max(workers, 1U)), work_(std::move(work)), limits_(limits) {}

/// None when there is none that has been given the job.
std::unique_ptr<JobProcess> JobPool::used_process_for(std::size_t id) {
  while (!idle_.empty()) {
    std::unique_ptr<JobProcess> process = std::move(idle_.back());
    idle_.pop_back();
    if (process->give(id)) return process;  // else it was killed while it had nothing to do
  }
  return nullptr;
}

std::unique_ptr<JobProcess> JobPool::new_process_for(std::size_t id) const {
  auto process = std::make_unique<JobProcess>(work_, limits_.memory_bytes);
  process->give(id);
  return process;
}

void JobPool::start(std::size_t id, double seconds) {
  std::unique_ptr<JobProcess> process = used_process_for(id);
  if (!process) process = new_process_for(id);
  running_.push_back({id, std::move(process), seconds, now()});
}

/// Milliseconds until the caller's or a job's time is up, rounded up.
int JobPool::poll_timeout_ms(double until) const {
  double next = until;
  for (const Running& job : running_) {
    if (job.seconds > 0 && !job.timed_out) next = std::min(next, job.started + job.seconds);
  }
  return static_cast<int>(std::clamp(std::ceil((next - now()) * 1000), 0.0, 1e9));
}

void JobPool::kill_late() {
  for (Running& job : running_) {
    if (job.seconds <= 0 || job.timed_out || now() - job.started < job.seconds) continue;
    job.timed_out = true;
    job.process->kill();
  }
}

/// Receives what is there; the outcome if that was the end of the job.
std::optional<JobOutcome> JobPool::look_at(Running& job) {
  const bool more = job.process->receive();
  std::optional<JobProcess::Answer> answer = job.process->answer();
  if (!answer && more) return std::nullopt;
  JobOutcome outcome = answer ? outcome_of(*std::move(answer), limits_.memory_bytes) : crash(job.process->wait());
  if (job.timed_out) outcome = {0, JobEnd::TimedOut, ExitCode::Fault, fmt::format("ran longer than {} s", job.seconds), 0};
  if (job.first_attempt && doubtful(outcome, job.process->given() > 1)) {
    job.first_attempt = false;
    job.process = new_process_for(job.id);
    job.started = now();
    return std::nullopt;
  }
  outcome.id = job.id;
  outcome.seconds = now() - job.started;
  if (outcome.end == JobEnd::Done && job.process->given() < kJobsPerProcess) idle_.push_back(std::move(job.process));
  return outcome;
}

std::optional<JobOutcome> JobPool::wait(double seconds) {
  const double until = now() + seconds;
  while (!running_.empty()) {
    std::vector<pollfd> sockets;
    for (const Running& job : running_) sockets.push_back({job.process->socket(), POLLIN, 0});
    const int ready = ::poll(sockets.data(), sockets.size(), poll_timeout_ms(until));
    if (ready < 0) return std::nullopt;
    kill_late();
    for (std::size_t i = 0; ready > 0 && i < sockets.size(); ++i) {
      if (sockets[i].revents == 0) continue;
      if (std::optional<JobOutcome> outcome = look_at(running_[i])) {
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        return outcome;
      }
    }
    if (now() >= until) return std::nullopt;
  }
  return std::nullopt;
}

unsigned processor_count() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1U, static_cast<unsigned>(CPU_COUNT(&set)));
}

void throw_if_failed(const JobOutcome& outcome) {
  switch (outcome.end) {
    case JobEnd::Done: return;
    case JobEnd::Refused:
      if (outcome.code == ExitCode::BadInput) throw InputError(outcome.text);
      if (outcome.code == ExitCode::Io) throw IoError(outcome.text);
      throw InternalError(outcome.text);
    default: throw InternalError("a simulation " + outcome.text);
  }
}

std::string in_child(const std::function<std::string()>& work) {
  JobPool pool(1, [&work](std::size_t) { return work(); });
  pool.start(0);
  for (;;) {
    if (std::optional<JobOutcome> outcome = pool.wait(3600)) {
      throw_if_failed(*outcome);
      return std::move(outcome->text);
    }
  }
}

std::vector<JobOutcome> run_jobs(std::size_t count, const Work& work, unsigned workers, JobLimits limits,
                                 const std::function<void(std::size_t)>& finished) {
  std::vector<JobOutcome> outcomes(count);
  const StopSignal stop;
  JobPool pool(workers, work, limits);
  std::size_t next = 0, done = 0;
  while (done < count) {
    for (; next < count && !pool.full(); ++next) pool.start(next);
    std::optional<JobOutcome> outcome = pool.wait(1);
    if (stop.flag())
      throw Error(ExitCode::Stopped, fmt::format("interrupted with {} of {} simulations done; nothing was written", done, count));
    if (!outcome) continue;
    const std::size_t id = outcome->id;
    outcomes[id] = std::move(*outcome);
    ++done;
    if (finished) finished(done);
  }
  return outcomes;
}

}  // namespace trnsim::app
