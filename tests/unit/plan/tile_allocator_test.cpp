// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/tile_allocator.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

TensorInfo tile(std::uint32_t bytes, std::uint16_t partitions = 128, std::uint16_t partition = 0, std::int64_t address = -1) {
  TensorInfo t;
  t.name = "tile";
  t.partitions = partitions;
  t.partition = partition;
  t.bytes_per_partition = bytes;
  t.address = address;
  return t;
}

TileAllocator sbuf(std::uint64_t capacity = 1000) { return {Buffer::Sbuf, capacity, 0, 128}; }

TEST(TileAllocator, ATileOfExactlyTheCapacityFits) {
  TileAllocator allocator = sbuf();
  EXPECT_EQ(allocator.place(1, tile(1000), 0), 0U);
}

TEST(TileAllocator, OneByteMoreIsRefusedWithTheTilesAlive) {
  TileAllocator allocator = sbuf();
  TensorInfo first = tile(600);
  first.name = "weights";
  allocator.place(1, first, 0);
  try {
    allocator.place(2, tile(401), 7);
    FAIL() << "placed";
  } catch (const ProgramError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("line 7"), std::string::npos);
    EXPECT_NE(text.find("401 bytes"), std::string::npos);
    EXPECT_NE(text.find("capacity is 1000 bytes"), std::string::npos);
    EXPECT_NE(text.find("weights (600 B)"), std::string::npos);
  }
}

TEST(TileAllocator, ALongTileIsSeenFromAnyPlaceInIt) {
  TileAllocator allocator = sbuf();
  allocator.place(1, tile(100), 0);
  allocator.place(2, tile(900), 0);
  allocator.release(1);
  EXPECT_EQ(allocator.place(3, tile(50), 0), 0U);  // the search goes on at 50
  EXPECT_EQ(allocator.place(4, tile(50), 0), 50U);
  EXPECT_THROW(allocator.place(5, tile(1), 0), ProgramError);
}

TEST(TileAllocator, OfTilesAtOneAddressTheNamedOneIsReleased) {
  TileAllocator allocator = sbuf();
  allocator.place(1, tile(100, 32, 0, 0), 0);
  allocator.place(2, tile(100, 32, 32, 0), 0);
  allocator.release(1);
  EXPECT_THROW(allocator.release(1), InternalError);
  allocator.release(2);
}

TEST(TileAllocator, ReusesTheSpaceFreedLongestAgo) {
  TileAllocator allocator = sbuf(300);
  allocator.place(1, tile(100), 0);
  allocator.place(2, tile(100), 0);
  allocator.release(1);
  EXPECT_EQ(allocator.place(3, tile(100), 0), 200U);  // not the hole at 0 yet
  EXPECT_EQ(allocator.place(4, tile(100), 0), 0U);
}

TEST(TileAllocator, TilesOnDifferentQuartersShareAddresses) {
  TileAllocator allocator = sbuf(100);
  EXPECT_EQ(allocator.place(1, tile(100, 32, 0), 0), 0U);
  EXPECT_EQ(allocator.place(2, tile(100, 32, 32), 0), 0U);
  EXPECT_EQ(allocator.place(3, tile(100, 64, 64), 0), 0U);
  EXPECT_THROW(allocator.place(4, tile(1, 32, 96), 0), ProgramError);
}

TEST(TileAllocator, AnAddressBeyondTheEndIsRefused) {
  TileAllocator allocator = sbuf();
  EXPECT_EQ(allocator.place(1, tile(100, 128, 0, 900), 0), 900U);
  EXPECT_THROW(allocator.place(2, tile(100, 128, 0, 901), 0), ProgramError);
}

TEST(TileAllocator, APsumTileDoesNotCrossABank) {
  TileAllocator psum(Buffer::Psum, 16384, 2048, 128);
  EXPECT_EQ(psum.place(1, tile(1500), 0), 0U);
  EXPECT_EQ(psum.place(2, tile(1000), 0), 2048U);
  EXPECT_EQ(psum.place(3, tile(4096), 0), 4096U);  // two whole banks
}

TEST(TileAllocator, PeakCountsTheTilesAliveTogether) {
  TileAllocator allocator = sbuf();
  allocator.place(1, tile(300), 0);
  allocator.place(2, tile(300), 0);
  allocator.release(1);
  allocator.place(3, tile(100), 0);
  EXPECT_EQ(allocator.peak_bytes_per_partition(), 600U);
  EXPECT_EQ(allocator.peak_bytes(), 600U * 128);
}

/// First partition, end and peak of each range.
std::vector<std::array<std::uint64_t, 3>> peaks(const TileAllocator& allocator) {
  std::vector<std::array<std::uint64_t, 3>> list;
  std::uint32_t first = 0;
  for (const TileAllocator::Range& range : allocator.ranges()) {
    list.push_back({first, range.end, range.peak});
    first = range.end;
  }
  return list;
}

using Peaks = std::vector<std::array<std::uint64_t, 3>>;

TEST(TileAllocator, PeaksAreThoseOfEachPartition) {
  TileAllocator allocator = sbuf();
  allocator.place(1, tile(100, 128), 0);
  allocator.place(2, tile(200, 64), 0);
  allocator.place(3, tile(300, 1), 0);
  EXPECT_EQ(peaks(allocator), (Peaks{{0, 1, 600}, {1, 64, 300}, {64, 128, 100}}));
}

TEST(TileAllocator, ARowInTheMiddleUsesItsPartitionAlone) {
  TileAllocator allocator = sbuf();
  allocator.place(1, tile(300, 1, 77), 0);
  EXPECT_EQ(peaks(allocator), (Peaks{{0, 77, 0}, {77, 78, 300}, {78, 128, 0}}));
}

TEST(TileAllocator, PeaksStayWhenTilesGo) {
  TileAllocator allocator = sbuf();
  allocator.place(1, tile(400, 32), 0);
  allocator.release(1);
  allocator.place(2, tile(100, 128), 0);
  EXPECT_EQ(peaks(allocator), (Peaks{{0, 32, 400}, {32, 128, 100}}));
  EXPECT_EQ(allocator.peak_bytes_per_partition(), 400U);
}

RC_GTEST_PROP(TileAllocatorLaw, PeaksByPartitionAreThoseOfAPlainCount, ()) {
  TileAllocator allocator = sbuf(1U << 20);
  std::vector<std::uint64_t> live(128), most(128);
  std::map<TensorId, TensorInfo> alive;
  for (TensorId id = 1; id <= 40; ++id) {
    if (!alive.empty() && *rc::gen::inRange(0, 3) == 0) {
      const auto gone = alive.begin();
      for (std::uint32_t p = gone->second.partition; p < gone->second.partition + gone->second.partitions; ++p)
        live[p] -= gone->second.bytes_per_partition;
      allocator.release(gone->first);
      alive.erase(gone);
    }
    const auto first = *rc::gen::inRange<std::uint16_t>(0, 128);
    const auto count = *rc::gen::inRange<std::uint16_t>(1, static_cast<std::uint16_t>(129 - first));
    const TensorInfo t = tile(*rc::gen::inRange(1U, 4000U), count, first);
    allocator.place(id, t, 0);
    alive[id] = t;
    for (std::uint32_t p = first; p < std::uint32_t{first} + count; ++p) most[p] = std::max(most[p], live[p] += t.bytes_per_partition);
  }
  std::uint32_t p = 0;
  for (const TileAllocator::Range& range : allocator.ranges()) {
    for (; p < range.end; ++p) RC_ASSERT(most[p] == range.peak);
  }
  RC_ASSERT(p == 128U);
}

TEST(TileAllocator, SoftwareDescriptorsTakeTheTop) {
  TileAllocator allocator = sbuf();
  allocator.reserve_top(200, 0);
  allocator.place(1, tile(800), 0);
  EXPECT_THROW(allocator.place(2, tile(1), 0), ProgramError);
}

TEST(TileAllocator, SoftwareDescriptorsAreRefusedWhereATileLies) {
  TileAllocator allocator = sbuf();
  allocator.place(1, tile(900), 0);
  EXPECT_THROW(allocator.reserve_top(200, 3), ProgramError);
}

RC_GTEST_PROP(TileAllocator, LiveTilesNeverOverlap, ()) {
  TileAllocator allocator = sbuf(4096);
  std::map<TensorId, std::pair<std::uint64_t, std::uint64_t>> live;
  for (TensorId id = 0; id < 60; ++id) {
    if (!live.empty() && *rc::gen::inRange(0, 3) == 0) {
      const auto victim = std::next(live.begin(), *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(live.size())));
      allocator.release(victim->first);
      live.erase(victim);
    }
    const auto size = *rc::gen::inRange<std::uint32_t>(1, 900);
    try {
      const std::uint64_t at = allocator.place(id, tile(size), 0);
      RC_ASSERT(at + size <= 4096U);
      for (const auto& [other, range] : live) RC_ASSERT(at + size <= range.first || range.second <= at);
      live[id] = {at, at + size};
    } catch (const ProgramError&) {  // full: allowed, the law is about what was placed
    }
  }
}

}  // namespace
}  // namespace trnsim
