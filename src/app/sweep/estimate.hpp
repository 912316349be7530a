// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>

#include "app/sweep/runner.hpp"

namespace trnsim::app {

/// What the points of a shard amount to, without simulating them.
struct PointCount {
  std::size_t points = 0;
  std::size_t copies = 0;   ///< Simulate the same as an earlier one.
  std::size_t refused = 0;  ///< By the chip or the kernel.
  bool looked_at = true;    ///< False: too many to look at each; copies and refused are not known.
  [[nodiscard]] std::size_t simulations() const { return points - copies - refused; }
};

PointCount count_points(const PointSource& source, const Shard& shard, unsigned workers);

/// Host seconds of one point, measured on up to three of the shard: first, middle and last.
struct PointSeconds {
  double mean = 0;
  std::size_t measured = 0;
  bool at_least = false;  ///< One of them was stopped after a few seconds.
};

PointSeconds measure_points(const PointSource& source, const Shard& shard);

}  // namespace trnsim::app
