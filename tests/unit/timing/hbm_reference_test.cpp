// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "unit/timing/hbm_reference.hpp"

#include <gtest/gtest.h>

#include <random>

#include "unit/timing/hbm_support.hpp"

namespace trnsim {
namespace {

using test::HbmReference;

/// Random but legal chip, small enough that requests meet in banks, queues and refreshes.
HbmConfig random_config(std::mt19937_64& random) {
  const auto pick = [&](auto... values) {
    const std::array options{static_cast<double>(values)...};
    return options[random() % options.size()];
  };
  const auto count = [&](auto... values) { return static_cast<std::uint32_t>(pick(values...)); };
  HbmConfig c;
  c.pseudo_channels = count(1, 2, 3, 4);
  c.banks = count(1, 2, 4, 5, 16);
  c.access_bytes = count(32, 64, 48);
  c.row_bytes = count(512, 1024, 960);
  c.interleave_bytes = count(64, 256, 2048);
  c.queue_depth = count(1, 2, 5, 16);
  c.stack_gb_per_s = pick(20, 77.7, 300) * c.pseudo_channels;
  c.trcd_ns = pick(0, 14);
  c.trp_ns = pick(0, 14.3);
  c.tcl_ns = pick(0, 14, 20);
  c.tras_ns = pick(0, 28, 33);
  c.trrd_ns = pick(0, 2.5);
  c.tfaw_ns = pick(0, 16, 40);
  c.twr_ns = pick(0, 15);
  c.trtp_ns = pick(0, 5);
  c.write_to_read_ns = pick(0, 7.5);
  c.read_to_write_ns = pick(0, 3);
  c.trfc_ns = pick(0, 30, 200);
  c.trefi_ns = pick(210, 700, 3900);
  return c;
}

class HbmAgainstReference : public testing::TestWithParam<std::uint64_t> {};

TEST_P(HbmAgainstReference, EveryRequestAndCounterIsEqual) {
  std::mt19937_64 random(GetParam());
  const HbmConfig config = random_config(random);
  HbmTiming fast(config);
  HbmReference slow(config);
  const std::uint64_t space = std::uint64_t{config.pseudo_channels} * config.banks * config.row_bytes * 3;
  const std::uint64_t pause_fs = random() % 3 == 0 ? 100'000'000 : 5'000'000;
  Time now{0};
  std::uint64_t next = 0;
  for (int i = 0; i < 250; ++i) {
    const auto bytes = static_cast<std::uint32_t>(random() % 4 == 0 ? 1 + random() % 1500 : 256);
    const std::uint64_t address = random() % 3 == 0 ? random() % space : next;
    const bool write = random() % 4 == 0;
    const HbmReservation a = fast.reserve(now, address, bytes, write);
    const HbmReservation b = slow.reserve(now, address, bytes, write);
    ASSERT_EQ(a.accepted.value, b.accepted.value) << "request " << i;
    ASSERT_EQ(a.done.value, b.done.value) << "request " << i;
    next = (address + bytes) % space;
    if (random() % 5 == 0) now += Time{random() % pause_fs};
    if (random() % 5 == 0) now = std::max(now, a.accepted);
    if (random() % 40 == 0) now = std::max(now, a.done) + Time{random() % 1'000'000'000};
  }
  EXPECT_EQ(fast.counters(), slow.counters);
}

INSTANTIATE_TEST_SUITE_P(Seeds, HbmAgainstReference, testing::Range<std::uint64_t>(0, 80));

}  // namespace
}  // namespace trnsim
