// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "app/json.hpp"
#include "app/sweep/analysis.hpp"
#include "app/sweep/cells.hpp"
#include "app/sweep/table_view.hpp"
#include "trnsim/text.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

std::string spoken(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// "by time_ns · smallest first · 36 points · 2 failed"
std::string headline(const SweepAnalysis& analysis) {
  std::string line = analysis.kind;
  for (const auto& [name, value] : analysis.facts) {
    if (value == "0") continue;
    const bool count = number_of(value).has_value();
    line += " · " + (count ? value + " " + spoken(name) : name == "order" ? value : spoken(name) + " " + value);
  }
  return line;
}

/// Columns that have a cell.
std::vector<std::size_t> filled(const SweepAnalysis& analysis) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < analysis.columns.size(); ++i) {
    const auto has = [i](const auto& row) { return !row[i].empty(); };
    if (analysis.rows.empty() || std::any_of(analysis.rows.begin(), analysis.rows.end(), has)) columns.push_back(i);
  }
  return columns;
}

constexpr int kDigits = 6;

/// A cell for the eye: a fraction has six digits at most; CSV and JSON have all of them.
std::string rounded(const std::string& cell) {
  const std::optional<double> number = number_of(cell);
  if (!number || cell.size() <= kDigits || cell.find('.') == std::string::npos) return cell;
  const double size = std::fabs(*number);
  if (size < 1e-3 || size >= 1e15) return fmt::format("{:.{}g}", *number, kDigits);
  const int before = size < 1 ? 1 : static_cast<int>(std::log10(size)) + 1;
  std::string text = fmt::format("{:.{}f}", *number, std::max(kDigits - before, 0));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

std::vector<std::string> rounded(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = rounded(cell);
  return cells;
}

/// Numbers stand right, the rest left.
std::string table_text(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  std::vector<bool> numbers(widths.size(), lines.size() > 1);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    for (const auto& line : lines) {
      widths[i] = std::max(widths[i], text_width(line[i]));
      if (&line != lines.data() && !line[i].empty() && !number_of(line[i])) numbers[i] = false;
    }
  }
  std::string text;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      line += "  " + (numbers[i] ? pad_left(cells[i], widths[i]) : pad_right(cells[i], widths[i]));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string analysis_csv(const SweepAnalysis& analysis) {
  std::string text = csv_line(analysis.columns);
  for (const auto& row : analysis.rows) text += csv_line(row);
  return text;
}

std::string analysis_json(const SweepAnalysis& analysis) {
  Json head;
  head[std::string(kSweepAnalysisFormat.key)] = fmt::format("{}.{}", kSweepAnalysisFormat.major, kSweepAnalysisFormat.minor);
  head["kind"] = analysis.kind;
  for (const auto& [name, value] : analysis.facts) {
    const auto number = number_of(value);
    if (number) {
      head[name] = static_cast<std::uint64_t>(*number);
    } else {
      head[name] = value;
    }
  }
  head["notes"] = analysis.notes;
  std::string text = head.dump(1, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind('\n'));
  text += ",\n \"rows\": [";
  for (const auto& row : analysis.rows) text += (&row == analysis.rows.data() ? "\n  " : ",\n  ") + json_line(analysis.columns, row);
  return text + "\n ]\n}\n";
}

std::string analysis_markdown(const SweepAnalysis& analysis) {
  const std::vector<std::size_t> columns = filled(analysis);
  std::string text = headline(analysis) + "\n\n" + markdown_head(picked(analysis.columns, columns));
  for (const auto& row : analysis.rows) text += markdown_line(rounded(picked(row, columns)));
  for (const std::string& note : analysis.notes) text += "\n" + note + "\n";
  return text;
}

std::string analysis_text(const SweepAnalysis& analysis, const ReportStyle& style) {
  const std::vector<std::size_t> columns = filled(analysis);
  std::vector<std::vector<std::string>> lines{picked(analysis.columns, columns)};
  for (const auto& row : analysis.rows) lines.push_back(rounded(picked(row, columns)));
  const std::size_t width = std::max<std::size_t>(style.width, 60);
  std::string text = wrap(headline(analysis), width, 2) + "\n";
  if (!analysis.rows.empty()) text += "\n" + table_text(lines);
  for (const std::string& note : analysis.notes) text += "\n" + wrap(note, width, 0) + "\n";
  return style.utf8 ? text : to_ascii(text);
}

}  // namespace trnsim::app
