// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "app/command.hpp"
#include "app/job_pool.hpp"
#include "app/nki/open_nki.hpp"
#include "app/nki/recordings.hpp"
#include "app/output.hpp"
#include "app/read_file.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/result.hpp"
#include "trnsim/simulator.hpp"
#include "trnsim/validate.hpp"

namespace trnsim::app {
namespace {

constexpr double kSlack = 0.01;  ///< One percentage point.

Workload open_run(const ValidationRun& run, const ChipConfig& chip) {
  if (run.nki) return open_nki({run.nki->kernel, run.nki->args, {}, run.nki->policy}, chip, {});
  if (!run.trace.empty()) return open_trace(run.trace, chip);
  return workload_of(run, chip);
}

/// One run in this process, which must be a fresh one.
Simulated simulate_here(const ValidationRun& run) {
  std::vector<std::string> warnings;
  const ChipConfig chip = load_chip(run.chip, {}, warnings);
  Workload workload = open_run(run, chip);
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
  simulated.assumed = static_cast<std::uint32_t>(result.assumed.size());
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

/// The measurements of the files named, or of all that are shipped; with --only those whose id holds the text.
ValidationFile files_of(const ParsedOptions& options) {
  ValidationFile all;
  for (const std::string& name : options.positional.empty() ? shipped_files() : options.positional) {
    ValidationFile file = name == "-" ? parse_validation(read_file(name), "stdin") : load_validation(name);
    std::move(file.points.begin(), file.points.end(), std::back_inserter(all.points));
    std::move(file.not_run.begin(), file.not_run.end(), std::back_inserter(all.not_run));
  }
  if (!options.has("only")) return all;
  const std::string& part = options.value("only");
  std::erase_if(all.points, [&](const ValidationPoint& point) { return point.id.find(part) == std::string::npos; });
  if (all.points.empty()) throw InputError(fmt::format("--only: no measurement has '{}' in its id", part));
  all.not_run.clear();
  return all;
}

/// Holds the errors against those of a file, or writes that file anew.
ExitCode compare_with_baseline(const ValidationReport& report, const ParsedOptions& options, const std::string& baseline,
                               Console& console) {
  const std::string& path = options.value("against");
  if (options.has("update")) {
    write_file(path, validation_baseline(report), console);
    return ExitCode::Done;
  }
  const std::vector<std::string> worse = worse_than(report, baseline, path, kSlack);
  for (const std::string& line : worse) console.err << "trnsim: " << line << '\n';
  if (!worse.empty())
    console.err << fmt::format("trnsim: {} of {} measurements are worse than in {}\n", worse.size(), report.records.size(), path);
  return worse.empty() ? ExitCode::Done : ExitCode::CheckFailed;
}

}  // namespace

ExitCode validate_command(const Args& args, Console& console) {
  Options spec("validate", "[FILE] [--against FILE] [--json FILE]",
               "Runs the kernels behind published measurements and compares. FILE replaces the shipped measurements.");
  spec.value("against", "FILE", "Fail if the error of a record grew by more than 1 percentage point")
      .flag("update", "Write the errors to the file of --against")
      .value("only", "TEXT", "Only measurements whose id holds TEXT")
      .value("json", "FILE", "Write records and groups as JSON; - is stdout")
      .value("markdown", "FILE", "Write the tables as Markdown; - is stdout")
      .flag("quiet,q", "No progress; no table either with --json or --markdown");
  spec.positional(0, 1, "at most one file").example("trnsim validate");
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const bool json = options.has("json"), quiet = options.has("quiet");
  const bool markdown = options.has("markdown");
  if (options.has("update") && !options.has("against")) throw UsageError("--update needs --against");
  if (options.has("only") && options.has("against")) throw UsageError("--against compares all measurements; --only does not go with it");
  std::string baseline;
  if (options.has("against") && !options.has("update")) {
    baseline = read_file(options.value("against"));
    (void)worse_than({}, baseline, options.value("against"), kSlack);  // a wrong file is refused before the runs
  }
  check_places({options.value("json"), options.value("markdown"), options.has("update") ? options.value("against") : ""},
               options.positional);
  for (const char* output : {"json", "markdown"}) {
    if (options.has(output)) check_writable(options.value(output));
  }
  const ValidationFile file = files_of(options);
  const bool show = !quiet && console.err_terminal.interactive;
  std::size_t runs = 0;
  const Recordings shared;
  const ValidationReport report = validate(file, [&](const ValidationRun& run) {
    if (show) console.err << fmt::format("\r\033[K{} runs for {} measurements", ++runs, file.points.size()) << std::flush;
    return simulate_in_child(run);
  });
  if (show) console.err << "\r\033[K" << std::flush;
  if (json) write_file(options.value("json"), to_json(report), console);
  if (markdown) write_file(options.value("markdown"), validation_markdown(report), console);
  const bool stdout_taken = options.value("json") == "-" || options.value("markdown") == "-";
  if (!stdout_taken && !(quiet && (json || markdown))) console.out << validation_table(report, console.report_style());
  return options.has("against") ? compare_with_baseline(report, options, baseline, console) : ExitCode::Done;
}

}  // namespace trnsim::app
