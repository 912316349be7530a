// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "app/sweep/cells.hpp"
#include "app/sweep/store.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {

/// A folder that is gone after the test.
class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "trnsim-sweep-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string path(const std::string& name = {}) const { return name.empty() ? path_ : path_ + "/" + name; }

 private:
  std::string path_;
};

/// A row with texts and numbers of all kinds in its result columns.
inline SweepRow sample_row(std::size_t point) {
  SweepRow row{point, {"trn2", std::to_string(128 * (point + 1))}, PointStatus::Done, {}, {}};
  for (const ResultColumn& column : result_columns()) {
    row.values.push_back(is_text_column(column.name) ? "t" + std::to_string(point) : std::to_string(point) + ".25");
  }
  return row;
}

inline SweepInfo sample_info(std::size_t points, const Shard& shard = {}) {
  return {"0123456789abcdef", "{}\n", "0.1.0", {"chip", "params.m"}, points, shard};
}

inline StoredRow stored(const SweepRow& row) { return {row, "id" + std::to_string(row.point), "{\"a\":1}", 0.5, {}}; }

}  // namespace trnsim::app
