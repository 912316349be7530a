// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "page/lane.hpp"

#include <gtest/gtest.h>

#include "page/series.hpp"

namespace trnsim {
namespace {

constexpr Time at_ns(std::uint64_t ns) { return Time{ns * kFsPerNs}; }

PageSlice slice(std::uint64_t from_ns, std::uint64_t until_ns, PageKind kind, std::uint64_t cycles) {
  return {at_ns(from_ns), at_ns(until_ns), Cycles{cycles}, 0, kind};
}

TEST(PageLane, KeepsSlicesInTheirOrder) {
  PageLane lane(0, "vector", Clock(1.0));
  for (std::uint64_t i = 0; i < 1000; ++i) lane.add(slice(2 * i, 2 * i + 1, kind_of(Opcode::TensorCopy), 1));
  lane.finish(at_ns(2000));
  ASSERT_EQ(lane.slices().size(), 1000U);
  EXPECT_EQ(lane.slices()[999].from, at_ns(1998));
  EXPECT_EQ(lane.totals()[kind_of(Opcode::TensorCopy)], 1000U);
}

TEST(PageLane, BinsHoldTheTimeOfTheSlicesBeforeAndAfter) {
  PageLane lane(0, "vector", Clock(1.0));
  const PageKind stall = kind_of(StallReason::WaitDma);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    lane.add(slice(4 * i, 4 * i + 1, kind_of(Opcode::TensorCopy), 1));
    lane.add(slice(4 * i + 1, 4 * i + 3, stall, 2));
    if (i == 1000) lane.to_bins();
  }
  lane.finish(at_ns(8000));
  EXPECT_TRUE(lane.slices().empty());
  EXPECT_EQ(lane.totals()[stall], 4000U);
  EXPECT_NEAR(lane.amounts(stall).sum(), 4000.0 * kFsPerNs, 1);
  const Parts parts(at_ns(8000), 100);
  for (const double share : parts.shares(lane.amounts(stall))) EXPECT_NEAR(share, 0.5, 1e-9);
}

TEST(PageLane, IsCutAtTheEndInWholeCycles) {
  PageLane lane(0, "vector", Clock(1.0));
  lane.add(slice(0, 10, kind_of(Opcode::TensorCopy), 10));
  lane.add(slice(10, 20, kind_of(StallReason::Issue), 10));
  lane.add(slice(20, 30, kind_of(Opcode::TensorCopy), 10));
  lane.finish(at_ns(14));
  ASSERT_EQ(lane.slices().size(), 2U);
  EXPECT_EQ(lane.slices().back().until, at_ns(14));
  EXPECT_EQ(lane.totals()[kind_of(StallReason::Issue)], 4U);
}

TEST(PageLane, ARingIsCutAtTheEndToo) {
  PageLane lane(0, "ring 0", std::nullopt);
  lane.add(slice(0, 10, kind_of_copy(true, false), 0));
  lane.add(slice(12, 20, kind_of_copy(true, false), 0));
  lane.finish(at_ns(11));
  ASSERT_EQ(lane.slices().size(), 1U);
  EXPECT_EQ(lane.totals()[kind_of_copy(true, false)], 10 * kFsPerNs);
}

TEST(PageParts, AreAsManyAsAllowedAndEndWithTheRun) {
  const Parts parts(Time{1'000'500 * kFsPerPs}, 100);  // 1000.5 ns
  EXPECT_EQ(parts.width_ns, 16U);
  ASSERT_EQ(parts.edges.size(), 64U);
  EXPECT_EQ(parts.edges[62], at_ns(992));
  EXPECT_EQ(parts.edges.back(), Time{1'000'500 * kFsPerPs});
}

TEST(PageParts, OfAnEmptyRunAreOne) {
  const Parts parts(Time{0}, 100);
  EXPECT_EQ(parts.rates(TimeBins{}, 1), std::vector<double>{0});
}

TEST(PageParts, WhatLiesBehindTheEndDoesNotCount) {
  TimeBins bytes;
  bytes.add(at_ns(0), at_ns(8), 80);
  bytes.add(at_ns(10), at_ns(12), 1000);
  const std::vector<double> rates = Parts(at_ns(8), 1).rates(bytes, 1);
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_NEAR(rates[0], 10, 1e-9);
}

TEST(PageKinds, OfCopiesAreNamedByTheSideOfHbm) {
  EXPECT_EQ(name_of_kind(kind_of_copy(true, false)), "load");
  EXPECT_EQ(name_of_kind(kind_of_copy(false, true)), "store");
  EXPECT_EQ(name_of_kind(kind_of_copy(true, true)), "copy");
  EXPECT_EQ(name_of_kind(kind_of_copy(false, false)), "copy");
  EXPECT_EQ(name_of_kind(kind_of(StallReason::WaitDma)), "wait_dma");
}

}  // namespace
}  // namespace trnsim
