// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/groups.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace trnsim::app {
namespace {

/// The other values of a row, each after its length, so that no two rows read alike.
std::string others(const SweepRow& row, std::size_t axis) {
  std::string key;
  for (std::size_t i = 0; i < row.axes.size(); ++i) {
    if (i != axis) key += std::to_string(row.axes[i].size()) + ':' + row.axes[i];
  }
  return key;
}

}  // namespace

std::vector<RowGroup> groups_along(const SweepTable& table, std::size_t axis) {
  std::unordered_map<std::string, std::size_t> place;
  std::vector<RowGroup> groups;
  for (const SweepRow& row : table.rows) {
    const auto [found, fresh] = place.emplace(others(row, axis), groups.size());
    if (fresh) groups.emplace_back();
    groups[found->second].push_back(&row);
  }
  std::erase_if(groups, [axis](const RowGroup& group) {
    return std::all_of(group.begin(), group.end(), [&](const SweepRow* row) { return row->axes[axis] == group.front()->axes[axis]; });
  });
  return groups;
}

bool tell_enough(const std::vector<RowGroup>& groups, const SweepTable& table) {
  std::size_t rows = 0;
  for (const RowGroup& group : groups) rows += group.size();
  return rows > 0 && 2 * rows >= table.rows.size();
}

}  // namespace trnsim::app
