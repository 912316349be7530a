// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/check_report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app/check/escape.hpp"
#include "app/check/text_table.hpp"
#include "app/json.hpp"
#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

/// Consecutive cases of one file.
template <typename Visit>
void for_each_file(const CheckReport& report, const Visit& visit) {
  for (std::size_t begin = 0; begin < report.cases.size();) {
    std::size_t end = begin;
    while (end < report.cases.size() && report.cases[end].file == report.cases[begin].file) ++end;
    visit(report.cases[begin].file->path, begin, end);
    begin = end;
  }
}

/// Name, expected, got, time of that, change, verdict.
std::vector<std::string> cells(const CheckReport& report, const CheckedCase& one) {
  const auto& expected = one.golden->cycles;
  const bool both = expected && one.has_values();
  std::string verdict(name_of(one.verdict));
  if (one.verdict != Verdict::Ok && !report.failed(one)) verdict += " (note)";
  return {one.golden->name,
          expected ? std::to_string(*expected) : "-",
          one.has_values() ? std::to_string(one.run.values.cycles) : "-",
          one.has_values() ? time_text(one.run.values.time_ns) : "-",
          both ? percent_change(static_cast<double>(*expected), static_cast<double>(one.run.values.cycles)) : "-",
          verdict};
}

std::string total(const CheckReport& report) {
  const std::size_t failures = report.failures(), notes = report.notes();
  std::string text =
      fmt::format("{} {}: {} ok", report.cases.size(), report.cases.size() == 1 ? "case" : "cases", report.cases.size() - failures - notes);
  if (notes > 0) text += fmt::format(", {} improved", notes);
  text += fmt::format(", {} failed", failures);
  if (failures > 0 && report.warn_only) text += " (only told: --warn-only)";
  return text;
}

/// As the repository names it.
std::string relative_name(const std::string& path, const std::string& workspace) {
  namespace fs = std::filesystem;
  if (workspace.empty()) return path;
  const std::string relative =
      fs::absolute(path).lexically_normal().lexically_relative(fs::path(workspace).lexically_normal()).generic_string();
  return relative.empty() || relative.starts_with("..") ? path : relative;
}

}  // namespace

std::string check_table(const CheckReport& report, bool only_unexpected) {
  std::string text;
  for_each_file(report, [&](const std::string& path, std::size_t begin, std::size_t end) {
    std::vector<std::vector<std::string>> rows{{"case", "expected", "got", "time", "change", "verdict"}};
    std::string reasons;
    for (std::size_t i = begin; i < end; ++i) {
      const CheckedCase& one = report.cases[i];
      if (!only_unexpected || one.verdict != Verdict::Ok) rows.push_back(cells(report, one));
      if (!one.reason.empty()) reasons += fmt::format("  {}: {}\n", one.golden->name, one.reason);
      for (const std::string& line : one.explanation) reasons += fmt::format("    {}\n", line);
    }
    if (rows.size() > 1) text += path + "\n" + text_table(rows, {true, false, false, false, false, true}) + reasons;
  });
  return text + total(report) + "\n";
}

std::string check_markdown(const CheckReport& report) {
  std::string text = fmt::format("### Simulated cycles: {}\n", total(report));
  for_each_file(report, [&](const std::string& path, std::size_t begin, std::size_t end) {
    text +=
        fmt::format("\n{}\n\n| case | expected | got | time | change | verdict |\n|---|---:|---:|---:|---:|---|\n", markdown_cell(path));
    std::string reasons;
    for (std::size_t i = begin; i < end; ++i) {
      const CheckedCase& one = report.cases[i];
      text += "|";
      for (const std::string& cell : cells(report, one)) text += " " + markdown_cell(cell) + " |";
      text += "\n";
      if (!one.reason.empty()) reasons += fmt::format("- {}: {}\n", markdown_cell(one.golden->name), markdown_cell(one.reason));
      for (const std::string& line : one.explanation) reasons += fmt::format("  - {}\n", markdown_cell(line));
    }
    if (!reasons.empty()) text += "\n" + reasons;
  });
  return text;
}

std::string check_annotations(const CheckReport& report, const std::string& workspace) {
  std::string text;
  for (const CheckedCase& one : report.cases) {
    if (one.verdict == Verdict::Ok) continue;
    std::string message = one.golden->name + ": " + one.reason;
    for (const std::string& line : one.explanation) message += "\n" + line;
    text += fmt::format("::{} file={},line={},title={}::{}\n",
                        !report.failed(one) ? "notice"
                        : report.warn_only  ? "warning"
                                            : "error",
                        github_property(relative_name(one.file->path, workspace)), one.golden->line,
                        github_property(fmt::format("trnsim check: {}", name_of(one.verdict))), github_message(message));
  }
  return text;
}

std::string check_json(const CheckReport& report) {
  Json json;
  json[std::string(kCheckReportFormat.key)] = fmt::format("{}.{}", kCheckReportFormat.major, kCheckReportFormat.minor);
  json["tool"] = {{"name", "trnsim"}, {"version", tool_version()}, {"commit", tool_commit()}};
  json["passed"] = report.failures() == 0;
  json["totals"] = {{"cases", report.cases.size()}, {"failed", report.failures()}, {"noted", report.notes()}};
  json["cases"] = Json::array();
  for (const CheckedCase& one : report.cases) {
    Json entry{{"file", one.file->path}, {"line", one.golden->line}, {"name", one.golden->name}};
    entry["verdict"] = name_of(one.verdict);
    entry["failed"] = report.failed(one);
    entry["expected_cycles"] = one.golden->cycles ? Json(*one.golden->cycles) : Json();
    entry["cycles"] = one.has_values() ? Json(one.run.values.cycles) : Json();
    entry["time_ns"] = one.has_values() ? Json(one.run.values.time_ns) : Json();
    entry["clock_ghz"] = one.has_values() ? Json(one.run.values.clock_ghz) : Json();
    entry["energy_pj"] = one.has_values() ? Json(one.run.values.energy_pj) : Json();
    entry["dma_bytes"] = one.has_values() ? Json(one.run.values.dma_bytes) : Json();
    entry["reason"] = one.reason;
    entry["explanation"] = one.explanation;
    json["cases"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string check_junit(const CheckReport& report) {
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"trnsim check\" tests=\"{}\" failures=\"{}\">\n",
                  report.cases.size(), report.warn_only ? 0 : report.failures());
  for_each_file(report, [&](const std::string& path, std::size_t begin, std::size_t end) {
    std::string cases;
    std::size_t failures = 0;
    const std::string suite = xml_escape(path);
    for (std::size_t i = begin; i < end; ++i) {
      const CheckedCase& one = report.cases[i];
      cases += fmt::format("    <testcase name=\"{}\" classname=\"{}\"", xml_escape(one.golden->name), suite);
      if (one.reason.empty()) {
        cases += "/>\n";
        continue;
      }
      std::string body = one.reason;
      for (const std::string& line : one.explanation) body += "\n" + line;
      const bool failed = report.failed(one) && !report.warn_only;
      if (failed) ++failures;
      cases += failed ? fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n", name_of(one.verdict),
                                    xml_escape(one.reason), xml_escape(body))
                      : fmt::format(">\n      <system-out>{}: {}</system-out>\n    </testcase>\n", name_of(one.verdict), xml_escape(body));
    }
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n{}  </testsuite>\n", suite,
                        end - begin, failures, cases);
  });
  return text + "</testsuites>\n";
}

}  // namespace trnsim::app
