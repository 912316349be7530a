// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "unit/app/sweep/table_support.hpp"

#include "trnsim/result.hpp"

namespace trnsim::app {

SweepRow done_row(std::size_t point, std::vector<std::string> axes, const std::map<std::string, std::string>& values) {
  SweepRow row{point, std::move(axes), PointStatus::Done, "", {}};
  for (const ResultColumn& column : result_columns()) {
    const auto given = values.find(column.name);
    row.values.push_back(given != values.end() ? given->second : column.name == "truncated" ? "" : "1");
  }
  return row;
}

SweepRow failed_row(std::size_t point, std::vector<std::string> axes, PointStatus status) {
  return {point, std::move(axes), status, "does not fit", std::vector<std::string>(result_columns().size())};
}

}  // namespace trnsim::app
