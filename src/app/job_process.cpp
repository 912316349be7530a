// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/job_process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <utility>

#include "trnsim/error.hpp"
#include "trnsim/simulator.hpp"

namespace trnsim::app {
namespace {

constexpr std::size_t kBufferBytes = 65536;

/// In front of the text of an answer.
struct Head {
  std::uint64_t bytes;
  std::int64_t status;
};

/// False when the other side is gone.
bool send_all(int socket, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::send(socket, next, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    next += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// The number of the next job; nothing when there will be none.
std::optional<std::size_t> next_job(int socket) {
  std::size_t id = 0;
  for (;;) {
    const ssize_t n = ::recv(socket, &id, sizeof id, MSG_WAITALL);
    if (n < 0 && errno == EINTR) continue;
    return n == sizeof id ? std::optional(id) : std::nullopt;
  }
}

/// The text of the work or the message of its error, and the status that tells which.
JobProcess::Answer answer_of(const Work& work, std::size_t id) {
  try {
    forget_simulation();
    return {static_cast<int>(ExitCode::Done), work(id)};
  } catch (const Error& error) {
    return {static_cast<int>(error.code()), error.what()};
  } catch (const std::bad_alloc&) {
    return {JobProcess::kNoMemory, {}};
  } catch (const std::exception& error) {
    return {static_cast<int>(ExitCode::Fault), error.what()};
  }
}

void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void serve(const Work& work, std::uint64_t memory_bytes, pid_t parent, int socket) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(static_cast<int>(ExitCode::Fault));  // it died before it could be watched
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  limit_memory(memory_bytes);
  while (const std::optional<std::size_t> id = next_job(socket)) {
    const JobProcess::Answer answer = answer_of(work, *id);
    const Head head{answer.text.size(), answer.status};
    if (!send_all(socket, &head, sizeof head) || !send_all(socket, answer.text.data(), answer.text.size())) break;
  }
  ::_exit(static_cast<int>(ExitCode::Done));
}

}  // namespace

JobProcess::JobProcess(const Work& work, std::uint64_t memory_bytes) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw InternalError(fmt::format("no socket to a child process: {}", std::strerror(errno)));
  }
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) {
    const int error = errno;
    for (const int end : ends) ::close(end);
    throw InternalError(fmt::format("no child process: {}", std::strerror(error)));
  }
  if (process_ == 0) {
    ::close(ends[0]);
    serve(work, memory_bytes, parent, ends[1]);
  }
  ::setpgid(process_, process_);  // whoever comes first, so that a kill of the group finds it
  ::close(ends[1]);
  socket_ = ends[0];
}

JobProcess::~JobProcess() {
  ::close(socket_);
  kill();
  wait();
}

bool JobProcess::give(std::size_t id) {
  ++given_;
  received_.clear();
  return send_all(socket_, &id, sizeof id);
}

bool JobProcess::receive() {
  std::array<char, kBufferBytes> buffer;
  const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  received_.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0;
}

std::optional<JobProcess::Answer> JobProcess::answer() {
  Head head{};
  if (received_.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, received_.data(), sizeof head);
  if (received_.size() - sizeof head < head.bytes) return std::nullopt;
  return Answer{static_cast<int>(head.status), std::exchange(received_, {}).substr(sizeof head)};
}

void JobProcess::kill() const {
  if (process_ != 0) ::kill(-process_, SIGKILL);
}

int JobProcess::wait() {
  int status = 0;
  while (process_ != 0 && ::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  return status;
}

}  // namespace trnsim::app
