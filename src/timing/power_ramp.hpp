// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>

#include "trnsim/config/engine_config.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Limiters of the PE array, in steps of 1/n: after an idle phase it works at a share of its rate and ramps up, and low
/// utilisation over a window arms it again; besides, the share of its elements that may work lastingly is bounded.
///
/// Left out: the power and thermal limits that act over milliseconds.
class PowerRamp {
 public:
  explicit PowerRamp(const TensorConfig& config);

  /// Cycles that `interval` takes when it starts at `start`; records the activity. `active` is its work in cycles of the
  /// whole array: an instruction that uses a quarter of the elements counts a quarter. `cycle_fs` is the clock period,
  /// rounded down.
  Cycles stretch(Time start, Cycles interval, Cycles active, std::uint64_t cycle_fs);

  /// Current limit in steps, out of `steps()`.
  [[nodiscard]] std::uint64_t limit() const;
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  void advance(std::uint64_t now);
  [[nodiscard]] std::uint64_t window_busy() const;
  void record(std::uint64_t from, std::uint64_t duration);

  static constexpr std::size_t kBuckets = 16;
  bool ramps_;
  std::uint64_t steps_, sustained_step_, first_step_, ramp_fs_, window_fs_, bucket_fs_, rearm_fs_;
  std::uint64_t work_fs_ = 0;  ///< Activity since the limiter was armed.
  std::uint64_t armed_at_ = 0;
  std::uint64_t bucket_ = 0;  ///< Number of the newest bucket.
  std::array<std::uint64_t, kBuckets> busy_{};
  std::uint64_t busy_sum_ = 0;
};

}  // namespace trnsim
