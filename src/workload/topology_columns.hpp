// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/topology_text.hpp"

namespace trnsim::topology {

/// What a column of a list of layers means.
enum class Column : std::uint8_t {
  Name,
  M,
  N,
  K,
  IfmapHeight,
  IfmapWidth,
  FilterHeight,
  FilterWidth,
  Channels,
  Filters,
  Stride,
  Batch,
  Groups,
  Pad,
  Dilation,
  DType,
  Sparsity,
};
inline constexpr std::size_t kColumnCount = 17;

/// The column as the documentation spells it: "IFMAP Height".
std::string_view title_of(Column column);

/// Where each column stands.
struct Columns {
  std::array<std::optional<std::size_t>, kColumnCount> place{};
  std::array<std::string, kColumnCount> title{};  ///< As the file spells it.
  std::vector<bool> known;                        ///< By place: the column has a meaning.
  bool named = true;                              ///< From a header; otherwise by position.

  [[nodiscard]] bool has(Column column) const { return place[static_cast<std::size_t>(column)].has_value(); }
  [[nodiscard]] bool matmul() const { return has(Column::M) && has(Column::N) && has(Column::K); }
  [[nodiscard]] bool convolution() const;
  /// The text of a row in this column; empty when there is none.
  [[nodiscard]] std::string_view cell(const Row& row, Column column) const;
};

/// Reads the header, which is taken off the rows; without one, the number of values in the first row
/// tells matmul sizes from convolutions. Problems go to the findings.
Columns take_columns(std::vector<Row>& rows, Findings& findings);

}  // namespace trnsim::topology
