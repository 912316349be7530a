// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "app/compare/write.hpp"
#include "app/json.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {
namespace {

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

const char* status(const CompareColumn& column) { return column.ran() ? "ran" : column.end == JobEnd::Refused ? "refused" : "failed"; }

/// Counts are whole numbers.
Json figure(const CompareFigure& figure, const std::optional<double>& value) {
  if (figure.name == "cycles" && value) return static_cast<std::uint64_t>(*value);
  return optional(value);
}

Json column_json(const CompareColumn& column) {
  Json json = {{"label", column.label},
               {"chip", column.chip.name},
               {"generation", column.chip.generation},
               {"projected", column.chip.projected},
               {"carried_over", column.chip.carried_over},
               {"config_hash", text_or_null(column.config_hash)},
               {"workload", column.workload},
               {"cores", column.request.cores},
               {"command", command_line(column.request)},
               {"status", status(column)},
               {"reason", text_or_null(column.reason)},
               {"warnings", column.warnings}};
  const auto& figures = compare_figures();
  for (std::size_t i = 0; i < figures.size(); ++i) json["figures"][std::string(figures[i].name)] = figure(figures[i], column.figures[i]);
  json["bottleneck"] = text_or_null(column.bottleneck);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!figures[i].ratio.empty()) json["ratios"][std::string(figures[i].ratio)] = optional(column.ratios[i]);
  }
  return json;
}

Json group_json(const SplitGroup& group) {
  Json causes = Json::array();
  for (const Cause cause : kCauses) {
    if ((group.causes & bit_of(cause)) != 0) causes.push_back(name_of(cause));
  }
  return {{"causes", causes},
          {"keys", group.keys},
          {"alone", optional(group.alone)},
          {"alone_reason", text_or_null(group.alone_reason)},
          {"last", optional(group.last)},
          {"last_reason", text_or_null(group.last_reason)},
          {"in_order", group.in_order},
          {"running_product", group.running},
          {"average", optional(group.average)},
          {"smallest", optional(group.smallest)},
          {"largest", optional(group.largest)}};
}

Json split_json(const Split& split) {
  Json groups = Json::array();
  for (const SplitGroup& group : split.groups) groups.push_back(group_json(group));
  return {{"from", split.from},
          {"to", split.to},
          {"speed_up", split.speed_up},
          {"orders", split.orders == SplitOrders::All ? "all" : "stated"},
          {"mixes_simulated", split.simulations},
          {"groups", groups},
          {"remarks", split.remarks}};
}

}  // namespace

std::string compare_json(const Comparison& comparison, const std::vector<Split>& splits) {
  Json json = {{std::string(kComparisonFormat.key), "1.0"},
               {"tool", {{"name", "trnsim"}, {"version", tool_version()}, {"commit", tool_commit()}}},
               {"model", "timing"},
               {"baseline", comparison.baseline ? Json(comparison.columns[*comparison.baseline].label) : Json(nullptr)},
               {"notes", compare_notes(comparison)},
               {"columns", Json::array()},
               {"splits", Json::array()}};
  for (const CompareColumn& column : comparison.columns) json["columns"].push_back(column_json(column));
  for (const Split& split : splits) json["splits"].push_back(split_json(split));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string compare_csv(const Comparison& comparison) {
  std::string text = "label,chip,projected,workload,cores,status,reason";
  for (const CompareFigure& figure : compare_figures()) text += fmt::format(",{}", figure.name);
  text += ",bottleneck";
  for (const CompareFigure& figure : compare_figures()) text += figure.ratio.empty() ? "" : fmt::format(",ratio_{}", figure.ratio);
  text += '\n';
  for (const CompareColumn& c : comparison.columns) {
    text += fmt::format("{},{},{},{},{},{},{}", csv_field(c.label), csv_field(c.chip.name), c.chip.projected, csv_field(c.workload),
                        c.request.cores, status(c), csv_field(c.reason));
    const auto number = [&text](const std::optional<double>& value) { text += value ? fmt::format(",{}", *value) : ","; };
    for (std::size_t i = 0; i < c.figures.size(); ++i) {
      if (compare_figures()[i].name == "cycles" && c.figures[i]) text += fmt::format(",{:.0f}", *c.figures[i]);
      else number(c.figures[i]);
    }
    text += "," + csv_field(c.bottleneck);
    for (std::size_t i = 0; i < c.ratios.size(); ++i) {
      if (!compare_figures()[i].ratio.empty()) number(c.ratios[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace trnsim::app
