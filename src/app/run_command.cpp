// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/command.hpp"
#include "app/execute.hpp"
#include "app/output.hpp"
#include "trnsim/report.hpp"

namespace trnsim::app {
namespace {

Options run_options() {
  Options options("run", "--chip NAME|FILE (--kernel NAME --param … | --workload FILE | --trace FILE) [OPTIONS]",
                  "Simulates a kernel or a trace on a chip and prints time, traffic, energy and what limits it.");
  add_run_options(options);
  options.value("json", "FILE", "Write the result as JSON; - is stdout")
      .value("csv", "FILE", "Add the result as a row to a CSV file, which gets a header when new; - is stdout")
      .flag("progress", "Show progress from the start")
      .flag("quiet,q", "No progress, no warnings; no report either when --json or --csv is given")
      .note(
          "Exit codes: 0 done, 2 bad input, 3 simulator fault or deadlock, 4 a file cannot be read or written,\n"
          "5 stopped early by --max-time or Ctrl-C with the result written and marked truncated.")
      .example("trnsim run --chip trn2 --kernel matmul --param m=1024,n=1024,k=1024,dtype=bf16");
  return options;
}

void write_result(const Result& result, const ParsedOptions& options, Console& console) {
  const bool json = options.has("json"), csv = options.has("csv");
  if (json) write_file(options.value("json"), to_json(result), console);
  if (csv) append_csv(options.value("csv"), csv_header(), csv_row(result), console);
  const bool to_stdout = options.value("json") == "-" || options.value("csv") == "-";
  const bool unwanted = options.has("quiet") && (json || csv);
  if (!to_stdout && !unwanted) console.out << terminal_report(result, console.report_style());
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
  const RunRequest request = run_request(options);
  // A run may take minutes: find out first whether its result can be written.
  if (options.has("json") && options.has("csv") && options.value("json") == options.value("csv")) {
    throw UsageError("--json and --csv go to the same place; choose two");
  }
  if (options.has("json")) check_writable(options.value("json"));
  if (options.has("csv")) check_csv(options.value("csv"), csv_header());

  std::vector<std::string> warnings;
  const ChipConfig chip = load(request, warnings);
  if (!quiet) print_warnings(warnings, console);
  const ProgressMode progress = quiet ? ProgressMode::Off : options.has("progress") ? ProgressMode::Always : ProgressMode::Auto;
  const Result result = execute(request, chip, warnings, progress, console);
  write_result(result, options, console);
  if (result.snapshot.truncated.empty()) return ExitCode::Done;
  if (!quiet) console.err << "trnsim: stopped early: " << result.snapshot.truncated << '\n';
  return ExitCode::Stopped;
}

}  // namespace trnsim::app
