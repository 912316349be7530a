// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/sweep_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/command.hpp"
#include "app/progress.hpp"
#include "app/stop_signal.hpp"
#include "app/sweep/estimate.hpp"
#include "app/sweep/slurm.hpp"
#include "app/sweep/summary.hpp"
#include "app/whole_number.hpp"

namespace trnsim::app {
namespace {

Options sweep_options() {
  Options options("sweep", "SWEEP.json -o DIR [OPTIONS]",
                  "Simulates the points of a sweep, each in a process of its own, and writes DIR/results.csv and\n"
                  "DIR/results.sqlite. Killed at any moment, the same command with --resume continues.");
  options.value("output,o", "DIR", "Folder for the results, made if it is not there")
      .value("jobs,j", "N", "Points simulated at a time (default: all processors; with --slurm per task, default 1)")
      .flag("resume", "Continue what is there; points that crashed or ran into a limit are tried again")
      .flag("force", "Replace results that are there")
      .flag("dry-run", "Print the number of points and an estimate of the time; write nothing")
      .value("shard", "I/N", "Only the points of part I of N, for trnsim merge")
      .value("format", "LIST", "Tables to write: csv (always), json, markdown")
      .flag("slurm", "Submit the sweep to Slurm as an array job of shards and a job that merges them")
      .value("tasks", "N", "Shards of the array job (default: as many as have 30 s of points each)")
      .list("slurm-option", "OPTION", "Option for sbatch, e.g. --slurm-option=--partition=cpu")
      .flag("progress", "Show progress from the start")
      .flag("quiet,q", "No progress, no warnings, no summary")
      .positional(1, 1, "sweep file")
      .note(
          "Exit codes: 0 done, 1 done and some points failed, 2 bad input, 4 a file cannot be read or written,\n"
          "5 stopped by Ctrl-C with the finished points kept.")
      .example("trnsim sweep configs/sweeps/matmul-hbm.json -o results");
  return options;
}

std::size_t number(std::string_view text, std::size_t largest, const std::string& what) { return whole_number(text, what, 1, largest); }

void check_combination(const ParsedOptions& options) {
  const auto exclude = [&options](const char* a, const char* b) {
    if (options.has(a) && options.has(b)) throw UsageError(fmt::format("--{} and --{} exclude each other", a, b));
  };
  exclude("resume", "force");
  exclude("progress", "quiet");
  exclude("slurm", "shard");
  for (const char* name : {"tasks", "slurm-option"}) {
    if (options.has(name) && !options.has("slurm")) throw UsageError(fmt::format("--{} belongs to --slurm", name));
  }
  if (!options.has("output") && (options.has("slurm") || !options.has("dry-run"))) {
    throw UsageError("sweep needs -o DIR, the folder for the results; see trnsim sweep --help");
  }
}

SweepOptions read_options(const ParsedOptions& options) {
  check_combination(options);
  SweepOptions sweep;
  sweep.file = options.positional.front();
  sweep.folder = options.value("output");
  sweep.workers = options.has("slurm") ? 1 : processor_count();
  if (options.has("jobs")) sweep.workers = static_cast<unsigned>(number(options.value("jobs"), 4096, "-j"));
  if (options.has("resume")) sweep.existing = Existing::Resume;
  if (options.has("force")) sweep.existing = Existing::Replace;
  if (options.has("shard")) sweep.shard = parse_shard(options.value("shard"));
  sweep.formats = parse_formats(options.value("format"));
  sweep.format_list = options.value("format");
  if (options.has("tasks")) sweep.tasks = number(options.value("tasks"), 100'000, "--tasks");
  sweep.slurm_options = options.list("slurm-option");
  sweep.dry_run = options.has("dry-run");
  sweep.quiet = options.has("quiet");
  sweep.progress = sweep.quiet ? ProgressMode::Off : options.has("progress") ? ProgressMode::Always : ProgressMode::Auto;
  return sweep;
}

void print_plan(const PointSource& source, const SweepOptions& options, Console& console) {
  const PointCount count = count_points(source, options.shard, options.workers);
  const PointSeconds seconds = measure_points(source, options.shard);
  const auto line = [&console](std::string_view name, const std::string& value) { console.out << fmt::format("{:<15}{}\n", name, value); };
  line("points", std::to_string(count.points));
  if (!count.looked_at) line("copies", "not counted, nor refused points: there are too many points to look at each");
  if (count.looked_at) line("copies", fmt::format("{} simulate the same as an earlier one", count.copies));
  if (count.looked_at) line("refused", fmt::format("{} by the chip or the kernel", count.refused));
  line("simulations", std::to_string(count.simulations()));
  if (seconds.measured == 0) return;
  const auto workers = static_cast<double>(std::min<std::size_t>(options.workers, processor_count()));
  const double total = static_cast<double>(count.simulations()) * seconds.mean / workers;
  line("estimate", fmt::format("{}{} with {} workers, from {} point{} of {:.0f} ms", seconds.at_least ? "more than " : "", host_time(total),
                               options.workers, seconds.measured, seconds.measured == 1 ? "" : "s", 1e3 * seconds.mean));
}

RunSummary simulate_all(const PointSource& source, ResultFolder& folder, const SweepOptions& options, Console& console) {
  const StopSignal stop;
  const std::size_t todo = options.shard.size(source.size) - sum(folder.store().counts());
  Progress progress(options.progress, todo, console);
  RunControl control;
  control.workers = options.workers;
  control.stop = &stop.flag();
  control.progress = [&progress](const RunProgress& state) {
    const std::string failed = state.failed == 0 ? "" : fmt::format(", {} failed", state.failed);
    progress.update(state.done, fmt::format("{} of {} points{}", state.done, state.todo, failed));
  };
  const RunSummary summary = run_points(source, folder.store(), control);
  progress.finish();
  return summary;
}

ExitCode run_here(const PointSource& source, const SweepOptions& options, Console& console) {
  ResultFolder folder(options.folder, info_of(source, options.shard), options.existing);
  folder.reopen();
  const RunSummary summary = simulate_all(source, folder, options, console);
  if (summary.stopped) {
    console.err << fmt::format("trnsim: stopped with {} of {} points done; --resume continues\n", sum(folder.store().counts()),
                               options.shard.size(source.size));
    return ExitCode::Stopped;
  }
  folder.finish(options.formats);
  return report_sweep(folder, options.quiet, console);
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw UsageError(fmt::format("--shard \"{}\": want I/N, e.g. 1/3", text));
  const std::size_t count = number(std::string_view(text).substr(slash + 1), 100'000, "--shard: number of shards");
  return {number(std::string_view(text).substr(0, slash), count, "--shard: shard"), count};
}

ExitCode sweep_command(const Args& args, Console& console) {
  const Options spec = sweep_options();
  const ParsedOptions parsed = spec.parse(args);
  if (parsed.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const SweepOptions options = read_options(parsed);
  const SweepSpec sweep = SweepSpec::load(options.file);
  const PointSource source = source_of(sweep);
  if (parsed.has("slurm")) return submit_sweep(source, options, console);
  if (options.dry_run) {
    print_plan(source, options, console);
    return ExitCode::Done;
  }
  return run_here(source, options, console);
}

}  // namespace trnsim::app
