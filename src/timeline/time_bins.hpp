// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <vector>

#include "trnsim/units.hpp"

namespace trnsim {

/// An amount spread over time, in bins that get wider as the run gets longer: at most kMost of them.
/// Nothing of an amount is lost when bins are joined.
class TimeBins {
 public:
  static constexpr std::size_t kMost = 2048;

  /// Spreads `amount` evenly over [from, until); all of it at `from` if that is empty.
  void add(Time from, Time until, double amount);
  void add(Time at, double amount) { add(at, at, amount); }

  /// The amounts between each two of the edges, which begin at 0; what lies after the last is in the last part.
  [[nodiscard]] std::vector<double> between(const std::vector<Time>& edges) const;
  [[nodiscard]] double sum() const;

 private:
  void reach(std::uint64_t fs);

  std::uint64_t width_ = 1'000'000;  ///< In fs: 1 ns.
  std::vector<double> bins_;
};

}  // namespace trnsim
