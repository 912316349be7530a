// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/compare/write.hpp"
#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

constexpr unsigned kNarrowest = 60, kWidest = 200, kWideSplit = 84, kNotes = 100;
constexpr std::size_t kGap = 2;

using Table = std::vector<std::vector<std::string>>;

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  return widths;
}

std::string line_of(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text + '\n';
}

/// The first column left, the others right; columns that do not fit follow in further blocks.
std::string laid_out(const Table& table, std::size_t width) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::string page;
  for (std::size_t from = 1; from < widths.size();) {
    std::size_t to = from, used = widths[0];
    while (to < widths.size() && (to == from || used + kGap + widths[to] <= width)) used += kGap + widths[to++];
    for (const auto& row : table) {
      std::string line = pad_right(row[0], widths[0]);
      for (std::size_t i = from; i < to; ++i) line += std::string(kGap, ' ') + pad_left(i < row.size() ? row[i] : "", widths[i]);
      page += line_of(std::move(line));
    }
    if (to < widths.size()) page += '\n';
    from = to;
  }
  return page;
}

Table compare_table(const Comparison& comparison) {
  Table table;
  const auto add = [&table](const std::string& label, const std::vector<std::string>& cells) {
    table.push_back({label});
    table.back().insert(table.back().end(), cells.begin(), cells.end());
  };
  std::vector<std::string> names;
  for (const CompareColumn& column : comparison.columns) names.push_back(column.label);
  add("", names);
  for (const CompareRow& row : figure_rows(comparison)) add(row.label, row.cells);
  add("", std::vector<std::string>(names.size()));
  add("ratio to " + comparison.columns[comparison.baseline.value_or(0)].label, std::vector<std::string>(names.size()));
  for (const CompareRow& row : ratio_rows(comparison)) add("  " + row.label, row.cells);
  return table;
}

std::string remarks(const std::vector<std::string>& notes, std::size_t width) {
  std::string text;
  for (const std::string& note : notes) text += wrap("note: " + note, std::min<std::size_t>(width, kNotes), 2) + '\n';
  return text;
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string markdown_table(const Table& table) {
  std::string text;
  const std::size_t columns = widths_of(table).size();
  for (std::size_t r = 0; r < table.size(); ++r) {
    for (std::size_t i = 0; i < columns; ++i) text += "| " + markdown_cell(i < table[r].size() ? table[r][i] : "") + " ";
    text += "|\n";
    for (std::size_t i = 0; r == 0 && i < columns; ++i) text += i == 0 ? "|---" : "|---:";
    if (r == 0) text += "|\n";
  }
  return text;
}

std::string title(const Comparison& comparison) {
  std::string workloads;
  for (const CompareColumn& column : comparison.columns) {
    if (workloads.find(column.workload) == std::string::npos) workloads += (workloads.empty() ? "" : "; ") + column.workload;
  }
  const unsigned cores = comparison.columns.front().request.cores;
  if (comparison.columns.front().all_cores) return workloads + ", all cores of each chip";
  return fmt::format("{}, {} core{}", workloads, cores, cores == 1 ? "" : "s of each chip");
}

}  // namespace

std::string compare_text(const Comparison& comparison, const std::vector<Split>& splits, const ReportStyle& style) {
  const std::size_t width = std::clamp(style.width, kNarrowest, kWidest);
  const std::string bold = style.color ? "\x1b[1m" : "", off = style.color ? "\x1b[0m" : "";
  std::string page = bold + wrap(title(comparison), width, 2) + off + "\n\n" + laid_out(compare_table(comparison), width);
  page += '\n' + remarks(compare_notes(comparison), width);
  for (const Split& split : splits) {
    page += '\n' + bold + wrap(split_title(split), width, 2) + off + '\n';
    if (!split.groups.empty()) page += laid_out(split_rows(split, width >= kWideSplit), width);
    page += remarks(split_notes(split), width);
  }
  return style.utf8 ? page : to_ascii(page);
}

std::string compare_markdown(const Comparison& comparison, const std::vector<Split>& splits) {
  Table table = compare_table(comparison);
  std::erase_if(table, [](const auto& row) {
    return row[0].empty() && std::all_of(row.begin(), row.end(), [](const auto& c) { return c.empty(); });
  });
  std::string text = fmt::format("**{}**\n\n", title(comparison)) + markdown_table(table);
  const auto list = [](const std::vector<std::string>& notes) {
    std::string lines = notes.empty() ? "" : "\n";
    for (const std::string& note : notes) lines += "- " + note + "\n";
    return lines;
  };
  text += list(compare_notes(comparison));
  for (const Split& split : splits) {
    text += fmt::format("\n**{}**\n\n", split_title(split));
    if (!split.groups.empty()) text += markdown_table(split_rows(split, true));
    text += list(split_notes(split));
  }
  return text;
}

}  // namespace trnsim::app
