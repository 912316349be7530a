// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/command.hpp"
#include "app/compare/column.hpp"
#include "app/compare/split.hpp"
#include "app/compare/write.hpp"
#include "app/execute.hpp"
#include "app/nki/recordings.hpp"
#include "app/output.hpp"
#include "app/whole_number.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim::app {
namespace {

constexpr double kSplitSeconds = 60;  ///< Of processor time that all mixes of a split may take unless --orders says so.

Options compare_options() {
  Options options("compare",
                  "--chips A,B… (--kernel NAME --param … | --nki FILE.py::function --arg … | --workload FILE | --trace FILE | --gemm-list "
                  "FILE) [OPTIONS]",
                  "Runs the same workload on several chips and prints them side by side, with ratios to the first.");
  options.value("chips,c", "A,B…", "Chip presets or chip files; the first is what the others are compared with")
      .list("set", "PATH=VALUE", "Change one number of every chip")
      .flag("allow-unknown", "Unknown keys of a chip file are warnings, not errors");
  add_workload_options(options);
  options.value("traces", "A,B…", "Several traces: a column for each on each chip")
      .value("workloads", "A,B…", "Several workload files, likewise")
      .flag("all-cores", "Every chip uses all its cores, instead of --cores")
      .flag("split", "Split the speed-up from the first chip to each other one by cause")
      .value("orders", "all|stated", "Orders in which a split swaps causes (default all if that takes less than a minute or so)")
      .value("jobs,j", "N", "Simulations at a time (default all processors)")
      .value("json", "FILE", "Write columns and splits as JSON; - is stdout")
      .value("csv", "FILE", "Write one row per column; - is stdout")
      .value("markdown", "FILE", "Write the tables as Markdown; - is stdout")
      .flag("quiet,q", "No progress; no table either when a file is written")
      .note(
          "A chip that refuses the workload is a column with its reason. Exit codes: 0 at least one ran, 2 none did\n"
          "(4 when a file could not be read), 3 a simulation failed by a fault.")
      .example("trnsim compare --chips trn1,trn2,trn3 --kernel matmul --param m=1024,n=1024,k=1024,dtype=bf16")
      .example("trnsim compare --chips trn2,trn3 --split --kernel softmax --param rows=1024,cols=2048");
  return options;
}

std::vector<std::string> list_of(const ParsedOptions& options, const std::string& name) {
  std::vector<std::string> items;
  std::string rest = options.value(name);
  for (std::size_t comma = 0; comma != std::string::npos && options.has(name);) {
    comma = rest.find(',');
    items.push_back(rest.substr(0, comma));
    if (items.back().empty()) throw UsageError(fmt::format("--{} \"{}\": an item is empty", name, options.value(name)));
    rest.erase(0, comma == std::string::npos ? rest.size() : comma + 1);
  }
  return items;
}

unsigned jobs_of(const ParsedOptions& options) {
  if (!options.has("jobs")) return processor_count();
  return static_cast<unsigned>(whole_number(options.value("jobs"), "--jobs", 1, 1024));
}

/// One request per workload, still without chip.
std::vector<RunRequest> requests_of(const ParsedOptions& options) {
  std::vector<RunRequest> requests;
  for (const auto& [several, one] : {std::pair("traces", "trace"), std::pair("workloads", "workload")}) {
    if (!options.has(several)) continue;
    if (!requests.empty() || options.has(one)) throw UsageError("want one of --trace, --traces, --workload and --workloads");
    for (const std::string& file : list_of(options, several)) {
      ParsedOptions single = options;
      single.values[one] = {file};
      requests.push_back(workload_request(single));
    }
  }
  if (requests.empty()) requests.push_back(workload_request(options));
  for (const RunRequest& request : requests) {
    if (options.has("all-cores") && options.has("cores")) throw UsageError("--all-cores and --cores exclude each other");
    if (options.has("all-cores") && !request.trace.empty()) throw UsageError("--all-cores: a trace is the work of one core");
    if (options.has("all-cores") && !request.nki.kernel.empty()) throw UsageError("--all-cores: an NKI kernel is recorded for one core");
    if (request.trace == "-" || request.gemm_list == "-") throw UsageError("every chip reads the workload, so it cannot come from stdin");
  }
  return requests;
}

std::string workload_text(const RunRequest& request) {
  if (!request.trace.empty()) return std::filesystem::path(request.trace).filename().string();
  if (const NkiCall& call = request.nki; !call.kernel.empty())
    return fmt::format("{}{}{}", std::filesystem::path(call.kernel).filename().string(), call.args.empty() ? "" : " ",
                       fmt::join(call.args, " "));
  if (!request.gemm_list.empty()) return std::filesystem::path(request.gemm_list).filename().string();
  return fmt::format("{}{}{}", request.kernel, request.params.empty() ? "" : " ", fmt::join(request.params, ","));
}

std::vector<CompareColumn> columns_of(const ParsedOptions& options) {
  const std::vector<std::string> chips = list_of(options, "chips");
  if (chips.empty()) throw UsageError(fmt::format("no chips: want --chips with files or some of {}", fmt::join(preset_names(), ",")));
  const std::vector<RunRequest> requests = requests_of(options);
  if (options.has("split") && requests.size() > 1) throw UsageError("--split explains chips, so it wants one workload");
  if (options.has("split") && chips.size() < 2) throw UsageError("--split explains one chip against another; want two in --chips");
  std::vector<CompareColumn> columns;
  for (const std::string& chip : chips) {
    for (const RunRequest& request : requests) {
      CompareColumn column;
      column.request = request;
      column.request.chip = chip;
      column.chip = load(column.request, column.warnings);
      column.all_cores = options.has("all-cores");
      if (column.all_cores) column.request.cores = column.chip.chip.cores;
      column.workload = workload_text(request);
      column.label = requests.size() == 1 ? column.chip.name
                     : chips.size() == 1  ? column.workload
                                          : column.chip.name + " " + column.workload;
      columns.push_back(std::move(column));
    }
  }
  return columns;
}

/// Runs mixes of two chips and shows how far it is.
class MixRunner {
 public:
  MixRunner(const CompareColumn& a, const CompareColumn& b, unsigned workers, bool show, Console& console)
      : a_(a), b_(b), workers_(workers), show_(show), console_(console) {}

  std::vector<MixTime> operator()(const std::vector<CauseSet>& mixes) const {
    const auto simulate = [&](std::size_t i) {
      const ChipConfig chip = mixed(a_.chip, b_.chip, mixes[i]);
      RunRequest request = b_.request;
      if (b_.all_cores) request.cores = chip.chip.cores;
      return fmt::format("{}", execute_quietly(request, chip).time_ns);
    };
    const auto done = [&](std::size_t n) {
      if (show_) console_.err << fmt::format("\r\033[K{} of {} mixes of {} and {}", n, mixes.size(), a_.label, b_.label) << std::flush;
    };
    std::vector<MixTime> times;
    for (const JobOutcome& outcome : run_jobs(mixes.size(), simulate, workers_, {}, done)) {
      const bool ran = outcome.end == JobEnd::Done;
      times.push_back(ran ? MixTime{std::stod(outcome.text), {}} : MixTime{std::nullopt, outcome.text});
    }
    if (show_) console_.err << "\r\033[K" << std::flush;
    return times;
  }

 private:
  const CompareColumn &a_, &b_;
  unsigned workers_;
  bool show_;
  Console& console_;
};

SplitOrders orders_of(const ParsedOptions& options, const CompareColumn& a, const CompareColumn& b) {
  const std::string asked = options.value("orders");
  if (asked == "all") return SplitOrders::All;
  if (asked == "stated") return SplitOrders::Stated;
  const double mixes = std::exp2(static_cast<double>(split_groups(a.chip, b.chip).size()));
  return mixes * std::max(a.estimated_seconds, b.estimated_seconds) <= kSplitSeconds ? SplitOrders::All : SplitOrders::Stated;
}

std::vector<Split> splits_of(const Comparison& comparison, const ParsedOptions& options, unsigned workers, Console& console) {
  std::vector<Split> splits;
  if (!options.has("split")) return splits;
  const CompareColumn& a = comparison.columns[*comparison.baseline];
  const bool show = !options.has("quiet") && console.err_terminal.interactive;
  for (std::size_t i = *comparison.baseline + 1; i < comparison.columns.size(); ++i) {
    const CompareColumn& b = comparison.columns[i];
    const double time_a = a.figure("time_ns").value_or(0), time_b = b.figure("time_ns").value_or(0);
    if (!b.ran() || time_a <= 0 || time_b <= 0) continue;
    const MixRunner times(a, b, workers, show, console);
    splits.push_back(split_speed_up(a.chip, b.chip, time_a, time_b, orders_of(options, a, b), times));
    splits.back().from = a.label;
    splits.back().to = b.label;
  }
  return splits;
}

/// Nothing ran: the error of the first column, which the others share unless they say otherwise.
void throw_refusals(const Comparison& comparison) {
  std::vector<std::string> reasons;
  for (const CompareColumn& column : comparison.columns) {
    if (column.code != comparison.columns.front().code) continue;
    const std::string reason = fmt::format("{}: {}", column.label, column.reason);
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
  }
  throw Error(comparison.columns.front().code, fmt::format("no chip ran the workload\n{}", fmt::join(reasons, "\n")));
}

/// A file of a list that is not there is a mistake of the list, not of a chip.
void check_readable(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw IoError(fmt::format("{}: cannot read: {}", file, error ? error.message() : "No such file or directory"));
  if (std::filesystem::is_directory(status)) throw IoError(fmt::format("{}: cannot read: is a directory", file));
}

void check_files(const ParsedOptions& options) {
  std::vector<std::string> inputs{options.value("trace"), options.value("workload"), options.value("gemm-list")};
  for (const char* name : {"chips", "traces", "workloads"}) {
    std::error_code error;  // a preset is no file
    for (const std::string& file : list_of(options, name)) inputs.push_back(std::filesystem::exists(file, error) ? file : "");
  }
  check_places({options.value("json"), options.value("csv"), options.value("markdown")}, inputs);
  for (const char* name : {"json", "csv", "markdown"}) {
    if (options.has(name)) check_writable(options.value(name));
  }
  for (const char* name : {"traces", "workloads"}) {
    for (const std::string& file : list_of(options, name)) check_readable(file);
  }
  const std::string orders = options.value("orders", "all");
  if (orders != "all" && orders != "stated") throw UsageError(fmt::format("--orders \"{}\": want all or stated", orders));
  if (options.has("orders") && !options.has("split")) throw UsageError("--orders belongs to --split");
}

}  // namespace

ExitCode compare_command(const Args& args, Console& console) {
  const Options spec = compare_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  check_files(options);
  const unsigned workers = jobs_of(options);
  const Recordings recordings;
  const Comparison comparison = compare_columns(columns_of(options), workers);
  if (!comparison.baseline) throw_refusals(comparison);
  const std::vector<Split> splits = splits_of(comparison, options, workers, console);

  if (options.has("json")) write_file(options.value("json"), compare_json(comparison, splits), console);
  if (options.has("csv")) write_file(options.value("csv"), compare_csv(comparison), console);
  if (options.has("markdown")) write_file(options.value("markdown"), compare_markdown(comparison, splits), console);
  const bool any = options.has("json") || options.has("csv") || options.has("markdown");
  const bool to_stdout = options.value("json") == "-" || options.value("csv") == "-" || options.value("markdown") == "-";
  if (!to_stdout && !(options.has("quiet") && any)) console.out << compare_text(comparison, splits, console.report_style());
  const bool fault = std::any_of(comparison.columns.begin(), comparison.columns.end(),
                                 [](const CompareColumn& column) { return !column.ran() && column.code == ExitCode::Fault; });
  return fault ? ExitCode::Fault : ExitCode::Done;
}

}  // namespace trnsim::app
