// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/hbm_address.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace trnsim {
namespace {

HbmConfig geometry(std::uint32_t channels, std::uint32_t banks, std::uint32_t row, std::uint32_t interleave) {
  HbmConfig c;
  c.pseudo_channels = channels;
  c.banks = banks;
  c.row_bytes = row;
  c.interleave_bytes = interleave;
  return c;
}

/// Most accesses that one pseudo-channel receives of `count` accesses at `stride` bytes.
std::uint32_t busiest_channel(const HbmConfig& config, std::uint64_t stride, std::uint32_t count) {
  const HbmAddressMap map(config);
  std::vector<std::uint32_t> hits(config.pseudo_channels);
  for (std::uint64_t i = 0; i < count; ++i) ++hits[map.place(i * stride).channel];
  return *std::max_element(hits.begin(), hits.end());
}

TEST(HbmAddress, ConsecutiveInterleavePiecesVisitEveryChannelOnce) {
  const HbmConfig c = geometry(32, 16, 1024, 256);
  EXPECT_EQ(busiest_channel(c, 256, 32), 1U);
}

TEST(HbmAddress, NoPowerOfTwoStrideCampsOnAChannel) {
  for (const std::uint32_t channels : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U}) {
    const HbmConfig c = geometry(channels, 16, 1024, 256);
    for (std::uint64_t stride = 256; stride <= (1ULL << 26); stride *= 2) {
      EXPECT_EQ(busiest_channel(c, stride, channels), 1U) << channels << " channels, stride " << stride;
    }
  }
}

TEST(HbmAddress, NoPowerOfTwoStrideCampsOnABankOfAChannel) {
  for (const std::uint32_t banks : {16U, 32U, 48U, 64U}) {
    const HbmAddressMap map(geometry(32, banks, 1024, 256));
    for (std::uint64_t stride = 1 << 15; stride <= (1ULL << 24); stride *= 2) {
      std::map<std::tuple<std::uint32_t, std::uint32_t>, std::uint32_t> hits;
      for (std::uint64_t i = 0; i < 1024; ++i) {
        const HbmPlace p = map.place(i * stride);
        ++hits[{p.channel, p.bank}];
      }
      for (const auto& [place, count] : hits)
        EXPECT_LE(count, banks == 48 ? 8U : 1024U / std::min(1024U, 32 * banks) * 2) << banks << " banks, stride " << stride;
    }
  }
}

TEST(HbmAddress, RowStridesOfRealMatricesSpreadOverTheChannels) {
  const HbmConfig c = geometry(32, 16, 1024, 256);
  for (std::uint64_t stride = 512; stride <= 65536; stride += 512) {
    EXPECT_LE(busiest_channel(c, stride, 512), 64U) << "stride " << stride;  // 16 each is even
  }
}

TEST(HbmAddress, EveryPlaceIsTakenExactlyOnce) {
  const std::uint64_t unit = 32;
  const std::uint64_t rows = 4;
  for (const auto& c : {geometry(32, 16, 1024, 256), geometry(24, 12, 1024, 256), geometry(3, 5, 512, 128), geometry(4, 4, 256, 1024),
                        geometry(2, 2, 96, 64)}) {
    const HbmAddressMap map(c);
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>> seen;
    // Whole turns over channels and banks: the image must be exactly the first rows of every bank.
    ASSERT_EQ(c.banks * c.row_bytes * rows % c.interleave_bytes, 0U);
    const std::uint64_t total = std::uint64_t{c.pseudo_channels} * c.banks * c.row_bytes * rows;
    for (std::uint64_t a = 0; a < total; a += unit) {
      const HbmPlace p = map.place(a);
      ASSERT_LT(p.channel, c.pseudo_channels);
      ASSERT_LT(p.bank, c.banks);
      ASSERT_LT(p.row, rows);
      ASSERT_LT(p.column, c.row_bytes);
      ASSERT_TRUE(seen.insert({p.channel, p.bank, p.row, p.column}).second) << "address " << a << " shares its place";
    }
    EXPECT_EQ(seen.size(), total / unit);
  }
}

TEST(HbmAddress, PlaceAndAddressAreInverse) {
  std::mt19937_64 random(7);
  for (const auto& c : {geometry(32, 16, 1024, 256), geometry(16, 48, 2048, 512), geometry(24, 12, 1024, 256), geometry(7, 5, 100, 96)}) {
    const HbmAddressMap map(c);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t a = random() % (36 * kGiB);
      ASSERT_EQ(map.address(map.place(a)), a);
    }
  }
}

TEST(HbmAddress, ARunEndsAtTheInterleavePieceAndAtTheRow) {
  const HbmAddressMap narrow(geometry(32, 16, 1024, 256));
  EXPECT_EQ(narrow.place(0).run_bytes, 256U);
  EXPECT_EQ(narrow.place(250).run_bytes, 6U);
  const HbmAddressMap wide(geometry(32, 16, 1024, 4096));
  EXPECT_EQ(wide.place(100).run_bytes, 924U);
}

TEST(HbmAddress, ConsecutiveRowsOfAChannelLieInDifferentBanks) {
  const HbmAddressMap map(geometry(1, 16, 1024, 1024));
  std::set<std::uint32_t> banks;
  for (std::uint64_t row = 0; row < 16; ++row) banks.insert(map.place(row * 1024).bank);
  EXPECT_EQ(banks.size(), 16U);
}

}  // namespace
}  // namespace trnsim
