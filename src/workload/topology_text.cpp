// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/topology_text.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include "trnsim/error.hpp"

namespace trnsim::topology {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  for (bool changed = true; changed;) {
    changed = true;
    if (!text.empty() && blank(text.front())) text.remove_prefix(1);
    else if (text.starts_with(kNoBreakSpace)) text.remove_prefix(2);
    else if (!text.empty() && blank(text.back())) text.remove_suffix(1);
    else if (text.ends_with(kNoBreakSpace)) text.remove_suffix(2);
    else changed = false;
  }
  return text;
}

/// The line up to its end, which is taken off the text with it.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos) {
    text = {};
  } else {
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return line;
}

/// A quoted cell from its first quote on; what follows the closing quote is left in `line`.
std::string quoted_cell(std::string_view& line, std::uint64_t number, Findings& findings) {
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '"') {
      cell += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      cell += line[i++];
    } else {
      line.remove_prefix(i + 1);
      return cell;
    }
  }
  findings.problem(number, "a quote is not closed; a cell cannot reach over several lines");
  line = {};
  return cell;
}

Row row_of(std::string_view line, char separator, std::uint64_t number, Findings& findings) {
  Row row;
  row.line = number;
  for (bool more = true; more;) {
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    std::string cell;
    if (line.starts_with('"')) cell = quoted_cell(line, number, findings);
    const std::size_t end = line.find(separator);
    cell += line.substr(0, end);
    row.cells.emplace_back(trimmed(cell));
    more = end != std::string_view::npos;
    if (more) line.remove_prefix(end + 1);
  }
  while (!row.cells.empty() && row.cells.back().empty()) row.cells.pop_back();
  return row;
}

void check_characters(std::string_view line, std::uint64_t number, Findings& findings) {
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7F) || c == '\t') continue;
    findings.problem(number, fmt::format("control character 0x{:02x}; want text in UTF-8", byte));
    return;
  }
  if (!simdjson::validate_utf8(line.data(), line.size())) findings.problem(number, "want text in UTF-8");
}

/// Comma, else tab, else another sign that stands where commas should; of the first line with any.
char separator_of(std::string_view text, Findings& findings) {
  std::uint64_t number = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    ++number;
    if (line.find(',') != std::string_view::npos) return ',';
    if (line.find('\t') != std::string_view::npos) return '\t';
    for (const char c : {';', '|'}) {
      if (line.find(c) == std::string_view::npos) continue;
      findings.doubt("separator", number, fmt::format("cells are separated by '{}', not by commas or tabs", c));
      return c;
    }
  }
  return ',';
}

}  // namespace

std::string Findings::placed(std::uint64_t line, const std::string& text) const {
  return line == 0 ? fmt::format("{}: {}", file_, text) : fmt::format("{}:{}: {}", file_, line, text);
}

void Findings::problem(std::uint64_t line, const std::string& text) { problems_.push_back(placed(line, text)); }

void Findings::doubt(const std::string& kind, std::uint64_t line, const std::string& text) {
  if (strict_) return problem(line, text + " (an error because of --strict)");
  const auto [entry, first] = doubts_.try_emplace(kind, Doubt{placed(line, text), 0});
  if (first) kinds_.push_back(kind);
  else ++entry->second.more;
}

void Findings::check() const {
  if (problems_.empty()) return;
  std::vector<std::string> shown(problems_.begin(), problems_.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, problems_.size())));
  if (problems_.size() > kMost) shown.push_back(fmt::format("{}: {} more problems", file_, problems_.size() - kMost));
  throw WorkloadError(std::move(shown));
}

std::vector<std::string> Findings::warnings() const {
  std::vector<std::string> texts;
  for (const std::string& kind : kinds_) {
    const Doubt& doubt = doubts_.at(kind);
    texts.push_back(doubt.text);
    if (doubt.more > 0) texts.back() += fmt::format("; the same in {} more line{}", doubt.more, doubt.more == 1 ? "" : "s");
  }
  texts.insert(texts.end(), remarks_.begin(), remarks_.end());
  return texts;
}

std::vector<Row> rows_of(std::string_view text, Findings& findings) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    findings.problem(0, "is UTF-16; want text in UTF-8");
    return {};
  }
  const char separator = separator_of(text, findings);
  std::vector<Row> rows;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(text);
    check_characters(line, number, findings);
    Row row = row_of(line, separator, number, findings);
    if (!row.cells.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace trnsim::topology
