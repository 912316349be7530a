// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>

#include "analysis/report_tables.hpp"
#include "analysis/totals.hpp"
#include "trnsim/text.hpp"

namespace trnsim {

std::string fitted(const std::string& name, std::size_t width) {
  if (text_width(name) <= width) return pad_right(name, width);
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  std::vector<std::string> characters;
  for (const char c : name) {
    if (starts_character(c) || characters.empty()) characters.emplace_back();
    characters.back() += c;
  }
  const std::size_t head = (width - 1) / 2, tail = width - 1 - head;
  std::string text;
  for (std::size_t i = 0; i < head; ++i) text += characters[i];
  text += "~";
  for (std::size_t i = characters.size() - tail; i < characters.size(); ++i) text += characters[i];
  return text;
}

namespace {

constexpr std::size_t kLines = 15;  ///< Those with the longest exposed time; the others share a row.
constexpr std::size_t kNumbers = 42;

/// "matmul.py:31", without the folder.
std::string place(const SourceLineResult& line) {
  if (line.line == 0) return "(no line)";
  return fmt::format("{}:{}", line.file.substr(line.file.find_last_of('/') + 1), line.line);
}

std::string row(const std::string& place, const std::string& text, const SourceLineResult& line, double whole_ns,
                const ReportStyle& style) {
  const double exposed = ns_to_picosecond(line.exposed_fs);
  const std::size_t room = style.width - kNumbers, places = room / 3;
  std::string cells = fitted(place, places) + ' ' + fitted(text, room - places - 2) + ' ';
  cells += pad_left(with_commas(line.instructions), 11) + pad_left(time_text(line.engine_ns), 11) + pad_left(time_text(exposed), 11);
  return cells + pad_left(percent(whole_ns > 0 ? exposed / whole_ns : 0), 8);
}

SourceLineResult sum_from(const std::vector<SourceLineResult>& lines, std::size_t first) {
  SourceLineResult sum;
  for (std::size_t i = first; i < lines.size(); ++i) {
    sum.instructions += lines[i].instructions;
    sum.engine_ns += lines[i].engine_ns;
    sum.exposed_fs += lines[i].exposed_fs;
  }
  return sum;
}

}  // namespace

std::vector<std::string> source_table(const Result& result, const ReportStyle& style) {
  std::vector<std::string> table;
  const auto& lines = result.source_lines;
  if (lines.empty()) return table;
  const Paint paint = paint_of(style);
  const std::size_t room = style.width - kNumbers, places = room / 3;
  table.push_back(paint.bold + pad_right("Line", places + 1) + pad_right("Text", room - places - 1) + pad_left("instr.", 11) +
                  pad_left("engines", 11) + pad_left("exposed", 11) + pad_left("share", 8) + paint.off);
  const std::size_t shown = lines.size() <= kLines + 1 ? lines.size() : kLines;
  for (std::size_t i = 0; i < shown; ++i)
    table.push_back(row(place(lines[i]), lines[i].text.value_or(""), lines[i], result.time_ns, style));
  if (shown < lines.size()) {
    table.push_back(row(fmt::format("{} others", lines.size() - shown), "", sum_from(lines, shown), result.time_ns, style));
  }
  return table;
}

}  // namespace trnsim
