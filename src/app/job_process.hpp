// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace trnsim::app {

/// What a process does when it is given a number; its text is handed to the parent.
using Work = std::function<std::string(std::size_t id)>;

/// Zero is no limit.
struct JobLimits {
  double seconds = 0;              ///< Of host time.
  std::uint64_t memory_bytes = 0;  ///< Of address space, the program itself included.
};

/// A forked process that does one job after the other, each as if nothing had been simulated before. It is the
/// leader of a group of its own, so that a Ctrl-C reaches the parent alone; it dies with the parent, whatever ends it.
class JobProcess {
 public:
  /// InternalError if no process can be had.
  JobProcess(const Work& work, std::uint64_t memory_bytes);
  ~JobProcess();  ///< Kills it.
  JobProcess(const JobProcess&) = delete;
  JobProcess& operator=(const JobProcess&) = delete;

  /// False if the process is gone. One job at a time.
  bool give(std::size_t id);
  [[nodiscard]] int socket() const { return socket_; }  ///< Readable when there is something to receive.
  [[nodiscard]] unsigned given() const { return given_; }

  /// How a job ended: with an exit code of ours, or kNoMemory.
  struct Answer {
    int status = 0;
    std::string text;
  };
  static constexpr int kNoMemory = 100;

  /// Receives what is there without waiting. False when nothing more will come.
  bool receive();
  [[nodiscard]] std::optional<Answer> answer();  ///< Of the job given last, once it has been received whole.
  void kill() const;
  int wait();  ///< Waits for its end; the status as waitpid tells it.

 private:
  pid_t process_;
  int socket_;
  unsigned given_ = 0;
  std::string received_;
};

}  // namespace trnsim::app
