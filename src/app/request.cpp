// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/duration.hpp"
#include "app/nki/options.hpp"
#include "app/whole_number.hpp"
#include "app/workload_file.hpp"
#include "trnsim/isa/program.hpp"
#include "trnsim/workload.hpp"

namespace trnsim::app {
namespace {

constexpr std::string_view kPrefix = "trnsim run";
constexpr std::uint64_t kMaxIterations = 1'000'000'000;

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,./:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

bool names_work(const RunRequest& request) {
  return !request.kernel.empty() || !request.nki.kernel.empty() || !request.trace.empty() || !request.gemm_list.empty();
}

/// Pairs of a file, then those of the command line, which win.
std::vector<std::string> merged(const std::vector<std::string>& file, const std::vector<std::string>& given) {
  const auto name = [](const std::string& pair) { return pair.substr(0, pair.find('=')); };
  std::vector<std::string> pairs;
  for (const std::string& pair : file) {
    const auto same = [&](const std::string& other) { return name(other) == name(pair); };
    if (std::none_of(given.begin(), given.end(), same)) pairs.push_back(pair);
  }
  pairs.insert(pairs.end(), given.begin(), given.end());
  return pairs;
}

/// Takes kernel, parameters and cores from the file; what the command line says as well wins.
void add_workload_file(const ParsedOptions& options, RunRequest& request) {
  if (names_work(request)) throw UsageError("--workload names the kernel; --kernel, --nki, --trace and --gemm-list do not go with it");
  const WorkloadFile file = read_workload_file(options.value("workload"));
  request.kernel = file.kernel;
  request.cores = file.cores;
  std::vector<std::string> given;
  for (const auto& [name, value] : parse_params(request.params)) given.push_back(name + "=" + value);
  request.params = merged(file.params, given);
  request.nki.kernel = file.nki.kernel;
  request.nki.args = merged(file.nki.args, request.nki.args);
  request.nki.policy = merged(file.nki.policy, request.nki.policy);
  if (request.nki.grid.empty()) request.nki.grid = file.nki.grid;
}

/// What only a call of an NKI kernel has.
void check_nki(const RunRequest& request) {
  const NkiCall& call = request.nki;
  if (!call.kernel.empty()) return check_call(call);
  for (const auto& [name, given] : {std::pair("arg", !call.args.empty()), {"grid", !call.grid.empty()}, {"policy", !call.policy.empty()}}) {
    if (given) throw UsageError(fmt::format("--{} belongs to --nki", name));
  }
}

/// One kind of work, and only options that belong to it.
void check_work(const RunRequest& request) {
  const bool kernel = !request.kernel.empty(), nki = !request.nki.kernel.empty(), trace = !request.trace.empty(),
             layers = !request.gemm_list.empty();
  if (!names_work(request)) {
    throw UsageError(
        "nothing to simulate: want --kernel NAME (trnsim kernels list), --nki FILE.py::function, --workload FILE, --trace FILE or "
        "--gemm-list FILE");
  }
  if (kernel + nki + trace + layers > 1) throw UsageError("--kernel, --nki, --trace and --gemm-list exclude each other");
  if (trace && !request.params.empty()) throw UsageError("--param belongs to --kernel; a trace has no parameters");
  if (nki && !request.params.empty()) throw UsageError("--param belongs to --kernel; arguments of an NKI kernel are given by --arg");
  if (trace && request.cores > 1) throw UsageError("--cores belongs to --kernel; a trace is the work of one core");
  if (nki && request.cores > 1) throw UsageError("--cores belongs to --kernel; an NKI kernel is recorded for one core");
  if (layers && !request.max_time.empty())
    throw UsageError("--max-time belongs to --kernel, --nki and --trace; the layers of a list are simulated one by one");
  if (!request.order.empty() && layers) throw UsageError("--order belongs to kernels and traces; layers run as written");
  if (request.allow_spill && layers) throw UsageError("--allow-spill belongs to kernels and traces; the layers of a list fit");
  if (request.iterations > 0 && !request.max_time.empty()) throw UsageError("--iterations wants whole runs, without --max-time");
  if (request.strict && !layers) throw UsageError("--strict belongs to --gemm-list");
  check_nki(request);
}

}  // namespace

void add_chip_options(Options& options) {
  options.value("chip,c", "NAME|FILE", "Chip preset (trnsim chips list) or a chip description file")
      .list("set", "PATH=VALUE", "Change one number of the chip, e.g. hbm.stack_gb_per_s=400")
      .flag("allow-unknown", "Unknown keys of a chip file are warnings, not errors");
}

void add_kernel_options(Options& options) {
  options.value("kernel,k", "NAME", "Built-in kernel (trnsim kernels list)")
      .list("param,p", "K=V[,K=V…]", "Parameters of the kernel (trnsim kernels show NAME)");
}

void add_workload_options(Options& options) {
  add_kernel_options(options);
  options.value("nki", "FILE.py::function", "NKI kernel instead: recorded for the chip's generation, then simulated");
  add_call_options(options);
  options.value("trace,t", "FILE", "Kernel trace instead of a kernel, plain, gzip or zstd; - is stdin")
      .value("workload,w", "FILE", "Workload file instead: a kernel with its parameters; --param adds or replaces some")
      .value("gemm-list", "FILE", "List of layers instead (SCALE-Sim topology, CSV): matmul sizes or convolutions; - is stdin")
      .flag("strict", "Doubtful columns of a layer list are errors, not warnings")
      .value("order", "ORDER",
             "Instructions of an engine run as `written`, or in that of a compiler's `list` scheduler (default: as the work says)")
      .flag("allow-spill", "SBUF tiles that do not fit are copied to HBM and back; without it that is an error")
      .value("cores", "N", "Split the kernel over cores 0 … N-1 (default 1)");
}

void add_run_options(Options& options) {
  add_chip_options(options);
  add_workload_options(options);
  options.value("max-time", "TIME", "Stop at this simulated time, e.g. 10us; the result is marked truncated")
      .value("iterations", "N", "Times of N runs one after another as well: the first, which starts up, apart from the warm ones");
}

unsigned parse_cores(const std::string& text) { return static_cast<unsigned>(whole_number(text, "--cores", 1, 1024)); }

RunRequest workload_request(const ParsedOptions& options) {
  RunRequest request;
  request.set = options.list("set");
  request.allow_unknown = options.has("allow-unknown");
  request.kernel = options.value("kernel");
  request.params = options.list("param");
  request.nki = call_of(options);
  request.nki.kernel = options.value("nki");
  request.trace = options.value("trace");
  request.gemm_list = options.value("gemm-list");
  request.strict = options.has("strict");
  request.order = options.value("order");
  if (options.has("order") && !issue_order_from(request.order))
    throw UsageError(fmt::format("--order {}: want written or list", request.order));
  request.allow_spill = options.has("allow-spill");
  if (options.has("workload")) add_workload_file(options, request);
  if (options.has("cores")) request.cores = parse_cores(options.value("cores"));
  request.max_time = options.value("max-time");
  if (options.has("iterations")) request.iterations = whole_number(options.value("iterations"), "--iterations", 1, kMaxIterations);
  if (options.has("max-time")) (void)parse_duration(request.max_time, "--max-time");
  check_work(request);
  return request;
}

RunRequest run_request(const ParsedOptions& options) {
  if (options.value("chip").empty())
    throw UsageError(fmt::format("no chip: want --chip FILE or one of {}", fmt::join(preset_names(), ", ")));
  RunRequest request = workload_request(options);
  request.chip = options.value("chip");
  return request;
}

ChipConfig load(const ParsedOptions& options, const std::string& fallback_chip, std::vector<std::string>& warnings) {
  return load_chip(options.value("chip", fallback_chip), {options.list("set"), options.has("allow-unknown")}, warnings);
}

ChipConfig load(const RunRequest& request, std::vector<std::string>& warnings) {
  return load_chip(request.chip, {request.set, request.allow_unknown}, warnings);
}

std::string command_line(const RunRequest& request) {
  std::string line(kPrefix);
  const auto add = [&line](const char* option, const std::string& value) { line += fmt::format(" {} {}", option, quoted(value)); };
  add("--chip", request.chip);
  for (const std::string& value : request.set) add("--set", value);
  if (request.allow_unknown) line += " --allow-unknown";
  if (!request.kernel.empty()) add("--kernel", request.kernel);
  for (const std::string& value : request.params) add("--param", value);
  if (!request.nki.kernel.empty()) add("--nki", request.nki.kernel);
  for (const std::string& value : request.nki.args) add("--arg", value);
  if (!request.nki.grid.empty()) add("--grid", request.nki.grid);
  for (const std::string& value : request.nki.policy) add("--policy", value);
  if (!request.trace.empty()) add("--trace", request.trace);
  if (!request.gemm_list.empty()) add("--gemm-list", request.gemm_list);
  if (request.strict) line += " --strict";
  if (!request.order.empty()) add("--order", request.order);
  if (request.allow_spill) line += " --allow-spill";
  if (request.cores > 1) add("--cores", std::to_string(request.cores));
  if (!request.max_time.empty()) add("--max-time", request.max_time);
  if (request.iterations > 0) add("--iterations", std::to_string(request.iterations));
  return line;
}

Args split_command_line(const std::string& line) {
  Args words;
  bool inside = false, open = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'') {
      inside = !inside;
    } else if (c == ' ' && !inside) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == '\\' && !inside && i + 1 < line.size()) {
      words.back() += line[++i];
    } else if (c != '\'') {
      words.back() += c;
    }
  }
  if (inside || words.size() < 2 || words[0] + " " + words[1] != kPrefix) {
    throw InputError(fmt::format("\"{}\" is not a command line of trnsim run", line));
  }
  return {words.begin() + 2, words.end()};
}

std::optional<Time> time_limit(const RunRequest& request) {
  if (request.max_time.empty()) return std::nullopt;
  const Time limit = parse_duration(request.max_time, "--max-time");
  return Time{limit.value + std::min(kFsPerPs / 2 - 1, kForever.value - limit.value)};
}

}  // namespace trnsim::app
