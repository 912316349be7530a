// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/external.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "app/sweep/point_job.hpp"
#include "trnsim/error.hpp"

extern char** environ;

namespace trnsim::app {
namespace {

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw InternalError(std::string("no pipe to another program: ") + std::strerror(errno));
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_writer() {
    ::close(ends[1]);
    ends[1] = -1;
  }
};

/// Reads both to their ends.
void drain(int out, int error, std::string& out_text, std::string& error_text) {
  std::array<pollfd, 2> pipes{pollfd{out, POLLIN, 0}, pollfd{error, POLLIN, 0}};
  std::array<std::string*, 2> texts{&out_text, &error_text};
  std::array<char, 4096> buffer;
  while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    if (::poll(pipes.data(), pipes.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      const ssize_t n = ::read(pipes[i].fd, buffer.data(), buffer.size());
      if (n > 0) texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR)) pipes[i].fd = -1;
    }
  }
}

}  // namespace

ExternalResult run_external(const std::vector<std::string>& command) {
  Pipe out, error;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.ends[1], STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t process = 0;
  const int failure = ::posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ExternalResult result;
  if (failure != 0) {
    result.error = std::strerror(failure);
    return result;
  }
  out.close_writer();
  error.close_writer();
  drain(out.ends[0], error.ends[0], result.out, result.error);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  while (!result.error.empty() && result.error.back() == '\n') result.error.pop_back();
  result.error = one_line(result.error);
  result.started = true;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace trnsim::app
