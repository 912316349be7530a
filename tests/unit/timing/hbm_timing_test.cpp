// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/hbm_timing.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "trnsim/error.hpp"
#include "unit/timing/hbm_support.hpp"

namespace trnsim {
namespace {

/// One pseudo-channel with bursts of 1 ns, addressed by bank and row; times in nanoseconds.
/// tRCD = tRP = tCL = 14, tRAS = 28, tRTP = 5, tWR = 15, tRRD = 2.5, tFAW = 16.
class HbmLatency : public testing::Test {
 protected:
  void make(const HbmConfig& config) {
    config_ = config;
    hbm_.emplace(config_);
  }
  HbmReservation access(double at_ns, std::uint32_t bank, std::uint64_t row, std::uint32_t bytes = 32, bool write = false) {
    if (!hbm_) make(test::one_channel());
    return hbm_->reserve(from_ns(at_ns), HbmAddressMap(config_).address({0, bank, row, 0, 0}), bytes, write);
  }
  Time read(double at_ns, std::uint32_t bank, std::uint64_t row, std::uint32_t bytes = 32) { return access(at_ns, bank, row, bytes).done; }
  Time write(double at_ns, std::uint32_t bank, std::uint64_t row, std::uint32_t bytes = 32) {
    return access(at_ns, bank, row, bytes, true).done;
  }

  HbmConfig config_ = test::one_channel();
  std::optional<HbmTiming> hbm_;
};

TEST_F(HbmLatency, ClosedBankReadTakesActivateColumnAndBursts) { EXPECT_EQ(read(100, 0, 0, 256), from_ns(100 + 14 + 14 + 8)); }

TEST_F(HbmLatency, RowHitTakesColumnAndBursts) {
  read(0, 0, 0);
  EXPECT_EQ(read(100, 0, 0, 64), from_ns(100 + 14 + 2));
}

TEST_F(HbmLatency, HitOnARowBeingOpenedWaitsForTheActivate) {
  read(0, 0, 0);
  EXPECT_EQ(read(1, 0, 0), from_ns(14 + 14 + 2));  // behind the first burst, not 1 + tCL
}

TEST_F(HbmLatency, ConflictInAnIdleBankPrechargesActivatesAndReads) {
  read(0, 0, 0);
  EXPECT_EQ(read(100, 0, 1), from_ns(100 + 14 + 14 + 14 + 1));
}

TEST_F(HbmLatency, ConflictWaitsUntilTheRowWasOpenForTras) {
  read(0, 0, 0);
  EXPECT_EQ(read(1, 0, 1), from_ns(28 + 14 + 14 + 14 + 1));
}

TEST_F(HbmLatency, ConflictWaitsForReadToPrecharge) {
  read(0, 0, 0, 1024);  // the column command of the 32nd burst goes out at 14 + 31
  EXPECT_EQ(read(1, 0, 1), from_ns(14 + 31 + 5 + 14 + 14 + 14 + 1));
}

TEST_F(HbmLatency, ConflictAfterAWriteWaitsForTheWriteRecovery) {
  EXPECT_EQ(write(0, 0, 0), from_ns(29));
  EXPECT_EQ(read(1, 0, 1), from_ns(29 + 15 + 14 + 14 + 14 + 1));
}

TEST_F(HbmLatency, ConflictArrivingAsThePrechargeIsAllowedPaysNothingMore) {
  read(0, 0, 0);
  EXPECT_EQ(read(28, 0, 1), from_ns(28 + 14 + 14 + 14 + 1));
  EXPECT_EQ(read(70.000001, 0, 2), from_ns(70.000001 + 14 + 14 + 14 + 1));
}

TEST_F(HbmLatency, ActivatesOfTwoBanksAreTrrdApart) {
  read(0, 0, 0);
  EXPECT_EQ(read(0, 1, 0), from_ns(2.5 + 14 + 14 + 1));
}

TEST_F(HbmLatency, FifthActivateWaitsForTheWindowOfFour) {
  for (std::uint32_t bank = 0; bank < 4; ++bank) EXPECT_EQ(read(0, bank, 0), from_ns(2.5 * bank + 14 + 14 + 1));
  EXPECT_EQ(read(0, 4, 0), from_ns(16 + 14 + 14 + 1));
  EXPECT_EQ(read(0, 5, 0), from_ns(18.5 + 14 + 14 + 1));
}

TEST_F(HbmLatency, FifthActivateAtTheEndOfTheWindowIsFree) {
  for (std::uint32_t bank = 0; bank < 4; ++bank) read(0, bank, 0);
  EXPECT_EQ(read(16, 4, 0), from_ns(16 + 14 + 14 + 1));
}

TEST_F(HbmLatency, BusCarriesOneTransferAtATime) {
  read(0, 0, 0, 1024);
  EXPECT_EQ(read(0, 1, 0), from_ns(14 + 14 + 32 + 1));
}

TEST_F(HbmLatency, AnotherBankUsesTheBusWhileARowIsOpened) {
  read(0, 0, 0);
  read(30, 1, 0);
  const Time conflict = read(50, 0, 1, 256);
  EXPECT_EQ(conflict, from_ns(50 + 14 + 14 + 14 + 8));
  EXPECT_EQ(read(50, 1, 0, 256), from_ns(50 + 14 + 8));
}

TEST_F(HbmLatency, ATransferThatDoesNotFitBeforeAnotherGoesBehindIt) {
  read(0, 0, 0);
  read(30, 1, 0);
  EXPECT_EQ(read(50, 0, 1, 256), from_ns(50 + 42 + 8));   // data from 92
  EXPECT_EQ(read(50, 1, 0, 896), from_ns(50 + 14 + 28));  // fills 64 to 92 exactly
  EXPECT_EQ(read(50, 1, 0, 32), from_ns(50 + 42 + 8 + 1));
}

TEST_F(HbmLatency, ReadAfterWriteWaitsForTheTurnAround) {
  EXPECT_EQ(write(0, 0, 0), from_ns(29));
  EXPECT_EQ(read(29, 0, 0), from_ns(29 + 14 + 1));  // hidden behind tCL
  make(config_);
  write(0, 0, 0);
  EXPECT_EQ(read(16, 0, 0), from_ns(29 + 7.5 + 1));
}

TEST_F(HbmLatency, WriteAfterReadWaitsForTheTurnAround) {
  read(0, 0, 0);
  EXPECT_EQ(write(16, 0, 0), from_ns(29 + 3 + 1));
}

TEST_F(HbmLatency, QueuedRequestsShareTheTurnAround) {
  for (int i = 0; i < 8; ++i) write(0, 0, 0);  // until 36
  EXPECT_EQ(read(0, 0, 0), from_ns(36 + 7.5 + 1));
  // Nine requests wait: a controller makes groups of five, so a run of one pays a fifth of 3 ns.
  EXPECT_EQ(write(0, 0, 0), from_ns(44.5 + 0.6 + 1));
}

TEST_F(HbmLatency, RequestAtTheRefreshWaitsForItAndOpensItsRowAgain) {
  config_.trfc_ns = 200;
  config_.trefi_ns = 1000;
  make(config_);
  read(500, 0, 0);
  EXPECT_EQ(read(999.999999, 0, 0), from_ns(999.999999 + 14 + 1));
  make(config_);
  read(500, 0, 0);
  EXPECT_EQ(read(1000, 0, 0), from_ns(1000 + 200 + 14 + 14 + 1));
}

TEST_F(HbmLatency, RefreshWaitsForRequestsAcceptedBefore) {
  config_.trfc_ns = 200;
  config_.trefi_ns = 1000;
  make(config_);
  EXPECT_EQ(read(999, 0, 0), from_ns(999 + 29));  // precharge at 1027, tRAS after the activate
  EXPECT_EQ(read(1000, 1, 0), from_ns(1027 + 14 + 200 + 28 + 1));
}

TEST_F(HbmLatency, RefreshDuringAnIdleTimeClosesTheRowOnly) {
  config_.trfc_ns = 200;
  config_.trefi_ns = 1000;
  make(config_);
  read(500, 0, 0);
  EXPECT_EQ(read(5200, 0, 0), from_ns(5200 + 28 + 1));
  EXPECT_EQ(hbm_->counters().refreshes, 5U);
  hbm_->settle(from_ns(7000));
  EXPECT_EQ(hbm_->counters().refreshes, 7U);
}

TEST_F(HbmLatency, RefreshesOfTheChannelsBeginTrrdApart) {
  config_.trfc_ns = 200;
  config_.trefi_ns = 1000;
  config_.pseudo_channels = 2;
  config_.stack_gb_per_s = 64;
  make(config_);
  const HbmAddressMap map(config_);
  EXPECT_EQ(hbm_->reserve(from_ns(1001), map.address({1, 0, 0, 0, 0}), 32, false).done, from_ns(1001 + 29));
  EXPECT_EQ(hbm_->reserve(from_ns(1001), map.address({0, 0, 0, 0, 0}), 32, false).done, from_ns(1200 + 29));
}

TEST_F(HbmLatency, FullQueueAcceptsWhenTheFirstRequestHasFinished) {
  config_.queue_depth = 2;
  make(config_);
  const HbmReservation first = access(0, 0, 0);
  const HbmReservation second = access(0, 0, 0);
  EXPECT_EQ(second.accepted, Time{0});
  EXPECT_EQ(access(0, 0, 0).accepted, first.done);
  EXPECT_EQ(access(0, 0, 0).accepted, second.done);
  EXPECT_EQ(hbm_->counters().back_pressure, 2U);
}

TEST_F(HbmLatency, RequestArrivingAsASlotIsFreedFindsNoBackPressure) {
  config_.queue_depth = 1;
  make(config_);
  const Time done = read(0, 0, 0);
  EXPECT_EQ(hbm_->reserve(done, 0, 32, false).accepted, done);
  EXPECT_EQ(hbm_->counters().back_pressure, 0U);
}

TEST_F(HbmLatency, PartialBurstsAreWholeOnes) {
  EXPECT_EQ(read(0, 0, 0, 1), from_ns(28 + 1));
  EXPECT_EQ(hbm_->reserve(from_ns(100), HbmAddressMap(config_).address({0, 0, 0, 31, 0}), 34, false).done, from_ns(100 + 14 + 3));
}

TEST_F(HbmLatency, EmptyRequestTakesNoTime) {
  const HbmReservation r = access(7, 0, 0, 0);
  EXPECT_EQ(r, (HbmReservation{from_ns(7), from_ns(7)}));
  EXPECT_EQ(hbm_->counters(), HbmStackCounters{});
}

TEST_F(HbmLatency, RequestOverSeveralChannelsEndsWithTheLastOne) {
  config_.pseudo_channels = 4;
  config_.stack_gb_per_s = 128;
  config_.interleave_bytes = 256;
  make(config_);
  EXPECT_EQ(hbm_->reserve(Time{0}, 0, 1024, false).done, from_ns(28 + 8));
  EXPECT_EQ(hbm_->reserve(from_ns(100), 0, 1024 + 64, false).done, from_ns(100 + 14 + 8 + 2));
}

TEST(HbmTiming, SingleRowRunReachesTheBurstRate) {
  HbmTiming hbm(test::one_channel());
  Time end{0};
  for (int i = 0; i < 1000; ++i) end = hbm.reserve(Time{0}, 0, 1024, false).done;
  EXPECT_EQ(end, from_ns(28 + 32'000));
}

TEST(HbmTiming, CountersAddUp) {
  HbmTiming hbm(test::one_channel());
  hbm.reserve(Time{0}, 0, 1000, false);      // 32 bursts, one opens the row
  hbm.reserve(Time{0}, 1024, 64, true);      // 2 bursts in the next row
  hbm.reserve(from_ns(500), 10, 40, false);  // 2 bursts, open row
  const HbmStackCounters& c = hbm.counters();
  EXPECT_EQ(c.read_bytes, 1040U);
  EXPECT_EQ(c.write_bytes, 64U);
  EXPECT_EQ(c.row_misses, 2U);
  EXPECT_EQ(c.row_hits, 34U);
  EXPECT_EQ(c.data_bus_fs, 36 * hbm.burst().value);
  EXPECT_EQ(c.refreshes, 0U);
}

TEST(HbmTiming, BurstTimeRoundsUp) {
  EXPECT_EQ(HbmTiming(test::hbm3()).burst().value, 1'430'168U);  // 32 B at 716/32 GB/s = 1430167.6 fs
}

TEST(HbmTiming, UnlimitedBandwidthWithoutDelaysTakesAlmostNoTime) {
  HbmConfig c = test::without_delays(HbmConfig{});
  c.stack_gb_per_s = 1e6;
  HbmTiming hbm(c);
  EXPECT_EQ(hbm.reserve(from_ns(5), 0, 256, false).done.value, from_ns(5).value + 8 * 1024);
}

TEST(HbmTiming, RefreshThatTakesAllTheTimeIsRefused) {
  HbmConfig c;
  c.trfc_ns = 3900;
  EXPECT_THROW(HbmTiming{c}, ConfigError);
  c.trfc_ns = 3899;
  EXPECT_NO_THROW(HbmTiming{c});
}

}  // namespace
}  // namespace trnsim
