// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/job_pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "app/stop_signal.hpp"

namespace trnsim::app {
namespace {

constexpr int kNoMemory = 100;  // exit status of a child that ran into its memory limit
constexpr std::size_t kPipeBytes = 65536;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the parent is gone
    done += static_cast<std::size_t>(n);
  }
}

/// The child's half: its text or the message of its error, and the exit status that tells which.
std::pair<int, std::string> outcome_of(const Job& job) {
  try {
    return {static_cast<int>(ExitCode::Done), job()};
  } catch (const Error& error) {
    return {static_cast<int>(error.code()), error.what()};
  } catch (const std::bad_alloc&) {
    return {kNoMemory, {}};
  } catch (const std::exception& error) {
    return {static_cast<int>(ExitCode::Fault), error.what()};
  }
}

void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

/// Maps the part of the heap that a small simulation touches in one call: a fault for each page costs a
/// virtual machine more than the simulation itself, and processors wait for each other there.
void map_heap() {
  constexpr std::size_t kInherited = std::size_t{1} << 20, kFresh = std::size_t{3} << 20, kPage = 4096;
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(2 * kFresh));
  ::mallopt(M_TRIM_THRESHOLD, static_cast<int>(8 * kFresh));
  const auto old_top = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  std::free(std::malloc(kFresh));
  const auto top = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  const std::uintptr_t from = (old_top - kInherited) / kPage * kPage;
  ::madvise(reinterpret_cast<void*>(from), top - from, MADV_POPULATE_WRITE);  // a kernel without it maps page by page
}

[[noreturn]] void run_child(const Job& job, const JobLimits& limits, pid_t parent, int pipe) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(static_cast<int>(ExitCode::Fault));  // it died before it could be watched
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  map_heap();
  limit_memory(limits.memory_bytes);
  const auto [status, text] = outcome_of(job);
  write_all(pipe, text);
  ::_exit(status);
}

}  // namespace

JobPool::JobPool(unsigned workers, JobLimits limits) : workers_(std::max(workers, 1U)), limits_(limits) {}

JobPool::~JobPool() {
  for (Running& job : running_) {
    ::kill(-job.process, SIGKILL);
    ::close(job.pipe);
    while (::waitpid(job.process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

void JobPool::start(std::size_t id, const Job& job, const JobLimits& limits) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw InternalError(fmt::format("no pipe to a child process: {}", std::strerror(errno)));
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) {
    const int error = errno;
    for (const int end : ends) ::close(end);
    throw InternalError(fmt::format("no child process: {}", std::strerror(error)));
  }
  if (child == 0) {
    ::close(ends[0]);
    for (const Running& other : running_) ::close(other.pipe);
    run_child(job, limits, parent, ends[1]);
  }
  ::setpgid(child, child);  // whoever comes first, so that a kill of the group finds it
  ::close(ends[1]);
  running_.push_back({id, child, ends[0], now(), limits, {}, false});
}

/// Milliseconds until the caller's or a job's time is up, rounded up.
int JobPool::poll_timeout_ms(double until) const {
  double next = until;
  for (const Running& job : running_) {
    if (job.limits.seconds > 0 && !job.timed_out) next = std::min(next, job.started + job.limits.seconds);
  }
  return static_cast<int>(std::clamp(std::ceil((next - now()) * 1000), 0.0, 1e9));
}

void JobPool::kill_late() {
  for (Running& job : running_) {
    if (job.limits.seconds <= 0 || job.timed_out || now() - job.started < job.limits.seconds) continue;
    job.timed_out = true;
    ::kill(-job.process, SIGKILL);
  }
}

/// False at the end of the job's text.
bool JobPool::read_some(Running& job) {
  std::array<char, kPipeBytes> buffer;
  const ssize_t n = ::read(job.pipe, buffer.data(), buffer.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  job.text.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0;
}

JobOutcome JobPool::finish(Running& job) {
  ::close(job.pipe);
  int status = 0;
  while (::waitpid(job.process, &status, 0) < 0 && errno == EINTR) {
  }
  const double seconds = now() - job.started;
  if (job.timed_out) return {job.id, JobEnd::TimedOut, ExitCode::Fault, fmt::format("ran longer than {} s", job.limits.seconds), seconds};
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {job.id, JobEnd::Crashed, ExitCode::Fault, fmt::format("ended with signal {} ({})", signal, strsignal(signal)), seconds};
  }
  const int code = WEXITSTATUS(status);
  if (code == kNoMemory) {
    const std::string what =
        job.limits.memory_bytes == 0 ? "out of memory" : fmt::format("needs more than {} MiB of memory", job.limits.memory_bytes >> 20);
    return {job.id, JobEnd::OutOfMemory, ExitCode::Fault, what, seconds};
  }
  if (code > static_cast<int>(ExitCode::Stopped)) {
    return {job.id, JobEnd::Crashed, ExitCode::Fault, fmt::format("ended with exit code {}", code), seconds};
  }
  return {job.id, code == 0 ? JobEnd::Done : JobEnd::Refused, static_cast<ExitCode>(code), std::move(job.text), seconds};
}

std::optional<JobOutcome> JobPool::wait(double seconds) {
  const double until = now() + seconds;
  while (!running_.empty()) {
    std::vector<pollfd> pipes;
    for (const Running& job : running_) pipes.push_back({job.pipe, POLLIN, 0});
    const int ready = ::poll(pipes.data(), pipes.size(), poll_timeout_ms(until));
    if (ready < 0) return std::nullopt;
    kill_late();
    for (std::size_t i = 0; ready > 0 && i < pipes.size(); ++i) {
      if (pipes[i].revents == 0 || read_some(running_[i])) continue;
      JobOutcome outcome = finish(running_[i]);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      return outcome;
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

std::string in_child(const Job& job) {
  JobPool pool(1);
  pool.start(0, job);
  for (;;) {
    if (std::optional<JobOutcome> outcome = pool.wait(3600)) {
      throw_if_failed(*outcome);
      return std::move(outcome->text);
    }
  }
}

std::vector<JobOutcome> run_jobs(std::size_t count, const std::function<std::string(std::size_t)>& job, unsigned workers, JobLimits limits,
                                 const std::function<void(std::size_t)>& finished) {
  std::vector<JobOutcome> outcomes(count);
  const StopSignal stop;
  JobPool pool(workers, limits);
  std::size_t next = 0, done = 0;
  while (done < count) {
    for (; next < count && !pool.full(); ++next) pool.start(next, [&job, next] { return job(next); });
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
