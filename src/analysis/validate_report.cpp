// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

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

Json record(const ValidationRecord& r) {
  Json json = {{"id", r.point.id},
               {"group", r.point.group},
               {"chip", r.point.chip},
               {"metric", name_of(r.point.metric)},
               {"simulated", optional(r.simulated)},
               {"measured", r.point.measured},
               {"unit", r.point.unit},
               {"error", optional(r.error)},
               {"quality", std::string(1, r.point.quality)},
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
         pad_left(signed_percent(g.bias), 10) + pad_left(signed_percent(g.worst), 11) +
         pad_left(g.tau ? fmt::format("{:.2f}", *g.tau) : "-", 7);
}

}  // namespace

std::string to_json(const ValidationReport& report) {
  Json json = {{"trnsim_validation_report", "1.0"}, {"records", Json::array()}, {"groups", Json::array()}};
  for (const ValidationRecord& r : report.records) json["records"].push_back(record(r));
  for (const ValidationGroup& g : report.groups) {
    json["groups"].push_back({{"name", g.name},
                              {"n", g.n},
                              {"mean_abs_error", optional(g.mean_abs_error)},
                              {"worst", optional(g.worst)},
                              {"bias", optional(g.bias)},
                              {"tau", optional(g.tau)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string validation_table(const ValidationReport& report, const ReportStyle& style) {
  const Paint paint = paint_of(style);
  std::size_t name_width = 8;
  for (const ValidationRecord& r : report.records) name_width = std::max(name_width, text_width(r.point.id) + 2);
  for (const ValidationGroup& g : report.groups) name_width = std::max(name_width, text_width(g.name) + 2);
  std::string page = paint.bold + pad_right("Point", name_width) + " simulated  measured unit          error  quality" + paint.off + '\n';
  for (const ValidationRecord& r : report.records) page += record_line(r, name_width, paint) + '\n';
  page += '\n' + paint.bold + pad_right("Group", name_width) + "   n mean |err|      bias      worst    tau" + paint.off + '\n';
  for (const ValidationGroup& g : report.groups) page += group_line(g, name_width) + '\n';
  return style.utf8 ? page : to_ascii(page);
}

}  // namespace trnsim
