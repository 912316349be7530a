// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "app/command.hpp"
#include "app/job_pool.hpp"
#include "app/output.hpp"
#include "app/read_file.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/result.hpp"
#include "trnsim/simulator.hpp"
#include "trnsim/validate.hpp"

namespace trnsim::app {
namespace {

/// One run in this process, which must be a fresh one.
Simulated simulate_here(const ValidationRun& run) {
  std::vector<std::string> warnings;
  const ChipConfig chip = load_chip(run.chip, {}, warnings);
  Workload workload = workload_of(run, chip);
  ResultContext context;
  for (const auto& program : workload.programs) context.programs.push_back(program->info());
  const Result result = make_result(chip, simulate(chip, workload), context);
  Simulated simulated;
  simulated.time_ns = result.time_ns;
  simulated.launch_ns = result.launch_ns;
  for (const CoreSnapshot& core : result.snapshot.cores) simulated.dma_bytes += static_cast<double>(core.dma.completed_bytes);
  simulated.flops = static_cast<double>(result.flops);
  simulated.mfu = result.mfu.value_or(0);
  simulated.semaphore_hop_ns = chip.sequencer.semaphore_hop_ns;
  return simulated;
}

Simulated simulate_in_child(const ValidationRun& run) {
  static_assert(std::is_trivially_copyable_v<Simulated>);
  const std::string bytes = in_child([&run] {
    const Simulated simulated = simulate_here(run);
    return std::string(reinterpret_cast<const char*>(&simulated), sizeof simulated);
  });
  Simulated simulated;
  if (bytes.size() != sizeof simulated) throw InternalError("a simulation handed over an incomplete result");
  std::memcpy(&simulated, bytes.data(), sizeof simulated);
  return simulated;
}

/// All shipped files, in the order of their names.
std::vector<std::string> shipped_files() {
  const std::filesystem::path folder = std::filesystem::path(config_directory()) / "validation";
  std::vector<std::string> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path().string());
  }
  if (files.empty()) throw IoError(fmt::format("{}: no measurements to compare with", folder.string()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

ExitCode validate_command(const Args& args, Console& console) {
  Options spec("validate", "[FILE] [--json FILE]",
               "Runs the kernels behind published measurements and compares. FILE replaces the shipped measurements.");
  spec.value("json", "FILE", "Write records and groups as JSON; - is stdout").flag("quiet,q", "No progress; no table either with --json");
  spec.positional(0, 1, "at most one file").example("trnsim validate");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const bool json = options.has("json"), quiet = options.has("quiet");
  if (json) check_writable(options.value("json"));
  std::vector<ValidationPoint> points;
  for (const std::string& file : options.positional.empty() ? shipped_files() : options.positional) {
    for (ValidationPoint& point : file == "-" ? parse_validation(read_file(file), "stdin") : load_validation(file))
      points.push_back(std::move(point));
  }
  const bool show = !quiet && console.err_terminal.interactive;
  std::size_t runs = 0;
  const ValidationReport report = validate(points, [&](const ValidationRun& run) {
    if (show) console.err << fmt::format("\r\033[K{} runs for {} measurements", ++runs, points.size()) << std::flush;
    return simulate_in_child(run);
  });
  if (show) console.err << "\r\033[K" << std::flush;
  if (json) write_file(options.value("json"), to_json(report), console);
  if (options.value("json") != "-" && !(quiet && json)) console.out << validation_table(report, console.report_style());
  return ExitCode::Done;
}

}  // namespace trnsim::app
