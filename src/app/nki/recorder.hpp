// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <atomic>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "app/nki/call.hpp"

namespace trnsim::app {

/// What a recording needs besides the call.
struct RecorderHooks {
  std::function<void(std::string_view)> trace;  ///< Gets the text of the trace.
  std::ostream* notes = nullptr;                ///< What the kernel prints, and what the recorder assumed; none = dropped.
  const std::atomic<bool>* stop = nullptr;
  bool lines = true;  ///< Each instruction with its line of the kernel.
};

/// Folder that holds the Python package: $TRNSIM_PYTHONPATH, else beside the executable (source tree), else the installed one.
/// IoError if it is not there.
std::string python_directory();

/// Runs the recorder, which is Python, in a process of its own. A kernel that cannot be recorded is a ProgramError with file and line;
/// IoError when a file cannot be read, or Python, numpy or the package are missing; an Error with ExitCode::Stopped after a stop.
void record_kernel(const NkiCall& call, const std::string& target, const RecorderHooks& hooks);

/// Lists what a kernel file uses of nki. False if something is missing.
bool list_census(const std::string& file, const RecorderHooks& hooks);

}  // namespace trnsim::app
