// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "app/bound.hpp"
#include "app/command.hpp"
#include "app/execute_observed.hpp"
#include "app/job_pool.hpp"
#include "app/nki/options.hpp"
#include "app/observer_list.hpp"
#include "app/output.hpp"
#include "app/report/page_output.hpp"
#include "app/timeline_output.hpp"
#include "app/uncertainty/influences.hpp"
#include "app/uncertainty/options.hpp"
#include "app/whole_number.hpp"
#include "trnsim/report.hpp"

namespace trnsim::app {
namespace {

Options run_options() {
  Options options("run",
                  "--chip NAME|FILE (--kernel NAME --param … | --nki FILE.py::function --arg … | --workload FILE | --trace FILE | "
                  "--gemm-list FILE) [OPTIONS]",
                  "Simulates a kernel, a trace or a list of layers on a chip and prints time, traffic, energy and what limits it.");
  add_run_options(options);
  options.value("json", "FILE", "Write the result as JSON; - is stdout")
      .value("csv", "FILE", "Add the result as a row to a CSV file, which gets a header when new; - is stdout")
      .value("layers-csv", "FILE", "Write one row per layer of --gemm-list as CSV; - is stdout")
      .value("jobs,j", "N", "Layers of --gemm-list or samples of --uncertainty simulated at a time (default: all processors)");
  add_page_option(options);
  add_timeline_options(options);
  add_study_options(options);
  options.flag("bound", "Only the least time, by arithmetic per resource; simulates nothing")
      .flag("progress", "Show progress from the start")
      .flag("quiet,q", "No progress, no warnings; no report either when --json, --csv or --html is given")
      .note(
          "Exit codes: 0 done, 2 bad input, 3 simulator fault or deadlock, 4 a file cannot be read or written,\n"
          "5 stopped early by --max-time or Ctrl-C with the result written and marked truncated.")
      .example("trnsim run --chip trn2 --kernel matmul --param m=1024,n=1024,k=1024,dtype=bf16")
      .example("trnsim run --chip trn2 --gemm-list configs/workloads/transformer-block.csv")
      .example("trnsim run --chip trn3 --kernel softmax --param rows=512,cols=1024 --uncertainty 20")
      .example("trnsim run --chip trn2 --kernel matmul --param m=1024,n=1024,k=1024 --bound")
      .example("trnsim run --chip trn2 --kernel matmul --param m=1024,n=1024,k=1024 --timeline matmul.pftrace")
      .example("trnsim run --chip trn2 --kernel matmul --param m=1024,n=1024,k=1024 --html matmul.html");
  return options;
}

/// The page and the file hold the same text, which names the moment it was made at.
void write_result(const Result& result, const ParsedOptions& options, PageOutput& page, Console& console) {
  const bool json = options.has("json"), csv = options.has("csv"), layers = options.has("layers-csv");
  const std::string text = json || page.wanted() ? to_json(result) : std::string();
  if (json) write_file(options.value("json"), text, console);
  if (page.wanted()) page.write(result, text, console);
  if (csv) append_csv(options.value("csv"), csv_header(), csv_row(result), console);
  if (layers) write_file(options.value("layers-csv"), layers_csv(result), console);
  bool to_stdout = false;
  for (const char* output : {"json", "csv", "layers-csv", "html"}) to_stdout |= options.value(output) == "-";
  const bool unwanted = options.has("quiet") && (json || csv || layers || options.has("html"));
  if (!to_stdout && !unwanted) console.out << terminal_report(result, console.report_style());
}

/// What a bound, which simulates nothing, has no use for.
void check_bound(const ParsedOptions& options) {
  for (const char* name : {"uncertainty", "max-time", "csv", "layers-csv", "jobs", "timeline", "html"}) {
    if (options.has(name)) throw UsageError(fmt::format("--bound and --{} exclude each other: nothing is simulated", name));
  }
}

ExitCode write_bound(const BoundReport& report, const ParsedOptions& options, Console& console) {
  const bool json = options.has("json");
  if (json) write_file(options.value("json"), to_json(report), console);
  if (options.value("json") != "-" && !(json && options.has("quiet"))) console.out << terminal_report(report, console.report_style());
  return ExitCode::Done;
}

/// Processes for the layers of a list or the samples of a study.
unsigned jobs_of(const ParsedOptions& options, const RunRequest& request) {
  if (!options.has("jobs")) return processor_count();
  if (request.gemm_list.empty() && !options.has("uncertainty"))
    throw UsageError("--jobs belongs to --gemm-list and --uncertainty; a kernel or a trace is one simulation");
  return static_cast<unsigned>(whole_number(options.value("jobs"), "--jobs", 1, 1024));
}

/// A run may take minutes: finds out first whether its result can be written.
void check_outputs(const ParsedOptions& options, const RunRequest& request) {
  check_places({options.value("json"), options.value("csv"), options.value("layers-csv"), options.value("timeline"), options.value("html")},
               {request.chip, request.trace, request.gemm_list, options.value("workload"), kernel_file(request.nki)});
  if (options.has("layers-csv") && request.gemm_list.empty()) throw UsageError("--layers-csv belongs to --gemm-list");
  if (options.has("json")) check_writable(options.value("json"));
  if (options.has("csv")) check_csv(options.value("csv"), csv_header());
  if (options.has("layers-csv")) check_writable(options.value("layers-csv"));
}

}  // namespace

ExitCode run_command(const Args& args, Console& console) {
  const Options spec = run_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const bool quiet = options.has("quiet");
  if (quiet && options.has("progress")) throw UsageError("--progress and --quiet exclude each other");
  RunRequest request = run_request(options);
  if (options.has("bound")) check_bound(options);
  request.jobs = jobs_of(options, request);
  const StudyRequest wanted = study_request(options, request);
  check_outputs(options, request);
  TimelineOutput timeline(options);
  PageOutput page(options);

  std::vector<std::string> warnings;
  const ChipConfig chip = load(request, warnings);
  if (!quiet) print_warnings(warnings, console);
  const ProgressMode progress = quiet ? ProgressMode::Off : options.has("progress") ? ProgressMode::Always : ProgressMode::Auto;
  if (options.has("bound")) return write_bound(bound_of(request, chip, warnings, console), options, console);
  ObserverList observers;
  observers.add(timeline.open(request));
  observers.add(page.open(request));
  Result result = execute_observed(request, chip, warnings, progress, console, observers.observer());
  timeline.finish(result, quiet, console);
  if (wanted.samples > 0 && result.snapshot.truncated.empty()) result.uncertainty = study(request, result, wanted, progress, console);
  simulate_influences(request, result, processor_count());
  write_result(result, options, page, console);
  if (result.snapshot.truncated.empty()) return ExitCode::Done;
  if (!quiet) console.err << "trnsim: stopped early: " << result.snapshot.truncated << '\n';
  return ExitCode::Stopped;
}

}  // namespace trnsim::app
