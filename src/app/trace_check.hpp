// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "app/command.hpp"
#include "app/options.hpp"
#include "trnsim/config/chip_config.hpp"

namespace trnsim::app {

/// Loads --chip, by default trn2; a trace's instructions depend on the generation.
ChipConfig trace_chip(const ParsedOptions& options, Console& console);

/// Checks every line of a trace, then looks for races.
ExitCode trace_check_command(const Args& args, Console& console);

}  // namespace trnsim::app
