// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string_view>
#include <vector>

#include "app/console.hpp"
#include "app/options.hpp"

namespace trnsim::app {

/// A command or a subcommand of one.
struct Command {
  std::string_view name;
  std::string_view summary;
  ExitCode (*run)(const Args& args, Console& console);
};

/// Runs `trnsim ARGS…` without the program's name. Throws trnsim::Error; `main` prints it.
ExitCode run_cli(const Args& args, Console& console);

/// Runs the subcommand that `args` starts with. `--help` alone lists them; a missing or unknown one is
/// a UsageError with the nearest name. `title` is the line above the list.
ExitCode run_subcommand(std::string_view name, std::string_view title, const std::vector<Command>& commands, const Args& args,
                        Console& console);

ExitCode run_command(const Args& args, Console& console);
ExitCode compare_command(const Args& args, Console& console);
ExitCode chips_command(const Args& args, Console& console);
ExitCode kernels_command(const Args& args, Console& console);
ExitCode record_command(const Args& args, Console& console);
ExitCode trace_command(const Args& args, Console& console);
ExitCode validate_command(const Args& args, Console& console);
ExitCode explain_command(const Args& args, Console& console);
ExitCode report_command(const Args& args, Console& console);
ExitCode rerun_command(const Args& args, Console& console);
ExitCode golden_command(const Args& args, Console& console);
ExitCode diff_results_command(const Args& args, Console& console);
ExitCode compare_hw_command(const Args& args, Console& console);
ExitCode best_command(const Args& args, Console& console);
ExitCode pareto_command(const Args& args, Console& console);
ExitCode sensitivity_command(const Args& args, Console& console);
ExitCode sweep_command(const Args& args, Console& console);
ExitCode status_command(const Args& args, Console& console);
ExitCode merge_command(const Args& args, Console& console);

/// Tool, commit, file formats, libraries and features, for --version.
std::string version_text();

}  // namespace trnsim::app
