// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/report/sweep_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/json.hpp"
#include "app/sweep/cells.hpp"
#include "app/sweep/store.hpp"
#include "app/sweep/table_view.hpp"
#include "trnsim/error.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {
namespace {

constexpr std::size_t kMostPoints = 50'000;  ///< A browser holds no more in comfort.

std::string unit_of(const std::string& name) {
  for (const ResultColumn& column : result_columns()) {
    if (column.name == name) return column.unit;
  }
  return {};
}

/// Whether a column says something of its point: the axes, how it ended, and what is not the same everywhere.
std::vector<bool> telling_columns(const SweepTable& table, const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  std::vector<bool> telling(columns, false);
  for (std::size_t i = 0; i < columns; ++i) {
    telling[i] = i < table.axes.size() + 2 ||  // point, axes, status
                 std::ranges::any_of(rows, [&](const auto& row) { return row[i] != rows.front()[i]; });
  }
  return telling;
}

/// Axes and then the other columns, as places in a row of the table, which begins with the point's number.
std::vector<std::size_t> order_of(std::size_t axes, const std::vector<bool>& telling) {
  std::vector<std::size_t> order;
  for (std::size_t i = 1; i <= axes; ++i) order.push_back(i);
  order.push_back(0);
  for (std::size_t i = axes + 1; i < telling.size(); ++i) {
    if (telling[i]) order.push_back(i);
  }
  return order;
}

/// Refuses what no page can show before it is read.
SweepInfo checked_info(const std::string& folder) {
  SweepStore store = open_sweep(folder);
  if (const std::size_t points = sum(store.counts()); points > kMostPoints) {
    throw InputError(fmt::format("{}: has {} points; a page shows at most {}: trnsim best and trnsim pareto choose among more", folder,
                                 points, kMostPoints));
  }
  return store.info();
}

Json column_json(const std::string& name) { return {{"name", name}, {"unit", unit_of(name)}}; }

}  // namespace

std::string sweep_part(const std::string& folder, const std::string& name) {
  const SweepInfo info = checked_info(folder);
  const SweepTable table = read_sweep(folder);
  const std::vector<std::string> names = column_names(table);
  std::vector<std::vector<std::string>> rows;
  for (const SweepRow& row : table.rows) rows.push_back(column_values(row));
  const std::vector<bool> telling = telling_columns(table, rows, names.size());
  const std::vector<std::size_t> order = order_of(table.axes.size(), telling);

  Json json{{"name", name}, {"points", info.points}, {"failed", TableView(table).failed()}, {"axes", table.axes}};
  Json &columns = json["columns"] = Json::array(), &same = json["same"] = Json::array(), &list = json["rows"] = Json::array();
  for (std::size_t i = table.axes.size(); i < order.size(); ++i) columns.push_back(column_json(names[order[i]]));
  for (const auto& row : rows) {
    const Json cells = Json::parse(json_line(names, row));
    if (&row == rows.data()) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (telling[i] || row[i].empty()) continue;
        same.push_back(column_json(names[i]));
        same.back()["value"] = cells.at(names[i]);
      }
    }
    Json chosen = Json::array();
    for (const std::size_t i : order) chosen.push_back(cells.at(names[i]));
    list.push_back(std::move(chosen));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace trnsim::app
