// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

#include "app/console.hpp"
#include "app/sweep/folder.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {

/// "998 done, 1 refused, 1 timed out"
std::string counts_text(const StatusCounts& counts);

/// Says what a finished folder holds, on stdout, and which point failed first, on stderr. CheckFailed if
/// one did.
ExitCode report_sweep(ResultFolder& folder, bool quiet, Console& console);

}  // namespace trnsim::app
