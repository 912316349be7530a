// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::app {

/// How a child process ended.
struct ChildEnd {
  int code = -1;         ///< Exit code, when it ended by itself.
  int signal = 0;        ///< Or the signal that ended it.
  bool stopped = false;  ///< We ended it: a stop was asked for.
};

/// What happens with the output of a child, and what ends it early. A sink that throws ends the child.
struct ChildHooks {
  std::function<void(std::string_view)> out, err;
  const std::atomic<bool>* stop = nullptr;
};

/// Starts a program without a shell (`arguments[0]` is looked for on PATH), with nothing on its standard input, and waits for its end.
/// `environment` holds NAME=VALUE that ours lacks. IoError if it cannot be started.
ChildEnd run_child(const std::vector<std::string>& arguments, const std::vector<std::string>& environment, const ChildHooks& hooks);

/// Whether a name with a slash, or found on PATH, is a program.
bool is_program(const std::string& name);

}  // namespace trnsim::app
