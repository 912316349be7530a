// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/nki/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

constexpr int kLookAgainMs = 100;  ///< A stop may be asked for between the look at its flag and the wait.

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw IoError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  void close_read() { close(ends_[0]); }
  void close_write() { close(ends_[1]); }

 private:
  static void close(int& descriptor) {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

/// A started process, ended on every way out.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ > 0) end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int end() {
    ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return status;
  }
  /// Whether it has ended by itself.
  bool ended(int& status) {
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
    pid_ = 0;
    return true;
  }

 private:
  pid_t pid_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> whole_environment(const std::vector<std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const std::string& text : added) {
    if (std::getenv(text.substr(0, text.find('=')).c_str()) == nullptr) all.push_back(text);
  }
  return all;
}

pid_t start(std::vector<std::string> arguments, std::vector<std::string> environment, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv.front(), &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw IoError(fmt::format("{}: cannot start it: {}", arguments.front(), std::strerror(error)));
  return pid;
}

/// Hands on what a pipe has; closes it at its end.
void drain(Pipe& pipe, const std::function<void(std::string_view)>& sink) {
  static std::array<char, 65536> block;
  const ssize_t n = ::read(pipe.read_end(), block.data(), block.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return pipe.close_read();
  sink({block.data(), static_cast<std::size_t>(n)});
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& arguments, const std::vector<std::string>& environment, const ChildHooks& hooks) {
  Pipe out, err;
  Child child(start(arguments, whole_environment(environment), out, err));
  out.close_write();
  err.close_write();
  int status = 0;
  ChildEnd end;
  for (bool open = true; open || !child.ended(status);) {
    if (hooks.stop != nullptr && hooks.stop->load(std::memory_order_relaxed)) {
      child.end();
      end.stopped = true;
      return end;
    }
    // A closed pipe has descriptor -1, which poll passes over.
    std::array<pollfd, 2> ready{pollfd{out.read_end(), POLLIN, 0}, pollfd{err.read_end(), POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), open ? kLookAgainMs : 1) > 0) {
      if (ready[0].revents != 0) drain(out, hooks.out);
      if (ready[1].revents != 0) drain(err, hooks.err);
    }
    open = out.read_end() >= 0 || err.read_end() >= 0;
  }
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

bool is_program(const std::string& name) {
  const auto runs = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name);
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? std::string_view("/usr/bin:/bin") : std::string_view(path);
  for (std::size_t colon = 0; colon != std::string_view::npos; rest.remove_prefix(std::min(rest.size(), colon + 1))) {
    colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    if (runs(std::filesystem::path(folder.empty() ? "." : folder) / name)) return true;
  }
  return false;
}

}  // namespace trnsim::app
