// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/hbm_channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace trnsim {
namespace {

TEST(HbmQueue, SlotsAreFreeAtFirst) {
  HbmQueue q(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(q.free_at(), 0U);
    q.push(10);
  }
  EXPECT_EQ(q.free_at(), 10U);
}

TEST(HbmQueue, TheEarliestToFinishFreesItsSlotFirst) {
  HbmQueue q(3);
  q.push(30);
  q.push(10);
  q.push(20);
  EXPECT_EQ(q.free_at(), 10U);
  q.push(15);
  EXPECT_EQ(q.free_at(), 15U);
  q.push(40);
  EXPECT_EQ(q.free_at(), 20U);
}

TEST(HbmQueue, WaitingCountsRequestsThatFinishLater) {
  HbmQueue q(4);
  for (const std::uint64_t t : {30, 10, 20, 40, 50, 25}) q.push(t);  // 10 and 20 have left
  EXPECT_EQ(q.waiting(24), 4U);
  EXPECT_EQ(q.waiting(25), 3U);
  EXPECT_EQ(q.waiting(39), 2U);
  EXPECT_EQ(q.waiting(50), 0U);
}

TEST(HbmBus, TransfersFollowEachOther) {
  HbmBus bus(1);
  EXPECT_EQ(bus.reserve(0, 0, 10), 0U);
  EXPECT_EQ(bus.reserve(3, 0, 10), 10U);
}

TEST(HbmBus, TurnAroundKeepsTheBusIdle) {
  HbmBus bus(1);
  bus.reserve(0, 0, 10);
  EXPECT_EQ(bus.reserve(0, 4, 10), 14U);
  EXPECT_EQ(bus.reserve(0, 0, 2), 24U);  // the turn-around itself is not given away
}

TEST(HbmBus, IdleIntervalsAreFilledFromTheFront) {
  HbmBus bus(2);
  bus.reserve(100, 0, 10);
  EXPECT_EQ(bus.reserve(20, 0, 30), 20U);
  EXPECT_EQ(bus.reserve(20, 0, 30), 50U);
  EXPECT_EQ(bus.reserve(20, 0, 30), 110U);  // 20 are left before 100
  EXPECT_EQ(bus.reserve(20, 0, 20), 80U);
  EXPECT_EQ(bus.reserve(0, 0, 20), 0U);
}

TEST(HbmBus, ForgottenIntervalsDoNotMoveLaterTransfers) {
  HbmBus bus(1);
  bus.reserve(10, 0, 5);
  bus.reserve(30, 0, 5);
  bus.forget_before(20);
  EXPECT_EQ(bus.reserve(20, 0, 10), 20U);
  EXPECT_EQ(bus.reserve(20, 0, 10), 35U);
}

TEST(HbmActivates, AreTrrdApartInBothDirections) {
  HbmActivates a(5, 0);
  EXPECT_EQ(a.reserve(100), 100U);
  EXPECT_EQ(a.reserve(102), 105U);
  EXPECT_EQ(a.reserve(90), 90U);
  EXPECT_EQ(a.reserve(92), 95U);
  EXPECT_EQ(a.reserve(91), 110U);  // no room of twice tRRD before
}

TEST(HbmActivates, AnOvertakingActivateKeepsTheWindowOfTheOvertaken) {
  HbmActivates a(1, 20);
  for (const std::uint64_t t : {100, 101, 102}) EXPECT_EQ(a.reserve(t), t);
  EXPECT_EQ(a.reserve(110), 110U);
  EXPECT_EQ(a.reserve(95), 120U);  // at 95 the five would lie within 15
  EXPECT_EQ(a.reserve(121), 121U);
}

TEST(HbmActivates, OvertakeFourAtMost) {
  HbmActivates a(1, 0);
  for (const std::uint64_t t : {100, 200, 300, 400, 500}) a.reserve(t);
  EXPECT_EQ(a.reserve(50), 101U);
}

TEST(HbmActivates, RandomOrderNeverBreaksARule) {
  std::mt19937_64 random(3);
  HbmActivates a(7, 60);
  std::vector<std::uint64_t> all;
  for (std::uint64_t now = 0; all.size() < 2000; now += random() % 20) {
    const std::uint64_t wanted = now + random() % 150;
    all.push_back(a.reserve(wanted));
    ASSERT_GE(all.back(), wanted);
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_GE(all[i] - all[i - 1], 7U);
  for (std::size_t i = 4; i < all.size(); ++i) ASSERT_GE(all[i] - all[i - 4], 60U);
}

}  // namespace
}  // namespace trnsim
