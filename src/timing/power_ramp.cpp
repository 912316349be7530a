// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/power_ramp.hpp"

#include <algorithm>
#include <cmath>

namespace trnsim {

namespace {

/// Number of steps nearest to a share of the full rate, at least one.
std::uint64_t nearest_step(double share, std::uint32_t steps) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(share * steps)));
}

}  // namespace

PowerRamp::PowerRamp(const TensorConfig& config)
    : ramps_(config.throttle_start < 1.0 && config.throttle_ramp_ns > 0 && config.throttle_window_ns > 0),
      steps_(config.throttle_steps),
      sustained_step_(nearest_step(config.throttle_sustained, config.throttle_steps)),
      first_step_(nearest_step(config.throttle_start, config.throttle_steps)),
      ramp_fs_(from_ns(config.throttle_ramp_ns).value),
      window_fs_(from_ns(config.throttle_window_ns).value),
      bucket_fs_(std::max<std::uint64_t>(1, window_fs_ / kBuckets)),
      rearm_fs_(static_cast<std::uint64_t>(config.throttle_rearm_below * static_cast<double>(window_fs_))) {}

std::uint64_t PowerRamp::limit() const {
  if (!ramps_ || work_fs_ >= ramp_fs_) return steps_;
  // Rounded to the nearest step, so that the average over the ramp is the middle of start and full.
  const std::uint64_t span = steps_ - first_step_;
  return std::min(steps_, first_step_ + (2 * span * work_fs_ + ramp_fs_) / (2 * ramp_fs_));
}

Cycles PowerRamp::stretch(Time start, Cycles interval, Cycles active, std::uint64_t cycle_fs) {
  const Cycles sustained = std::max(interval, Cycles{ceil_div(active.value * steps_, sustained_step_)});
  if (!ramps_) return sustained;
  advance(start.value);
  if (start.value >= armed_at_ + window_fs_ && window_busy() < rearm_fs_) {
    work_fs_ = 0;
    armed_at_ = start.value;
  }
  const Cycles limited = std::max(sustained, Cycles{ceil_div(interval.value * steps_, limit())});
  const std::uint64_t duration = limited.value * cycle_fs;
  record(start.value, duration);
  work_fs_ = std::min(ramp_fs_, work_fs_ + duration);
  return limited;
}

void PowerRamp::advance(std::uint64_t now) {
  const std::uint64_t newest = now / bucket_fs_;
  if (newest <= bucket_) return;
  const std::uint64_t steps = std::min<std::uint64_t>(newest - bucket_, kBuckets);
  for (std::uint64_t i = 0; i < steps; ++i) {
    std::uint64_t& old = busy_[(newest - i) % kBuckets];
    busy_sum_ -= old;
    old = 0;
  }
  bucket_ = newest;
}

std::uint64_t PowerRamp::window_busy() const { return busy_sum_; }

void PowerRamp::record(std::uint64_t from, std::uint64_t duration) {
  // Activity counts in the bucket in which it ends at the latest; one instruction is far shorter than
  // the window, so what the split over two buckets would change is below one bucket.
  advance(from + duration);
  std::uint64_t& bucket = busy_[bucket_ % kBuckets];
  bucket += duration;
  busy_sum_ += duration;
}

}  // namespace trnsim
