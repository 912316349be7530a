// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>

#include "app/check/accepted.hpp"
#include "app/check/check_report.hpp"
#include "app/check/check_run.hpp"
#include "app/command.hpp"
#include "app/output.hpp"
#include "app/whole_number.hpp"

namespace trnsim::app {
namespace {

Options check_options() {
  Options options(
      "check", "GOLDEN.json… [OPTIONS]",
      "Runs the cases of golden files and compares their simulated cycles with the expected ones: exactly, unless told otherwise.\n"
      "A change fails in both directions, and only if it exceeds both --rel and --min-cycles. A case may have its own limits.");
  options.value("rel", "2%", "Allowed change of cycles, energy and bytes, in percent or as a factor such as 0.02 (default 0)")
      .value("min-cycles", "N", "Allowed change in cycles (default 0)")
      .value("improvements", "fail|note", "Whether fewer cycles fail (default) or are only told")
      .flag("warn-only", "Exit code 0 whatever the cases give; a bad golden file still counts")
      .flag("update", "Write the values of now into the golden files; nothing else in them changes")
      .value("filter", "GLOB", "Only cases whose name matches, e.g. 'matmul-*'")
      .value("jobs,j", "N", "Cases at a time (default: one per processor); the outcome does not depend on it")
      .value("save-results", "FOLDER", "Keep the result of every case, for a later --against")
      .value("against", "FOLDER", "Explain each unexpected case by the result kept there, as trnsim diff does")
      .value("junit", "FILE", "Write JUnit XML; - is stdout, here and below")
      .value("markdown", "FILE", "Write a summary in Markdown")
      .value("json", "FILE", "Write the report as JSON")
      .flag("github", "Print GitHub annotations, at the case's line of the golden file")
      .flag("step-summary", "Add the Markdown summary to $GITHUB_STEP_SUMMARY")
      .flag("quiet,q", "No progress, and only the cases that are not as expected")
      .positional(1, std::size_t(-1), "a golden file")
      .note(
          "Exit codes: 0 all as expected, 1 a case failed, 2 bad golden file or command line, 4 a file cannot be read or written.\n"
          "With --update 1 means that a case had no value to record.")
      .example("trnsim check configs/golden/matmul.json");
  return options;
}

std::uint64_t parse_count(const ParsedOptions& options, const std::string& name, std::uint64_t least, std::uint64_t most,
                          std::uint64_t otherwise) {
  if (!options.has(name)) return otherwise;
  return whole_number(options.value(name), "--" + name, least, most);
}

Tolerance tolerance_of(const ParsedOptions& options) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  const auto rel = parse_rel(options.value("rel", "0"));
  if (!rel)
    throw UsageError(fmt::format("--rel \"{}\": want percent such as 2% or a factor such as 0.02, at most 100 %", options.value("rel")));
  return {*rel, parse_count(options, "min-cycles", 0, kMost, 0)};
}

CheckPolicy policy_of(const ParsedOptions& options) {
  const std::string improvements = options.value("improvements", "fail");
  if (improvements != "fail" && improvements != "note") {
    throw UsageError(fmt::format("--improvements \"{}\": want fail or note", improvements));
  }
  return {improvements == "fail"};
}

/// Finds out before anything runs whether the outputs can be written.
void check_outputs(const ParsedOptions& options) {
  check_places({options.value("junit"), options.value("markdown"), options.value("json")}, options.positional);
  for (auto file = options.positional.begin(); file != options.positional.end(); ++file) {
    std::error_code error;
    const auto same = [&](const std::string& other) { return other == *file || std::filesystem::equivalent(other, *file, error); };
    if (std::any_of(options.positional.begin(), file, same)) throw UsageError(*file + ": the same golden file is named twice");
  }
  for (const char* name : {"junit", "markdown", "json"}) {
    if (options.has(name)) check_writable(options.value(name));
  }
  if (options.has("step-summary") && std::getenv("GITHUB_STEP_SUMMARY") == nullptr) {
    throw UsageError("--step-summary: GITHUB_STEP_SUMMARY is not set, which GitHub Actions does");
  }
  if (!options.has("update")) return;
  for (const std::string& file : options.positional) {
    if (file == "-") throw UsageError("--update needs the name of a golden file; stdin cannot be rewritten");
    check_writable(file);
  }
}

/// All files, so that one run tells what is wrong with each of them.
std::deque<GoldenFile> read_all(const Args& paths) {
  std::deque<GoldenFile> files;
  std::vector<std::string> problems;
  for (const std::string& path : paths) {
    try {
      files.push_back(read_golden(path));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(problems);
  return files;
}

std::vector<CheckedCase> chosen(const std::deque<GoldenFile>& files, const ParsedOptions& options) {
  const std::string pattern = options.value("filter", "*");
  const Tolerance general = tolerance_of(options);
  std::vector<CheckedCase> cases;
  for (const GoldenFile& file : files) {
    for (const GoldenCase& golden : file.cases) {
      if (::fnmatch(pattern.c_str(), golden.name.c_str(), 0) != 0) continue;
      CheckedCase& one = cases.emplace_back();
      one.file = &file;
      one.golden = &golden;
      one.tolerance = golden.tolerance(general);
    }
  }
  if (cases.empty()) throw UsageError(fmt::format("--filter '{}' matches no case", pattern));
  return cases;
}

/// Records what can be recorded and says what it did. The number of cases that had nothing to record.
std::size_t update(const std::deque<GoldenFile>& files, const std::vector<CheckedCase>& cases, std::ostream& out, Console& console) {
  std::size_t refused = 0;
  for (const GoldenFile& file : files) {
    std::vector<std::optional<GoldenValues>> values(file.cases.size());
    for (const CheckedCase& one : cases) {
      if (one.file != &file) continue;
      const bool usable = one.has_values() && one.verdict != Verdict::Zero && one.verdict != Verdict::Truncated;
      if (usable) values[static_cast<std::size_t>(one.golden - file.cases.data())] = one.run.values;
      if (!usable) out << fmt::format("{}: {}: not recorded, {}: {}\n", file.path, one.golden->name, name_of(one.verdict), one.reason);
      refused += usable ? 0 : 1;
    }
    const std::string text = updated_golden(file, values);
    if (text != file.text) write_file(file.path, text, console);
    out << fmt::format("{}: {}\n", file.path, text == file.text ? "unchanged" : "updated");
  }
  return refused;
}

void append_summary(const std::string& text) {
  const char* path = std::getenv("GITHUB_STEP_SUMMARY");
  std::ofstream file(path, std::ios::app | std::ios::binary);
  if (!(file << text << std::flush)) throw IoError(fmt::format("{}: cannot write", path));
}

void write_reports(const CheckReport& report, const ParsedOptions& options, std::ostream& out, Console& console) {
  if (options.has("junit")) write_file(options.value("junit"), check_junit(report), console);
  if (options.has("markdown")) write_file(options.value("markdown"), check_markdown(report), console);
  if (options.has("json")) write_file(options.value("json"), check_json(report), console);
  if (options.has("step-summary")) append_summary(check_markdown(report));
  out << check_table(report, options.has("quiet"));
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  if (options.has("github")) out << check_annotations(report, workspace == nullptr ? "" : workspace);
}

}  // namespace

ExitCode golden_command(const Args& args, Console& console) {
  const Options spec = check_options();
  const ParsedOptions options = spec.parse(args);
  if (options.help()) {
    console.out << spec.help();
    return ExitCode::Done;
  }
  CheckReport report;
  report.policy = policy_of(options);
  report.warn_only = options.has("warn-only");
  const auto workers = static_cast<unsigned>(parse_count(options, "jobs", 1, 1024, processor_count()));
  check_outputs(options);
  const std::deque<GoldenFile> files = read_all(options.positional);
  report.cases = chosen(files, options);
  if (options.has("save-results")) prepare_results(options.value("save-results"), report.cases);

  run_cases(report.cases, workers, options.has("quiet"), console);
  for (CheckedCase& one : report.cases) judge(one);
  if (options.has("against")) explain(options.value("against"), report.cases);

  const bool to_stdout = options.value("junit") == "-" || options.value("markdown") == "-" || options.value("json") == "-";
  std::ostream& out = to_stdout ? console.err : console.out;
  write_reports(report, options, out, console);
  if (options.has("save-results")) save_results(options.value("save-results"), report.cases, console);
  const std::size_t failures = options.has("update") ? update(files, report.cases, out, console) : report.failures();
  return failures > 0 && !report.warn_only ? ExitCode::CheckFailed : ExitCode::Done;
}

}  // namespace trnsim::app
