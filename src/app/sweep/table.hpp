// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::app {

enum class PointStatus : std::uint8_t { Done, Refused, Crashed, TimedOut, OutOfMemory };
std::string_view name_of(PointStatus status);  ///< "done", "refused", "crashed", "timed_out", "out_of_memory"

/// One point of a sweep with its result.
struct SweepRow {
  std::size_t point = 0;
  std::vector<std::string> axes;  ///< Values, in the order of SweepTable::axes.
  PointStatus status = PointStatus::Done;
  std::string error;                ///< One line; empty when done.
  std::vector<std::string> values;  ///< In the order of result_columns(), empty texts where there is no result.
  bool operator==(const SweepRow&) const = default;
};

/// The points of a sweep that have ended, by number. All forms are made from the same rows.
struct SweepTable {
  std::vector<std::string> axes;  ///< Paths.
  std::vector<SweepRow> rows;
};

/// Names of all columns: point, the axes, status, error, then those of result_columns(). An axis that has
/// the name of a result column is written with "axis." in front.
std::vector<std::string> column_names(const SweepTable& table);
/// The values of a row in that order.
std::vector<std::string> column_values(const SweepRow& row);

std::string to_csv(const SweepTable& table);
std::string to_json(const SweepTable& table);  ///< Numbers as numbers, empty values as null.
/// `columns` by name; InputError with the nearest for an unknown one. All if empty.
std::string to_markdown(const SweepTable& table, const std::vector<std::string>& columns = {});

}  // namespace trnsim::app
