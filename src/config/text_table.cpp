// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace trnsim {
namespace {

bool is_number(const std::string& cell) {
  return !cell.empty() && std::isdigit(static_cast<unsigned char>(cell.front())) != 0 &&
         cell.find_first_not_of("0123456789.,e+-x") == std::string::npos;
}

}  // namespace

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& cells : rows_) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string all;
  for (const auto& cells : rows_) {
    std::string line = indent_;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += is_number(cells[i]) ? fmt::format("{:>{}}  ", cells[i], widths[i]) : fmt::format("{:<{}}  ", cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + '\n';
  }
  return all;
}

std::string wrapped(const std::string& text, const std::string& indent, std::size_t width) {
  std::istringstream words(text);
  std::string all;
  std::string line = indent;
  for (std::string word; words >> word;) {
    if (line.size() > indent.size() && line.size() + 1 + word.size() > width) {
      all += line + '\n';
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  return all + line + '\n';
}

}  // namespace trnsim
