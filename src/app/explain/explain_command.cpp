// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <utility>

#include "app/command.hpp"
#include "app/execute.hpp"
#include "app/explain/explain_run.hpp"
#include "app/job_pool.hpp"
#include "app/nki/options.hpp"
#include "app/nki/recordings.hpp"
#include "app/output.hpp"
#include "app/recorded.hpp"
#include "app/whole_number.hpp"

namespace trnsim::app {
namespace {

Options explain_options() {
  Options options("explain",
                  "RESULT.json | --chip NAME|FILE (--kernel NAME --param … | --nki … | --workload FILE | --trace FILE) [OPTIONS]",
                  "Says why a run takes its time: the critical path through its instructions, the slack of each resource, and by\n"
                  "simulation what a faster part would gain. A result file names a run to repeat; its time must come out again.");
  add_run_options(options);
  options.positional(0, 1, "the name of a result file")
      .value("json", "FILE", "Write the explanation as JSON; - is stdout")
      .value("jobs,j", "N", "Simulations at a time (default all processors)")
      .flag("no-what-if", "Leave out the simulations of faster chips")
      .value("vary", "PARAM=V,V…", "Simulate other values of a parameter of the kernel too: time, overlap and bounds of each")
      .flag("quiet,q", "No progress, no warnings; no text either when --json is given")
      .note("Exit codes: 0 done, 2 bad input, 3 simulator fault or deadlock, 4 a file cannot be read or written, 5 stopped by Ctrl-C.")
      .example("trnsim explain --chip trn2 --kernel softmax --param rows=1024,cols=2048");
  return options;
}

ExplainSubject subject_of(const ParsedOptions& options, Console& console) {
  ExplainSubject subject;
  if (options.positional.empty()) {
    if (options.has("iterations")) throw UsageError("explain explains one run; --iterations belongs to trnsim run");
    subject.request = run_request(options);
    check_explainable(subject.request);
    subject.chip = load(subject.request, subject.warnings);
    return subject;
  }
  for (const char* name : {"chip", "kernel", "nki", "trace", "workload", "gemm-list", "set", "param"}) {
    if (options.has(name)) throw UsageError(fmt::format("a result file names its run; --{} does not go with it", name));
  }
  subject.recorded = read_result(options.positional.front());
  subject.request = subject.recorded->request;
  check_explainable(subject.request);
  subject.chip = chip_of(*subject.recorded, subject.warnings, console).config;
  return subject;
}

/// "12 of 24 faster chips" on a terminal.
class Counter {
 public:
  Counter(bool show, Console& console) : show_(show), console_(console) {}
  ~Counter() {
    if (show_) console_.err << "\r\033[K" << std::flush;
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  void operator()(std::size_t done, std::size_t count) const {
    if (show_) console_.err << fmt::format("\r\033[K{} of {} faster chips", done, count) << std::flush;
  }

 private:
  bool show_;
  Console& console_;
};

Explanation explain(const ExplainSubject& subject, const ParsedOptions& options, unsigned workers, Console& console) {
  const bool quiet = options.has("quiet");
  const Counter counter(!quiet && !options.has("no-what-if") && console.err_terminal.interactive, console);
  ExplainOptions how;
  how.workers = options.has("no-what-if") ? 0 : workers;
  how.progress = quiet ? ProgressMode::Off : ProgressMode::Auto;
  how.chip_done = [&](std::size_t done, std::size_t count) { counter(done, count); };
  Explanation explanation = explain_run(subject, how, console);
  if (options.has("vary")) {
    explanation.variants = parse_variants(options.value("vary"), subject.request);
    simulate_variants(explanation.variants, subject.request, subject.chip, workers);
  }
  return explanation;
}

}  // namespace

ExitCode explain_command(const Args& args, Console& console) {
  const Options spec = explain_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const unsigned workers =
      options.has("jobs") ? static_cast<unsigned>(whole_number(options.value("jobs"), "--jobs", 1, 1024)) : processor_count();
  const Recordings recordings;
  const ExplainSubject subject = subject_of(options, console);
  if (options.has("vary")) (void)parse_variants(options.value("vary"), subject.request);  // before minutes of simulation
  check_places({options.value("json")}, {subject.request.chip, subject.request.trace, options.value("workload"),
                                         kernel_file(subject.request.nki), options.positional.empty() ? "" : options.positional.front()});
  if (options.has("json")) check_writable(options.value("json"));
  if (!options.has("quiet")) print_warnings(subject.warnings, console);
  const Explanation explanation = explain(subject, options, workers, console);
  if (options.has("json")) write_file(options.value("json"), explain_json(explanation), console);
  if (options.value("json") != "-" && !(options.has("quiet") && options.has("json")))
    console.out << explain_text(explanation, console.report_style());
  return ExitCode::Done;
}

}  // namespace trnsim::app
