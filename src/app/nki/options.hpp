// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

#include "app/nki/call.hpp"
#include "app/options.hpp"

namespace trnsim::app {

void add_call_options(Options& options);  ///< --arg --grid --policy

/// Arguments, grid and policy of a call; the kernel is somewhere else.
NkiCall call_of(const ParsedOptions& options);

/// UsageError unless the kernel has the form FILE.py::function, and policies that of NAME=VALUE.
void check_call(const NkiCall& call);

/// The file of "FILE.py::function".
std::string kernel_file(const NkiCall& call);

}  // namespace trnsim::app
