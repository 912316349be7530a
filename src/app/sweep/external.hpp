// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

namespace trnsim::app {

/// What another program left behind.
struct ExternalResult {
  bool started = false;
  int code = -1;           ///< Exit code, or 128 + signal.
  std::string out, error;  ///< `error` on one line: what it said on stderr, or why it did not start.
};

/// Runs a program of $PATH with these arguments and waits for it.
ExternalResult run_external(const std::vector<std::string>& command);

}  // namespace trnsim::app
