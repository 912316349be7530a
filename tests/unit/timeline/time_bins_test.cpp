// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/time_bins.hpp"

#include <gtest/gtest.h>

namespace trnsim {
namespace {

constexpr Time ns(std::uint64_t n) { return Time{n * kFsPerNs}; }

TEST(TimeBins, AnIntervalIsSpreadEvenly) {
  TimeBins bins;
  bins.add(ns(10), ns(30), 20);
  const auto parts = bins.between({ns(0), ns(10), ns(15), ns(40)});
  EXPECT_DOUBLE_EQ(parts[0], 0);
  EXPECT_DOUBLE_EQ(parts[1], 5);
  EXPECT_DOUBLE_EQ(parts[2], 15);
}

TEST(TimeBins, NothingIsLostWhenBinsAreJoined) {
  TimeBins bins;
  bins.add(ns(3), ns(5), 7);
  bins.add(ns(50'000'000), 5);
  EXPECT_DOUBLE_EQ(bins.sum(), 12);
  const auto parts = bins.between({ns(0), ns(25'000'000), ns(60'000'000)});
  EXPECT_DOUBLE_EQ(parts[0], 7);
  EXPECT_DOUBLE_EQ(parts[1], 5);
}

TEST(TimeBins, WhatLiesAfterTheLastEdgeIsInTheLastPart) {
  TimeBins bins;
  bins.add(ns(1), ns(101), 100);
  const auto parts = bins.between({ns(0), ns(1), ns(11)});
  EXPECT_DOUBLE_EQ(parts[0], 0);
  EXPECT_DOUBLE_EQ(parts[1], 100);
}

}  // namespace
}  // namespace trnsim
