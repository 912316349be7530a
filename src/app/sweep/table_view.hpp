// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/table.hpp"

namespace trnsim::app {

/// The columns of a table by name.
class TableView {
 public:
  explicit TableView(const SweepTable& table);

  /// InputError with the nearest name.
  [[nodiscard]] std::size_t column(const std::string& name) const;
  [[nodiscard]] const std::string& text(const SweepRow& row, std::size_t column) const;
  [[nodiscard]] std::optional<double> number(const SweepRow& row, std::size_t column) const;
  /// InputError if the column holds texts.
  [[nodiscard]] std::size_t number_column(const std::string& name) const;

  /// Whether a row ended well and ran to its end: a run that was stopped early compares with nothing.
  [[nodiscard]] bool complete(const SweepRow& row) const;
  /// Rows that are not complete.
  [[nodiscard]] std::size_t failed() const;

 private:
  const SweepTable& table_;
  std::vector<std::string> names_;
  std::size_t truncated_;  ///< Column that says why a run stopped early.
};

std::optional<double> number_of(const std::string& text);

}  // namespace trnsim::app
