// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/compare/write.hpp"
#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

constexpr const char* kNothing = "-";

std::string factor_text(double value) { return fmt::format("{:.3f}x", value); }
std::string factor_text(const std::optional<double>& value, const std::string& reason = {}) {
  return value ? factor_text(*value) : reason.empty() ? kNothing : "refused";
}

/// The row unless it is empty.
void keep(std::vector<CompareRow>& rows, std::string label, std::vector<std::string> cells) {
  if (std::all_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell == kNothing; })) return;
  rows.push_back({std::move(label), std::move(cells)});
}

bool clocks_differ(const Comparison& comparison) {
  double first = 0;
  for (const CompareColumn& column : comparison.columns) {
    if (!column.ran()) continue;
    if (first != 0 && column.chip.tensor.clock_ghz != first) return true;
    first = column.chip.tensor.clock_ghz;
  }
  return false;
}

}  // namespace

std::vector<CompareRow> figure_rows(const Comparison& comparison) {
  std::vector<CompareRow> rows;
  const auto row = [&](std::string label, const auto& cell) {
    std::vector<std::string> cells;
    for (const CompareColumn& column : comparison.columns) cells.push_back(cell(column));
    keep(rows, std::move(label), std::move(cells));
  };
  const bool all_ran = std::all_of(comparison.columns.begin(), comparison.columns.end(), [](const CompareColumn& c) { return c.ran(); });
  const bool projected = std::any_of(comparison.columns.begin(), comparison.columns.end(), [](const auto& c) { return c.chip.projected; });
  if (projected) row("", [](const CompareColumn& c) { return std::string(c.chip.projected ? "PROJECTED" : ""); });
  if (!all_ran)
    row("outcome", [](const CompareColumn& c) { return std::string(c.ran() ? "ran" : c.end == JobEnd::Refused ? "refused" : "failed"); });
  const auto first = comparison.columns.front().request.cores;
  if (std::any_of(comparison.columns.begin(), comparison.columns.end(), [first](const auto& c) { return c.request.cores != first; }))
    row("cores used", [](const CompareColumn& c) { return fmt::format("{} of {}", c.request.cores, c.chip.chip.cores); });
  for (std::size_t i = 0; i < compare_figures().size(); ++i) {
    const CompareFigure& figure = compare_figures()[i];
    row(std::string(figure.label), [&](const CompareColumn& c) { return c.figures[i] ? figure.text(*c.figures[i]) : kNothing; });
  }
  row("bottleneck", [](const CompareColumn& c) { return c.bottleneck.empty() ? kNothing : c.bottleneck; });
  return rows;
}

std::vector<CompareRow> ratio_rows(const Comparison& comparison) {
  std::vector<CompareRow> rows;
  for (std::size_t i = 0; i < compare_figures().size(); ++i) {
    std::vector<std::string> cells;
    for (const CompareColumn& column : comparison.columns) cells.push_back(factor_text(column.ratios[i]));
    keep(rows, std::string(compare_figures()[i].ratio_label), std::move(cells));
  }
  return rows;
}

std::vector<std::string> compare_notes(const Comparison& comparison) {
  std::vector<std::string> notes;
  const auto add = [&notes](std::string note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  };
  for (const CompareColumn& c : comparison.columns) {
    if (!c.ran()) add(fmt::format("{} {}: {}", c.label, c.end == JobEnd::Refused ? "refused" : "failed", c.reason));
  }
  if (comparison.baseline.value_or(0) != 0)
    add(fmt::format("ratios are to {}, the first that ran", comparison.columns[*comparison.baseline].label));
  if (clocks_differ(comparison)) add("cycles are those of each chip's own Tensor clock; where clocks differ, compare times, not cycles");
  for (const CompareColumn& c : comparison.columns) {
    for (const std::string& warning : c.warnings) add(fmt::format("{}: warning: {}", c.label, warning));
  }
  for (const CompareColumn& c : comparison.columns) {
    if (c.chip.projected && !c.chip.carried_over.starts_with("PROJECTED"))
      add(fmt::format("PROJECTED: numbers of {} are projections from announcements", c.chip.name));
    if (!c.chip.carried_over.empty()) add(fmt::format("{}: {}", c.chip.name, c.chip.carried_over));
  }
  return notes;
}

std::string split_title(const Split& split) {
  return fmt::format("Speed-up from {} to {} by cause: {}", split.from, split.to, factor_text(split.speed_up));
}

std::vector<std::vector<std::string>> split_rows(const Split& split, bool wide) {
  const bool all = split.orders == SplitOrders::All;
  const auto shown = [wide, all](std::vector<std::string> row) {
    // cause, keys, alone, last, in order, product, average, least, most
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i >= 6 ? all && (i == 6 || wide) : i != 1 || wide) cells.push_back(std::move(row[i]));
    }
    return cells;
  };
  std::vector<std::vector<std::string>> rows{shown({"cause", "keys", "alone", "last", "in order", "product", "average", "least", "most"})};
  double average = 1;
  for (const SplitGroup& g : split.groups) {
    average *= g.average.value_or(1);
    rows.push_back(
        shown({names_of(g.causes), std::to_string(g.keys.size()), factor_text(g.alone, g.alone_reason), factor_text(g.last, g.last_reason),
               factor_text(g.in_order), factor_text(g.running), factor_text(g.average), factor_text(g.smallest), factor_text(g.largest)}));
  }
  rows.push_back(shown({"all", "", "", "", factor_text(split.speed_up), "", factor_text(average), "", ""}));
  return rows;
}

std::vector<std::string> split_notes(const Split& split) {
  std::vector<std::string> notes;
  if (split.groups.empty()) return {"the two differ in no key that takes time"};
  notes.push_back(
      fmt::format("alone: {0} with these keys of {1}; last: {1} against {1} with these keys of {0}; in order: one after the other "
                  "from the top, product is what they have brought so far",
                  split.from, split.to));
  if (split.orders == SplitOrders::All) {
    notes.push_back(
        fmt::format("average: geometric mean over all orders, from {} mixes of the two; least and most: the smallest and largest "
                    "factor in any order",
                    split.simulations));
  } else {
    notes.push_back(fmt::format("{} mixes of the two were simulated; an average over all orders takes --orders all", split.simulations));
  }
  for (const SplitGroup& g : split.groups) {
    if (!g.alone_reason.empty()) notes.push_back(fmt::format("{} alone refused: {}", names_of(g.causes), g.alone_reason));
    if (!g.last_reason.empty()) notes.push_back(fmt::format("{} last refused: {}", names_of(g.causes), g.last_reason));
  }
  notes.insert(notes.end(), split.remarks.begin(), split.remarks.end());
  return notes;
}

}  // namespace trnsim::app
