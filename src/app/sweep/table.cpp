// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>

#include "app/json.hpp"
#include "app/sweep/cells.hpp"
#include "app/sweep/database.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {
namespace {

constexpr std::string_view kFixed[] = {"point", "status", "error"};
constexpr std::string_view kStatusNames[] = {"done", "refused", "crashed", "timed_out", "out_of_memory"};
constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;  // readers that hold numbers as doubles lose digits above

/// Names that no axis may take: SQL does not tell capitals from small letters.
bool taken(const std::string& axis) {
  const auto same = [&axis](std::string_view name) {
    return std::equal(name.begin(), name.end(), axis.begin(), axis.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  if (std::any_of(std::begin(kFixed), std::end(kFixed), same) || same("identity")) return true;
  const std::vector<ResultColumn> columns = result_columns();
  return std::any_of(columns.begin(), columns.end(), [&same](const ResultColumn& column) { return same(column.name); });
}

Json json_value(const std::string& value, bool text) {
  if (value.empty()) return nullptr;
  if (text) return value;
  if (const auto integer = exact_integer(value)) return std::abs(*integer) <= kLargestExact ? Json(*integer) : Json(value);
  if (const auto real = exact_real(value)) return *real;
  return value;
}

std::string joined(const std::vector<std::string>& cells, const char* between) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : between) + cell;
  return line;
}

/// A cell of a Markdown table: bars and line ends would break it.
std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

}  // namespace

std::string_view name_of(PointStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

PointStatus parse_status(std::string_view name) {
  const auto* found = std::find(std::begin(kStatusNames), std::end(kStatusNames), name);
  if (found == std::end(kStatusNames)) throw InputError(fmt::format("unknown status of a point: '{}'", name));
  return static_cast<PointStatus>(found - std::begin(kStatusNames));
}

std::vector<std::string> column_names(const std::vector<std::string>& axes) {
  std::vector<std::string> names{"point"};
  for (const std::string& axis : axes) names.push_back(taken(axis) ? "axis." + axis : axis);
  names.emplace_back("status");
  names.emplace_back("error");
  for (const ResultColumn& column : result_columns()) names.push_back(column.name);
  return names;
}

std::vector<std::string> column_names(const SweepTable& table) { return column_names(table.axes); }

std::vector<std::string> column_values(const SweepRow& row) {
  std::vector<std::string> values{std::to_string(row.point)};
  values.insert(values.end(), row.axes.begin(), row.axes.end());
  values.emplace_back(name_of(row.status));
  values.push_back(row.error);
  values.insert(values.end(), row.values.begin(), row.values.end());
  return values;
}

bool is_text_column(std::string_view name) {
  static constexpr std::string_view kText[] = {"status",   "error",  "preset",        "generation", "config_hash", "overrides",
                                               "workload", "params", "workload_hash", "run_status", "truncated",   "bottleneck"};
  return std::find(std::begin(kText), std::end(kText), name) != std::end(kText);
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += csv_field(cell) + ",";
  line.back() = '\n';
  return line;
}

std::string json_line(const std::vector<std::string>& names, const std::vector<std::string>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) json[names[i]] = json_value(values[i], is_text_column(names[i]));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::vector<std::string> escaped;
  for (const std::string& cell : cells) escaped.push_back(markdown_cell(cell));
  return "| " + joined(escaped, " | ") + " |\n";
}

std::string json_head(const std::vector<std::string>& axes, std::size_t points) {
  std::string units;
  for (const ResultColumn& column : result_columns()) {
    if (!column.unit.empty()) units += fmt::format("{}{}:{}", units.empty() ? "" : ",", Json(column.name).dump(), Json(column.unit).dump());
  }
  return fmt::format("{{\n\"{}\":\"{}.{}\",\n\"axes\":{},\n\"units\":{{{}}},\n\"points\":{},\n\"rows\":[", kSweepResultsFormat.key,
                     kSweepResultsFormat.major, kSweepResultsFormat.minor, Json(axes).dump(), units, points);
}

std::vector<std::size_t> chosen_columns(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  std::vector<std::size_t> chosen;
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw InputError(
          fmt::format("no column '{}'{}", name, nearest_hint(name, std::vector<std::string_view>(names.begin(), names.end()))));
    }
    chosen.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  if (wanted.empty()) {
    chosen.resize(names.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  }
  return chosen;
}

std::vector<std::string> picked(const std::vector<std::string>& cells, const std::vector<std::size_t>& columns) {
  std::vector<std::string> some;
  for (const std::size_t column : columns) some.push_back(cells[column]);
  return some;
}

std::string markdown_head(const std::vector<std::string>& names) {
  return markdown_line(names) + markdown_line(std::vector<std::string>(names.size(), "---"));
}

std::string to_csv(const SweepTable& table) {
  std::string text = csv_line(column_names(table));
  for (const SweepRow& row : table.rows) text += csv_line(column_values(row));
  return text;
}

std::string to_json(const SweepTable& table) {
  const std::vector<std::string> names = column_names(table);
  std::string text = json_head(table.axes, table.rows.size());
  for (const SweepRow& row : table.rows) text += (&row == table.rows.data() ? "\n" : ",\n") + json_line(names, column_values(row));
  return text.append(kJsonTail);
}

std::string to_markdown(const SweepTable& table, const std::vector<std::string>& columns) {
  const std::vector<std::string> names = column_names(table);
  const std::vector<std::size_t> chosen = chosen_columns(names, columns);
  std::string text = markdown_head(picked(names, chosen));
  for (const SweepRow& row : table.rows) text += markdown_line(picked(column_values(row), chosen));
  return text;
}

}  // namespace trnsim::app
