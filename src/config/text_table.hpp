// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

namespace trnsim {

/// Columns of plain text, two spaces apart. Numbers stand right, the rest left.
class TextTable {
 public:
  explicit TextTable(std::string indent = "") : indent_(std::move(indent)) {}

  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Lines without spaces at their ends.
  [[nodiscard]] std::string text() const;

 private:
  std::string indent_;
  std::vector<std::vector<std::string>> rows_;
};

/// Words of `text` in lines of at most `width` characters, each after `indent`.
std::string wrapped(const std::string& text, const std::string& indent, std::size_t width);

}  // namespace trnsim
