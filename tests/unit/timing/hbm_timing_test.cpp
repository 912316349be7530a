// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/hbm_timing.hpp"

#include <gtest/gtest.h>

namespace trnsim {
namespace {

TEST(HbmTiming, ClosedBankReadTakesActivateColumnAndBursts) {
  HbmTiming hbm{HbmConfig{}};
  EXPECT_EQ(hbm.reserve(Time{0}, 0, 256, false).done.value, from_ns(28).value + 8 * hbm.burst().value);
}

}  // namespace
}  // namespace trnsim
