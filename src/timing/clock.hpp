// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/units.hpp"

namespace trnsim {

/// One clock domain: the only place where cycles meet time.
///
/// Edge n lies at ceil(n / frequency), computed exactly in integers from a frequency in kHz, so a
/// 2.4 GHz clock does not drift although its period is not a whole number of femtoseconds.
class Clock {
 public:
  /// `ghz` is rounded to whole kHz; must be positive.
  explicit Clock(double ghz);

  /// Time of edge n; as a duration, n cycles rounded up.
  [[nodiscard]] Time time_of(Cycles n) const;
  /// Number of the first edge at or after t.
  [[nodiscard]] Cycles edge_at_or_after(Time t) const;
  /// A duration in cycles, rounded up.
  [[nodiscard]] Cycles cycles_of(Time duration) const { return edge_at_or_after(duration); }
  [[nodiscard]] double ghz() const { return static_cast<double>(khz_) / 1e6; }

 private:
  std::uint64_t khz_;
  std::uint64_t period_fs_;  ///< Whole part of the period.
  std::uint64_t remainder_;  ///< 1e12 mod kHz: the period's fraction is remainder / kHz fs.
  double edges_per_fs_;      ///< Only a first guess; corrected exactly.
};

}  // namespace trnsim
