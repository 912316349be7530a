// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/job_pool.hpp"
#include "app/sweep/loaded_chips.hpp"
#include "app/sweep/spec.hpp"
#include "app/sweep/store.hpp"

namespace trnsim::app {

/// The points of a sweep as the runner needs them; `point` may be called in a forked process.
struct PointSource {
  std::vector<std::string> axes;
  std::size_t size = 0;
  std::function<SweepPoint(std::size_t)> point;
  JobLimits limits;
  std::string text, hash;
  LoadedChips chips = {};  ///< Of the points; what is missing is read by each.
};

PointSource source_of(const SweepSpec& spec);  ///< The description must outlive it.
SweepInfo info_of(const PointSource& source, const Shard& shard);

/// How far a run is.
struct RunProgress {
  std::size_t todo = 0;  ///< Points that had no row when it started.
  std::size_t done = 0, failed = 0, copied = 0;
};

struct RunControl {
  unsigned workers = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const RunProgress&)> progress;  ///< At least ten times a second.
};

struct RunSummary {
  RunProgress progress;
  bool stopped = false;  ///< Before all points of the shard had rows.
};

/// Simulates the points of the store's shard that have no row, each in a process of its own with the
/// source's limits. A refused, crashed, late or too large point is a row with its reason; one that
/// crashed is tried a second time first, since a signal may have come from outside. A point that simulates
/// the same as an earlier one gets a copy of its row. Rows are written about twice a second.
RunSummary run_points(const PointSource& source, SweepStore& store, const RunControl& control);

}  // namespace trnsim::app
