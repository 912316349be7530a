// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/child.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

void write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the parent is gone
    done += static_cast<std::size_t>(n);
  }
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

/// The child's half: its text or the message of its error, and the exit code that tells which.
std::pair<ExitCode, std::string> outcome_of(const std::function<std::string()>& work) {
  try {
    return {ExitCode::Done, work()};
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::exception& error) {
    return {ExitCode::Fault, error.what()};
  }
}

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw InternalError(fmt::format("no pipe to a child process: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child < 0) throw InternalError(fmt::format("no child process: {}", std::strerror(errno)));
  if (child == 0) {
    ::close(ends[0]);
    const auto [code, text] = outcome_of(work);
    write_all(ends[1], text);
    ::_exit(static_cast<int>(code));
  }
  ::close(ends[1]);
  const std::string text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) throw InternalError(fmt::format("a simulation ended with signal {}", WTERMSIG(status)));
  switch (static_cast<ExitCode>(WEXITSTATUS(status))) {
    case ExitCode::Done: return text;
    case ExitCode::BadInput: throw InputError(text);
    case ExitCode::Io: throw IoError(text);
    default: throw InternalError(text);
  }
}

}  // namespace trnsim::app
