// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/nearest.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"run", "Simulate a kernel or a trace on a chip", run_command},
      {"explain", "Why a run takes its time: critical path, slack, what a faster part would gain", explain_command},
      {"report", "Results or a sweep as one page for a browser", report_command},
      {"compare", "The same workload on several chips, and why one is faster", compare_command},
      {"best", "Best points of a sweep, under conditions", best_command},
      {"pareto", "Points of a sweep that no other beats in two columns", pareto_command},
      {"sensitivity", "What each axis of a sweep changes, and which change nothing", sensitivity_command},
      {"chips", "List, show and compare chip descriptions", chips_command},
      {"kernels", "List and explain the built-in kernels", kernels_command},
      {"record", "Record an NKI kernel as a trace", record_command},
      {"trace", "Check, summarise and write kernel traces", trace_command},
      {"validate", "Compare the simulator with measured kernels", validate_command},
      {"rerun", "Repeat the run behind a result file and compare", rerun_command},
      {"check", "Compare simulated cycles with golden files", golden_command},
      {"diff", "Explain what differs between two results", diff_results_command},
      {"compare-hw", "Compare a result with measured figures", compare_hw_command},
      {"sweep", "Simulate many points, here or on a cluster", sweep_command},
      {"status", "Tell how far a sweep is", status_command},
      {"merge", "Join the shards of a sweep", merge_command},
  };
  return all;
}

std::string list(const std::vector<Command>& all) {
  std::size_t width = 0;
  for (const Command& command : all) width = std::max(width, command.name.size());
  std::string text;
  for (const Command& command : all) text += fmt::format("  {:<{}}  {}\n", command.name, width, command.summary);
  return text;
}

std::string top_help() {
  return fmt::format(
      "usage: trnsim COMMAND [OPTIONS]\n\n"
      "Cycle-approximate simulator of Trainium-style accelerators: time, traffic and energy, not values.\n\n"
      "Commands:\n{}\n"
      "trnsim COMMAND --help explains one; trnsim --version names versions and file formats.\n\n"
      "Example:\n"
      "  trnsim run --chip trn2 --kernel matmul --param m=1024,n=1024,k=1024\n",
      list(commands()));
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h" || word == "help"; }

}  // namespace

ExitCode run_subcommand(std::string_view name, std::string_view title, const std::vector<Command>& all, const Args& args,
                        Console& console) {
  const std::string prefix = name.empty() ? "trnsim" : fmt::format("trnsim {}", name);
  if (!args.empty() && asks_for_help(args.front())) {
    console.out << (name.empty() ? top_help()
                                 : fmt::format("usage: {} COMMAND [OPTIONS]\n\n{}\n\nCommands:\n{}", prefix, title, list(all)));
    return ExitCode::Done;
  }
  std::vector<std::string_view> names;
  for (const Command& command : all) names.push_back(command.name);
  if (args.empty()) throw UsageError(fmt::format("{} needs a command: {}; see {} --help", prefix, fmt::join(names, ", "), prefix));
  const auto found = std::find(names.begin(), names.end(), args.front());
  if (found == names.end()) {
    throw UsageError(fmt::format("unknown command '{}'{}; see {} --help", args.front(), nearest_hint(args.front(), names), prefix));
  }
  return all[static_cast<std::size_t>(found - names.begin())].run({args.begin() + 1, args.end()}, console);
}

ExitCode run_cli(const Args& args, Console& console) {
  if (!args.empty() && (args.front() == "--version" || args.front() == "-V")) {
    console.out << version_text();
    return ExitCode::Done;
  }
  return run_subcommand("", "", commands(), args, console);
}

std::string version_text() {
  std::string formats;
  for (const FileFormat& format : file_formats()) formats += fmt::format("  {:<26} {}.{}\n", format.key, format.major, format.minor);
  return fmt::format(
      "trnsim {} (commit {})\n"
      "model: timing, traffic and energy; no values\n"
      "file formats:\n{}"
      "SystemC: {}\n"
      "features: energy gzip zstd\n",
      tool_version(), tool_commit(), formats, systemc_version());
}

}  // namespace trnsim::app
