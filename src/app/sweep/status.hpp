// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/sweep/store.hpp"

namespace trnsim::app {

/// How far one folder of results is.
struct FolderStatus {
  std::string folder;
  Shard shard;
  std::size_t points = 0;  ///< Of the shard; 0 for a shard that has not begun.
  StatusCounts counts{};
  std::size_t copied = 0;
  bool running = false;   ///< A sweep holds the folder's lock.
  bool complete = false;  ///< results.csv is there.
  double points_per_second = 0;

  [[nodiscard]] std::size_t left() const { return points - sum(counts); }
  bool operator==(const FolderStatus&) const = default;
};

/// A sweep: in one piece, or the shards that a folder holds until they are merged.
struct SweepStatus {
  FolderStatus total;
  std::vector<FolderStatus> shards;
};

/// IoError if there is no such folder, InputError if it holds no sweep.
SweepStatus read_status(const std::string& folder);

std::string status_text(const SweepStatus& status);
std::string status_json(const SweepStatus& status);

}  // namespace trnsim::app
