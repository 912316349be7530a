// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/power_ramp.hpp"

#include <gtest/gtest.h>

namespace trnsim {
namespace {

constexpr std::uint64_t kCycleFs = 500'000;  // 2 GHz

TensorConfig limited() {
  TensorConfig config;
  config.clock_ghz = 2.0;
  config.throttle_start = 0.5;
  return config;
}

/// Runs instructions of `interval` cycles back to back for `duration_ns`; returns the share of full rate.
double run(PowerRamp& ramp, std::uint64_t& at_fs, double duration_ns, std::uint64_t interval = 500) {
  std::uint64_t work = 0;
  const std::uint64_t begin = at_fs, end = at_fs + from_ns(duration_ns).value;
  while (at_fs < end) {
    at_fs += ramp.stretch(Time{at_fs}, Cycles{interval}, Cycles{interval}, kCycleFs).value * kCycleFs;
    work += interval * kCycleFs;
  }
  return static_cast<double>(work) / static_cast<double>(at_fs - begin);
}

TEST(PowerRamp, FirstWorkAfterIdleRunsAtHalfRate) {
  PowerRamp ramp(limited());
  EXPECT_EQ(ramp.stretch(Time{}, Cycles{500}, Cycles{500}, kCycleFs).value, 1000U);
}

TEST(PowerRamp, ReachesFullRateAfterTheRamp) {
  PowerRamp ramp(limited());
  std::uint64_t at = 0;
  run(ramp, at, 3300);
  EXPECT_EQ(ramp.limit(), ramp.steps());
  EXPECT_EQ(ramp.stretch(Time{at}, Cycles{500}, Cycles{500}, kCycleFs).value, 500U);
}

TEST(PowerRamp, DeliversThreeQuartersOverTheRamp) {  // linear from 50 to 100 %
  PowerRamp ramp(limited());
  std::uint64_t at = 0;
  EXPECT_NEAR(run(ramp, at, 3000, 50), 0.75, 0.03);
}

TEST(PowerRamp, DeliversNinetyTwoPercentOverTenMicroseconds) {
  PowerRamp ramp(limited());
  std::uint64_t at = 0;
  EXPECT_NEAR(run(ramp, at, 10'000, 50), 0.925, 0.02);
}

TEST(PowerRamp, AGapOfOneWindowArmsItAgain) {
  PowerRamp ramp(limited());
  std::uint64_t at = 0;
  run(ramp, at, 6000);
  at += from_ns(3300).value;
  EXPECT_EQ(ramp.stretch(Time{at}, Cycles{500}, Cycles{500}, kCycleFs).value, 1000U);
}

TEST(PowerRamp, AShortGapDoesNotArmIt) {
  PowerRamp ramp(limited());
  std::uint64_t at = 0;
  run(ramp, at, 6000);
  at += from_ns(1000).value;
  EXPECT_EQ(ramp.stretch(Time{at}, Cycles{500}, Cycles{500}, kCycleFs).value, 500U);
}

TEST(PowerRamp, SlowFeedingNeverLeavesTheLowSteps) {
  PowerRamp ramp(limited());
  std::uint64_t at = 0, stretched = 0;
  for (int i = 0; i < 100; ++i) {
    stretched = ramp.stretch(Time{at}, Cycles{400}, Cycles{400}, kCycleFs).value;
    at += from_ns(2000).value;  // 20 % of full rate
  }
  EXPECT_GE(stretched, 640U);  // half rate, or one step above it between two checks
}

TEST(PowerRamp, IsOffWhereTheGenerationHasNone) {
  TensorConfig config = limited();
  config.throttle_start = 1.0;
  PowerRamp ramp(config);
  EXPECT_EQ(ramp.stretch(Time{}, Cycles{500}, Cycles{500}, kCycleFs).value, 500U);
}

TEST(PowerRamp, LastingLimitHoldsFromTheFirstInstructionWithoutARamp) {
  TensorConfig config = limited();
  config.throttle_start = 1.0;
  config.throttle_sustained = 0.875;
  PowerRamp ramp(config);
  EXPECT_EQ(ramp.stretch(Time{}, Cycles{700}, Cycles{700}, kCycleFs).value, 800U);
  EXPECT_EQ(ramp.stretch(Time{}, Cycles{1}, Cycles{1}, kCycleFs).value, 2U);  // rounds up
}

TEST(PowerRamp, LastingLimitCountsTheElementsAtWork) {
  TensorConfig config = limited();
  config.throttle_start = 1.0;
  config.throttle_sustained = 0.5;
  PowerRamp ramp(config);
  EXPECT_EQ(ramp.stretch(Time{}, Cycles{64}, Cycles{32}, kCycleFs).value, 64U);
  EXPECT_EQ(ramp.stretch(Time{}, Cycles{64}, Cycles{33}, kCycleFs).value, 66U);
}

TEST(PowerRamp, RampAndLastingLimitDoNotAddUp) {
  TensorConfig config = limited();
  config.throttle_sustained = 0.75;
  PowerRamp ramp(config);
  EXPECT_EQ(ramp.stretch(Time{}, Cycles{300}, Cycles{300}, kCycleFs).value, 600U);
  std::uint64_t at = 0;
  run(ramp, at, 3300);
  EXPECT_EQ(ramp.stretch(Time{at}, Cycles{300}, Cycles{300}, kCycleFs).value, 400U);
}

}  // namespace
}  // namespace trnsim
