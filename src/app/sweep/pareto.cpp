// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <limits>

#include "app/sweep/analysis.hpp"
#include "app/sweep/cells.hpp"
#include "app/sweep/table_view.hpp"

namespace trnsim::app {
namespace {

/// A point with both columns turned so that less is better.
struct Candidate {
  const SweepRow* row;
  double x, y;
};

/// Keeps what nothing beats. By x and then y, a point is beaten when an earlier one with smaller x has no
/// larger y, or one with the same x has a smaller y.
std::vector<Candidate> front_of(std::vector<Candidate> all) {
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    if (a.x != b.x) return a.x < b.x;
    return a.y != b.y ? a.y < b.y : a.row->point < b.row->point;
  });
  std::vector<Candidate> front;
  for (const Candidate& candidate : all) {
    const bool equal = !front.empty() && front.back().x == candidate.x && front.back().y == candidate.y;
    if (front.empty() || equal || candidate.y < front.back().y) front.push_back(candidate);
  }
  return front;
}

}  // namespace

SweepAnalysis pareto_points(const SweepTable& table, const ParetoQuery& query) {
  const TableView view(table);
  const std::size_t x = view.number_column(query.x), y = view.number_column(query.y);
  std::size_t valueless = 0;
  std::vector<Candidate> all;
  for (const SweepRow& row : table.rows) {
    if (!view.complete(row)) continue;
    const auto at_x = view.number(row, x), at_y = view.number(row, y);
    if (at_x && at_y) {
      all.push_back({&row, query.largest_x ? -*at_x : *at_x, query.largest_y ? -*at_y : *at_y});
    } else {
      ++valueless;
    }
  }
  const std::size_t compared = all.size();
  const std::vector<Candidate> front = front_of(std::move(all));

  SweepAnalysis analysis;
  analysis.kind = "pareto";
  const std::vector<std::string> names = column_names(table);
  analysis.columns.assign(names.begin(), names.begin() + 1 + static_cast<std::ptrdiff_t>(table.axes.size()));
  std::vector<std::size_t> places;
  for (const std::string& name : {query.x, query.y}) {
    if (std::find(analysis.columns.begin(), analysis.columns.end(), name) == analysis.columns.end()) analysis.columns.push_back(name);
  }
  for (const std::string& name : analysis.columns) places.push_back(view.column(name));
  for (const Candidate& candidate : front) analysis.rows.push_back(picked(column_values(*candidate.row), places));
  analysis.facts = {{"x", query.x},
                    {"x_better", query.largest_x ? "larger" : "smaller"},
                    {"y", query.y},
                    {"y_better", query.largest_y ? "larger" : "smaller"},
                    {"points", std::to_string(table.rows.size())},
                    {"failed", std::to_string(view.failed())},
                    {"without_value", std::to_string(valueless)},
                    {"beaten", std::to_string(compared - front.size())}};
  if (front.empty()) analysis.notes.emplace_back("No point is left.");
  return analysis;
}

}  // namespace trnsim::app
