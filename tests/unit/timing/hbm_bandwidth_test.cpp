// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "unit/timing/hbm_support.hpp"

namespace trnsim {
namespace {

using test::matrix_walk;
using test::Requesters;
using test::run;

struct Stack {
  std::string name;
  HbmConfig config;
};

class HbmBandwidth : public testing::TestWithParam<Stack> {
 protected:
  [[nodiscard]] double efficiency(const Requesters& r) const { return run(config_, r).gb_per_s() / config_.stack_gb_per_s; }

  HbmConfig config_ = GetParam().config;
};

INSTANTIATE_TEST_SUITE_P(Stacks, HbmBandwidth,
                         testing::Values(Stack{"Hbm2e", test::hbm2e()}, Stack{"Hbm3", test::hbm3()}, Stack{"Hbm3e", test::hbm3e()}),
                         [](const auto& i) { return i.param.name; });

Requesters random_reads(std::uint32_t count, std::uint32_t bytes, std::uint64_t requests = 2000) {
  Requesters r;
  r.count = count;
  r.requests = requests;
  r.bytes = bytes;
  r.address = [bytes, random = std::mt19937_64(11)](std::uint32_t, std::uint64_t) mutable { return random() % (8 * kGiB) / bytes * bytes; };
  return r;
}

TEST_P(HbmBandwidth, OneSequentialStreamReaches90To95PercentOfPeak) {
  const double e = efficiency(matrix_walk(1, 4096));
  EXPECT_GE(e, 0.90);
  EXPECT_LE(e, 0.95);
}

TEST_P(HbmBandwidth, InterleavedMatrixRowsReach90To95PercentOfPeak) {
  for (const std::uint32_t streams : {16U, 32U}) {
    for (const std::uint64_t row : {4096U, 8192U, 16384U}) {
      const double e = efficiency(matrix_walk(streams, row));
      EXPECT_GE(e, 0.90) << streams << " streams, rows of " << row;
      EXPECT_LE(e, 0.95) << streams << " streams, rows of " << row;
    }
  }
}

TEST_P(HbmBandwidth, ScatteredSmallReadsAreMuchWorseThanAStream) {
  const double stream = efficiency(matrix_walk(32, 8192));
  const double at_256 = efficiency(random_reads(32, 256));
  const double at_64 = efficiency(random_reads(32, 64));
  EXPECT_LT(at_256, 0.93 * stream);
  EXPECT_LT(at_64, 0.70 * stream);
  EXPECT_LT(at_64, at_256);
}

TEST_P(HbmBandwidth, MixedReadsAndWritesAreSlowerThanReadsAlone) {
  Requesters copy = matrix_walk(32, 8192);
  copy.write = [](std::uint32_t who, std::uint64_t) { return who % 2 == 1; };
  const double mixed = efficiency(copy);
  EXPECT_LT(mixed, efficiency(matrix_walk(32, 8192)));
  EXPECT_GT(mixed, 0.70);
}

TEST_P(HbmBandwidth, PowerOfTwoStridesDoNotCamp) {
  // 256 B at each stride: the channel hash must leave at least half of what random addresses reach.
  const double scattered = efficiency(random_reads(16, 256));
  for (std::uint64_t stride = 4096; stride <= 1 << 20; stride *= 2) {
    Requesters r = random_reads(16, 256);
    r.address = [stride](std::uint32_t who, std::uint64_t n) { return (n * 16 + who) * stride % (8 * kGiB); };
    EXPECT_GT(efficiency(r), 0.5 * scattered) << "stride " << stride;
  }
}

TEST_P(HbmBandwidth, NoPatternBeatsThePeak) {
  EXPECT_LE(efficiency(matrix_walk(64, 1024)), 1.0);
  EXPECT_LE(efficiency(random_reads(64, 1024)), 1.0);
}

TEST_P(HbmBandwidth, TwiceTheBandwidthIsNeverSlowerForStreams) {
  HbmConfig fast = config_;
  fast.stack_gb_per_s *= 2;
  for (const Requesters& r : {matrix_walk(1, 4096), matrix_walk(16, 8192), matrix_walk(32, 16384)}) {
    EXPECT_LT(run(fast, r).end_fs, run(config_, r).end_fs);
  }
}

TEST_P(HbmBandwidth, TwiceTheBandwidthIsNotSlowerForScatteredReads) {
  HbmConfig fast = config_;
  fast.stack_gb_per_s *= 2;
  // Banks limit these; requests then meet them in another order, which moves the end by less than 1 %.
  for (const Requesters& r : {random_reads(16, 64, 20000), random_reads(32, 256), random_reads(1, 1024)}) {
    EXPECT_LT(static_cast<double>(run(fast, r).end_fs), 1.01 * static_cast<double>(run(config_, r).end_fs));
  }
}

TEST_P(HbmBandwidth, MoreRequestersAreNeverMuchSlower) {
  EXPECT_GT(efficiency(random_reads(32, 256)), 0.98 * efficiency(random_reads(16, 256)));
}

TEST_P(HbmBandwidth, StreamOpensEachRowOnce) {
  const test::Run r = run(config_, matrix_walk(1, 4096, 16 << 20));
  const std::uint64_t rows = r.bytes / config_.row_bytes;
  EXPECT_GE(r.counters.row_misses, rows);
  EXPECT_LT(r.counters.row_misses, rows + rows / 20 + 2 * r.counters.refreshes);  // and once more after a refresh
}

TEST_P(HbmBandwidth, SameRequestsGiveTheSameTimes) {
  const test::Run a = run(config_, random_reads(16, 256));
  const test::Run b = run(config_, random_reads(16, 256));
  EXPECT_EQ(a.end_fs, b.end_fs);
  EXPECT_EQ(a.counters, b.counters);
}

TEST_P(HbmBandwidth, BusTimeIsBurstsTimesBurst) {
  const test::Run r = run(config_, random_reads(16, 64));
  EXPECT_EQ(r.counters.row_hits + r.counters.row_misses, 16U * 2000 * 2);
  EXPECT_EQ(r.counters.data_bus_fs, (r.counters.row_hits + r.counters.row_misses) * HbmTiming(config_).burst().value);
}

TEST(HbmBandwidthLimits, WithoutDelaysEveryPatternOfWholeBurstsReachesThePeak) {
  const HbmConfig c = test::without_delays(test::hbm3());
  EXPECT_GT(run(c, matrix_walk(16, 8192)).gb_per_s(), 0.998 * c.stack_gb_per_s);
}

TEST(HbmBandwidthLimits, ADeeperQueueHelpsScatteredReads) {
  HbmConfig shallow = test::hbm3();
  shallow.queue_depth = 2;
  EXPECT_LT(run(shallow, random_reads(32, 256)).gb_per_s(), run(test::hbm3(), random_reads(32, 256)).gb_per_s());
}

}  // namespace
}  // namespace trnsim
