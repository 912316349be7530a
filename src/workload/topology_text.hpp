// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::topology {

/// What is wrong with a list of layers, and what is only doubtful.
class Findings {
 public:
  static constexpr std::size_t kMost = 50;  ///< Problems shown.

  Findings(std::string file, bool strict) : file_(std::move(file)), strict_(strict) {}

  void problem(std::uint64_t line, const std::string& text);  ///< Line 0: the file as a whole.
  /// A problem when strict. Doubts of one kind are one warning with the number of further lines.
  void doubt(const std::string& kind, std::uint64_t line, const std::string& text);
  void remark(const std::string& text) { remarks_.push_back(file_ + ": " + text); }

  void check() const;  ///< Throws InputError if there is any problem.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Doubt {
    std::string text;
    std::uint64_t more = 0;
  };
  [[nodiscard]] std::string placed(std::uint64_t line, const std::string& text) const;

  std::string file_;
  bool strict_;
  std::vector<std::string> problems_, remarks_;
  std::vector<std::string> kinds_;  ///< In the order they appeared.
  std::map<std::string, Doubt> doubts_;
};

struct Row {
  std::uint64_t line = 0;
  std::vector<std::string> cells;  ///< Without blanks around; empty ones at the end are dropped.
};

/// The rows with anything in them. Lines end with LF, CRLF or CR; cells are separated by commas, or by
/// tabs in a file without commas; a cell may be in double quotes.
std::vector<Row> rows_of(std::string_view text, Findings& findings);

}  // namespace trnsim::topology
