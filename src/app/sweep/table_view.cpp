// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/table_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/sweep/cells.hpp"
#include "app/sweep/filter.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"

namespace trnsim::app {

std::optional<double> number_of(const std::string& text) {
  const FilterValue value = filter_value(text);
  const double* number = std::get_if<double>(&value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

TableView::TableView(const SweepTable& table) : table_(table), names_(column_names(table)), truncated_(column("truncated")) {}

std::size_t TableView::column(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) throw InputError(fmt::format("no column '{}'{}", name, nearest_hint(name, {names_.begin(), names_.end()})));
  return static_cast<std::size_t>(found - names_.begin());
}

const std::string& TableView::text(const SweepRow& row, std::size_t column) const {
  static const std::string kNames[] = {"done", "refused", "crashed", "timed_out", "out_of_memory"};
  static const std::string kNone;
  const std::size_t axes = table_.axes.size();
  if (column >= 1 && column <= axes) return row.axes[column - 1];
  if (column == axes + 1) return kNames[static_cast<std::size_t>(row.status)];
  if (column == axes + 2) return row.error;
  return column > axes + 2 && column - axes - 3 < row.values.size() ? row.values[column - axes - 3] : kNone;
}

std::optional<double> TableView::number(const SweepRow& row, std::size_t column) const {
  if (column == 0) return static_cast<double>(row.point);
  return number_of(text(row, column));
}

std::size_t TableView::number_column(const std::string& name) const {
  const std::size_t found = column(name);
  if (is_text_column(name)) throw InputError(fmt::format("column '{}' holds texts; want numbers", name));
  const bool any = std::any_of(table_.rows.begin(), table_.rows.end(), [&](const SweepRow& row) { return number(row, found).has_value(); });
  const bool texts =
      std::any_of(table_.rows.begin(), table_.rows.end(), [&](const SweepRow& row) { return found > 0 && !text(row, found).empty(); });
  if (texts && !any) throw InputError(fmt::format("column '{}' holds texts; want numbers", name));
  return found;
}

bool TableView::complete(const SweepRow& row) const { return row.status == PointStatus::Done && text(row, truncated_).empty(); }

std::size_t TableView::failed() const {
  return static_cast<std::size_t>(
      std::count_if(table_.rows.begin(), table_.rows.end(), [&](const SweepRow& row) { return !complete(row); }));
}

}  // namespace trnsim::app
