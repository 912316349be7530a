// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "app/sweep/analysis.hpp"
#include "app/sweep/groups.hpp"
#include "app/sweep/rank.hpp"
#include "app/sweep/table_view.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {
namespace {

/// Largest over smallest value within groups.
struct Ratios {
  std::size_t groups = 0;
  double log_sum = 0, least = 0, most = 0;

  void add(double ratio) {
    least = groups == 0 ? ratio : std::min(least, ratio);
    most = std::max(most, ratio);
    log_sum += std::log(ratio);
    ++groups;
  }
  [[nodiscard]] double mean() const { return std::exp(log_sum / static_cast<double>(groups)); }
};

/// What is known of one axis.
struct Effect {
  std::string axis;
  std::size_t values = 0;
  Ratios ratios;
  std::optional<double> rank;
  bool idle = false;

  [[nodiscard]] double strength() const { return ratios.groups > 0 ? ratios.mean() : 1 + std::abs(rank.value_or(0)); }
};

/// Columns that repeat what was asked instead of saying what came out.
bool repeats_the_question(std::string_view column) {
  static constexpr std::string_view kAll[] = {"preset", "generation", "config_hash", "overrides",
                                              "cores",  "workload",   "params",      "workload_hash"};
  return std::find(std::begin(kAll), std::end(kAll), column) != std::end(kAll);
}

std::vector<std::size_t> output_columns() {
  std::vector<std::size_t> outputs;
  const std::vector<ResultColumn> columns = result_columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // The idle time of an engine in its own cycles changes with its clock alone.
    if (!repeats_the_question(columns[i].name) && !columns[i].name.ends_with("_idle_cycles")) outputs.push_back(i);
  }
  return outputs;
}

bool same_outputs(const SweepRow& a, const SweepRow& b, const std::vector<std::size_t>& outputs) {
  if (a.status != b.status || a.values.size() != b.values.size()) return false;
  return std::all_of(outputs.begin(), outputs.end(), [&](std::size_t i) { return i >= a.values.size() || a.values[i] == b.values[i]; });
}

bool without_effect(const std::vector<RowGroup>& groups, const SweepTable& table) {
  if (!tell_enough(groups, table)) return false;
  const std::vector<std::size_t> outputs = output_columns();
  return std::all_of(groups.begin(), groups.end(), [&](const RowGroup& group) {
    return std::all_of(group.begin(), group.end(), [&](const SweepRow* row) { return same_outputs(*row, *group.front(), outputs); });
  });
}

Ratios ratios_of(const std::vector<RowGroup>& groups, const TableView& view, std::size_t by) {
  Ratios ratios;
  for (const RowGroup& group : groups) {
    double least = 0, most = 0;
    std::size_t count = 0;
    for (const SweepRow* row : group) {
      const std::optional<double> value = view.number(*row, by);
      if (!view.complete(*row) || !value || !(*value > 0)) continue;
      least = count == 0 ? *value : std::min(least, *value);
      most = std::max(most, *value);
      ++count;
    }
    if (count >= 2) ratios.add(most / least);
  }
  return ratios;
}

std::optional<double> rank_of(const SweepTable& table, std::size_t axis, const TableView& view, std::size_t by) {
  std::vector<std::string> values;
  std::vector<double> objective;
  for (const SweepRow& row : table.rows) {
    const std::optional<double> value = view.number(row, by);
    if (!view.complete(row) || !value) continue;
    values.push_back(row.axes[axis]);
    objective.push_back(*value);
  }
  return rank_relation(values, objective);
}

Effect effect_of(const SweepTable& table, std::size_t axis, const TableView& view, std::size_t by) {
  Effect effect;
  effect.axis = table.axes[axis];
  std::set<std::string_view> values;
  for (const SweepRow& row : table.rows) values.insert(row.axes[axis]);
  effect.values = values.size();
  const std::vector<RowGroup> groups = groups_along(table, axis);
  effect.idle = without_effect(groups, table);
  if (tell_enough(groups, table)) effect.ratios = ratios_of(groups, view, by);
  if (effect.ratios.groups == 0) effect.rank = rank_of(table, axis, view, by);
  return effect;
}

std::vector<std::string> row_of(const Effect& effect) {
  const auto figure = [](double value) { return fmt::format("{:.4f}", value); };
  std::vector<std::string> row{effect.axis, std::to_string(effect.values)};
  if (effect.ratios.groups > 0) {
    row.insert(row.end(), {std::to_string(effect.ratios.groups), figure(effect.ratios.mean()), figure(effect.ratios.least),
                           figure(effect.ratios.most), ""});
  } else {
    row.insert(row.end(), {"", "", "", "", effect.rank ? figure(*effect.rank) : ""});
  }
  row.emplace_back(effect.idle ? "no" : "");
  return row;
}

void add_notes(SweepAnalysis& analysis, const std::vector<Effect>& effects, const std::string& by) {
  const auto any = [&effects](auto has) { return std::any_of(effects.begin(), effects.end(), has); };
  if (any([](const Effect& e) { return e.ratios.groups > 0; })) {
    analysis.notes.push_back(fmt::format(
        "Ratios: largest over smallest {} between points that differ in this axis alone; geometric mean, smallest and largest of all "
        "groups of such points. 1 is no effect.",
        by));
  }
  if (any([](const Effect& e) { return e.rank.has_value(); })) {
    analysis.notes.push_back(fmt::format(
        "rank_correlation: few points differ in one axis alone, so ranks are compared (Spearman): 1 when {} always grows with the axis, -1 "
        "when it always falls, 0 without a trend; for texts the correlation ratio of the ranks, 0 to 1.",
        by));
  }
  for (const Effect& effect : effects) {
    if (effect.idle) {
      analysis.notes.push_back(fmt::format(
          "no output depends on {}: points that differ in it alone have equal times, traffic and energy. Either the work never reaches "
          "this resource, or something else limits it over the whole range.",
          effect.axis));
    }
  }
}

}  // namespace

std::vector<std::string> axes_without_effect(const SweepTable& table) {
  std::vector<std::string> idle;
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    if (without_effect(groups_along(table, i), table)) idle.push_back(table.axes[i]);
  }
  return idle;
}

SweepAnalysis axis_effects(const SweepTable& table, const std::string& by) {
  const TableView view(table);
  const std::size_t column = view.number_column(by);
  std::vector<Effect> effects;
  for (std::size_t i = 0; i < table.axes.size(); ++i) effects.push_back(effect_of(table, i, view, column));
  std::stable_sort(effects.begin(), effects.end(), [](const Effect& a, const Effect& b) { return a.strength() > b.strength(); });

  SweepAnalysis analysis;
  analysis.kind = "sensitivity";
  analysis.facts = {{"by", by}, {"points", std::to_string(table.rows.size())}, {"failed", std::to_string(view.failed())}};
  analysis.columns = {"axis", "values", "groups", "mean_ratio", "min_ratio", "max_ratio", "rank_correlation", "any_output"};
  for (const Effect& effect : effects) analysis.rows.push_back(row_of(effect));
  add_notes(analysis, effects, by);
  return analysis;
}

}  // namespace trnsim::app
