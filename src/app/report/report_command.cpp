// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/command.hpp"
#include "app/execute.hpp"
#include "app/job_pool.hpp"
#include "app/output.hpp"
#include "app/recorded.hpp"
#include "app/report/page_output.hpp"
#include "app/report/repeated.hpp"
#include "app/report/sweep_part.hpp"
#include "app/stop_signal.hpp"
#include "app/sweep/store.hpp"
#include "app/whole_number.hpp"
#include "page/page_template.hpp"

namespace trnsim::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostResults = 100;

Options report_options() {
  Options options("report", "RESULT.json… | SWEEP_DIR -o PAGE.html [OPTIONS]",
                  "Writes results, side by side, or a sweep as one page for a browser, which needs nothing else. Each run is repeated\n"
                  "for its timeline; one that cannot be repeated is shown without.");
  options.positional(1, kMostResults, "result files or the folder of a sweep")
      .value("output,o", "FILE", "The page; - is stdout")
      .flag("no-timeline", "Repeat no run: only what the result files say")
      .flag("explain", "Add what trnsim explain finds: critical path, faster parts, advice; takes some thirty simulations per run")
      .value("jobs,j", "N", "Runs repeated at a time (default: all processors)")
      .flag("quiet,q", "No warnings")
      .note("Exit codes: 0 done, 2 bad input, 4 a file cannot be read or written, 5 stopped by Ctrl-C.")
      .example("trnsim report result.json -o page.html")
      .example("trnsim report result.json -o page.html --explain");
  return options;
}

/// "matmul on trn2"; results of one name are told apart by their files.
std::vector<std::string> names_of(const std::vector<ReportFile>& files) {
  std::vector<std::string> names;
  for (const ReportFile& file : files) names.push_back(run_name(file.result));
  const std::vector<std::string> plain = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(plain, plain[i]) > 1) names[i] += fmt::format(" ({})", files[i].path);
    for (unsigned n = 2; std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
                         names.begin() + static_cast<std::ptrdiff_t>(i);
         ++n)
      names[i] = fmt::format("{} ({}, {})", plain[i], files[i].path, n);
  }
  return names;
}

std::string title_of(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

/// What one page can hold, shared out to its runs.
PageBudget budget_for(std::size_t runs) {
  PageBudget budget;
  budget.slices /= runs;
  budget.shares /= runs;
  budget.values /= runs;
  return budget;
}

Page page_of_results(const Args& paths, const ParsedOptions& options, unsigned workers, Console& console) {
  std::vector<ReportFile> files;
  for (const std::string& path : paths) files.push_back({path, read_result_text(path)});
  if (!options.has("no-timeline")) repeat_runs(files, {budget_for(files.size()), workers, options.has("explain")});
  const std::vector<std::string> names = names_of(files);
  Page page;
  page.title = title_of(names);
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const std::string& problem : files[i].problems) {
      if (!options.has("quiet")) print_warnings({fmt::format("{}: {}", files[i].path, problem)}, console);
    }
    page.runs.push_back({names[i], std::move(files[i].result), std::move(files[i].timeline), std::move(files[i].explanation)});
  }
  return page;
}

Page page_of_sweep(const std::string& folder) {
  const fs::path path = fs::path(folder).lexically_normal();
  const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  return {"sweep " + name, {}, sweep_part(folder, name)};
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

void check_inputs(const ParsedOptions& options) {
  const Args& inputs = options.positional;
  if (!options.has("output")) throw UsageError("trnsim report needs -o FILE, the page to write; see trnsim report --help");
  if (options.has("explain") && options.has("no-timeline"))
    throw UsageError("--explain and --no-timeline exclude each other: an explanation repeats the run");
  if (inputs.size() > 1 && std::ranges::any_of(inputs, is_folder)) {
    const std::string& folder = *std::ranges::find_if(inputs, is_folder);
    throw UsageError(fmt::format("'{}' is a folder; want result files, or one folder of a sweep alone", folder));
  }
  if (std::ranges::count(inputs, "-") > 1) throw UsageError("stdin can be read once; '-' stands there twice");
  Args read = inputs;
  if (is_folder(inputs.front())) read = {database_file(inputs.front())};
  check_places({options.value("output")}, read);
  check_writable(options.value("output"));
}

}  // namespace

ExitCode report_command(const Args& args, Console& console) {
  const Options spec = report_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  const unsigned workers =
      options.has("jobs") ? static_cast<unsigned>(whole_number(options.value("jobs"), "--jobs", 1, 1024)) : processor_count();
  check_inputs(options);
  const StopSignal stop;  // ends the simulations; a page that is being written is finished
  const Args& inputs = options.positional;
  const Page page = is_folder(inputs.front()) ? page_of_sweep(inputs.front()) : page_of_results(inputs, options, workers, console);
  write_file(options.value("output"), page_html(page, page_template()), console);
  return ExitCode::Done;
}

}  // namespace trnsim::app
