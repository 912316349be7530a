// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/report_tables.hpp"
#include "trnsim/text.hpp"
#include "trnsim/validate.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Json group(const ValidationGroup& g) {
  return {{"name", g.name},
          {"n", g.n},
          {"mean_abs_error", optional(g.mean_abs_error)},
          {"within_20_percent", optional(g.near)},
          {"worst", optional(g.worst)},
          {"bias", optional(g.bias)},
          {"tau", optional(g.tau)}};
}

Json ladder(const ValidationLadder& l) {
  Json swapped = Json::array();
  for (const auto& [a, b] : l.swapped) swapped.push_back({a, b});
  return {{"name", l.name}, {"steps", l.steps}, {"pairs", l.pairs}, {"swapped", swapped}};
}

std::string swapped_text(const ValidationLadder& l) {
  std::string text;
  for (const auto& [a, b] : l.swapped) text += fmt::format("{}{} and {}", text.empty() ? "" : ", ", a, b);
  return text;
}

/// What stands for the measured program, in one line.
std::string run_text(const ValidationPoint& p) {
  if (!p.trace.empty()) return fmt::format("trace {}", file_name(p.trace));
  if (p.nki) return fmt::format("{} {}", file_name(p.nki->kernel), fmt::join(p.nki->args, " "));
  if (p.probe) return fmt::format("{} [{}, {}]", info(p.probe->op).name, p.probe->partitions, p.probe->columns);
  std::string text = p.kernel;
  for (const auto& [key, value] : p.params) text += fmt::format(" {}={}", key, value);
  return p.cores == 1 ? text : fmt::format("{} on {} cores", text, p.cores);
}

Json record(const ValidationRecord& r) {
  Json json = {{"id", r.point.id},
               {"group", r.point.group},
               {"chip", r.point.chip},
               {"run", run_text(r.point)},
               {"metric", name_of(r.point.metric)},
               {"simulated", optional(r.simulated)},
               {"measured", r.point.measured},
               {"unit", r.point.unit},
               {"error", optional(r.error)},
               {"quality", std::string(1, r.point.quality)},
               {"follows", r.point.follows == Follows::Unsaid ? Json(nullptr) : Json(name_of(r.point.follows))},
               {"assumed_parameters", r.assumed},
               {"includes_launch", r.point.includes_launch},
               {"source", r.point.source},
               {"note", r.point.note}};
  if (!r.failure.empty()) json["failure"] = r.failure;
  return json;
}

std::string signed_percent(const std::optional<double>& value) { return value ? fmt::format("{:+.1f} %", 100 * *value) : "-"; }
std::string plain_percent(const std::optional<double>& value) { return value ? percent(*value) : "-"; }

std::string record_line(const ValidationRecord& r, std::size_t name_width, const Paint& paint) {
  if (!r.failure.empty()) {
    std::string first_line = r.failure.substr(0, r.failure.find('\n'));
    return pad_right(r.point.id, name_width) + paint.warn + "failed: " + first_line + paint.off;
  }
  const bool far = r.error && std::abs(*r.error) > 0.25;
  return pad_right(r.point.id, name_width) + pad_left(number_text(*r.simulated), 10) + pad_left(number_text(r.point.measured), 10) + ' ' +
         pad_right(r.point.unit, 8) + (far ? paint.warn : "") + pad_left(signed_percent(r.error), 10) + (far ? paint.off : "") + "  " +
         r.point.quality;
}

std::string group_line(const ValidationGroup& g, std::size_t name_width) {
  return pad_right(g.name, name_width) + pad_left(std::to_string(g.n), 4) + pad_left(plain_percent(g.mean_abs_error), 11) +
         pad_left(plain_percent(g.near), 9) + pad_left(signed_percent(g.bias), 10) + pad_left(signed_percent(g.worst), 11) +
         pad_left(g.tau ? fmt::format("{:.2f}", *g.tau) : "-", 7);
}

}  // namespace

std::string to_json(const ValidationReport& report) {
  Json json = {{"trnsim_validation_report", "1.0"}, {"records", Json::array()}, {"groups", Json::array()}, {"chips", Json::array()},
               {"ladders", Json::array()},          {"not_run", Json::array()}};
  for (const ValidationRecord& r : report.records) json["records"].push_back(record(r));
  for (const ValidationGroup& g : report.groups) json["groups"].push_back(group(g));
  for (const ValidationGroup& g : report.chips) json["chips"].push_back(group(g));
  for (const ValidationLadder& l : report.ladders) json["ladders"].push_back(ladder(l));
  for (const SkippedMeasurement& s : report.not_run) json["not_run"].push_back({{"id", s.id}, {"reason", s.reason}, {"source", s.source}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string validation_table(const ValidationReport& report, const ReportStyle& style) {
  const Paint paint = paint_of(style);
  std::size_t name_width = 8;
  for (const ValidationRecord& r : report.records) name_width = std::max(name_width, text_width(r.point.id) + 2);
  for (const ValidationGroup& g : report.groups) name_width = std::max(name_width, text_width(g.name) + 2);
  for (const ValidationLadder& l : report.ladders) name_width = std::max(name_width, text_width(l.name) + 2);
  std::string page = paint.bold + pad_right("Point", name_width) + " simulated  measured unit          error  quality" + paint.off + '\n';
  for (const ValidationRecord& r : report.records) page += record_line(r, name_width, paint) + '\n';
  page += '\n' + paint.bold + pad_right("Group", name_width) + "   n mean |err| in 20 %      bias      worst    tau" + paint.off + '\n';
  for (const ValidationGroup& g : report.groups) page += group_line(g, name_width) + '\n';
  for (const ValidationGroup& g : report.chips) page += group_line(g, name_width) + '\n';
  if (!report.ladders.empty()) page += '\n' + paint.bold + pad_right("Ladder", name_width) + "steps  pairs  in order" + paint.off + '\n';
  for (const ValidationLadder& l : report.ladders) {
    page += pad_right(l.name, name_width) + pad_left(std::to_string(l.steps), 5) + pad_left(std::to_string(l.pairs), 7) + "  " +
            (l.swapped.empty() ? "all" : paint.warn + "not " + swapped_text(l) + paint.off) + '\n';
  }
  if (!report.not_run.empty()) page += fmt::format("\n{} more measurements are listed without a run\n", report.not_run.size());
  return style.utf8 ? page : to_ascii(page);
}

std::string validation_markdown(const ValidationReport& report) {
  std::string page = "| Group | Records | Mean error | Within 20 % | Bias | Worst | Kendall tau |\n|---|---|---|---|---|---|---|\n";
  for (const std::vector<ValidationGroup>* groups : {&report.groups, &report.chips}) {
    for (const ValidationGroup& g : *groups)
      page += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", g.name, g.n, plain_percent(g.mean_abs_error), plain_percent(g.near),
                          signed_percent(g.bias), signed_percent(g.worst), g.tau ? fmt::format("{:.2f}", *g.tau) : "-");
  }
  if (!report.ladders.empty()) page += "\n| Ladder | Steps | Pairs | In order |\n|---|---|---|---|\n";
  for (const ValidationLadder& l : report.ladders) {
    page += fmt::format("| {} | {} | {} | {} |\n", l.name, l.steps, l.pairs,
                        l.swapped.empty() ? "all" : fmt::format("not {}", swapped_text(l)));
  }
  page +=
      "\n| Record | Chip | What was run | Follows | Simulated | Measured | Unit | Error | Quality | Assumed inputs | Note |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const ValidationRecord& r : report.records) {
    page += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", r.point.id, r.point.chip, run_text(r.point),
                        name_of(r.point.follows), r.simulated ? number_text(*r.simulated) : "failed", number_text(r.point.measured),
                        r.point.unit, signed_percent(r.error), r.point.quality, r.assumed, r.point.note);
  }
  if (report.not_run.empty()) return page;
  page += "\n| Not run | Why |\n|---|---|\n";
  for (const SkippedMeasurement& s : report.not_run) page += fmt::format("| {} | {} |\n", s.id, s.reason);
  return page;
}

}  // namespace trnsim
