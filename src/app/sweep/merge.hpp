// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/store.hpp"

namespace trnsim::app {

/// A part of a sweep that is to be joined with others.
struct MergePart {
  std::string name;  ///< Of its folder.
  Shard shard;
  std::function<std::optional<StoredRow>()> next;  ///< Rows by number of point.
};

/// Joins parts of one sweep of `points` points, one row at a time: `row` gets each point once, in order,
/// with the number of the part it comes from. InputError when two parts have different rows for a point
/// (names both and the column), or when points are missing (names them and their shards).
void merge_rows(const std::vector<MergePart>& parts, const std::vector<std::string>& axes, std::size_t points,
                const std::function<void(const StoredRow& row, std::size_t part)>& row);

}  // namespace trnsim::app
