// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Large runs that take seconds: not part of every test run (label "long").
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/run_result.hpp"

namespace trnsim {
namespace {

using test::preset;

/// Largest resident set of the children so far, the simulations, in bytes.
std::uint64_t children_rss() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kKiB;
}

TEST(LongMatmul, SixteenThousandCubedStaysInMemoryAndAboveTheArrayBound) {
  const Result result = test::kernel_result(preset("trn2"), "matmul", "m=16384,n=16384,k=16384");
  EXPECT_GE(result.cycles, 268'435'456U);
  EXPECT_LE(result.cycles, 268'435'456U * 11 / 10);
  EXPECT_EQ(result.macs, std::uint64_t{1} << 42);
  EXPECT_EQ(test::macs(result.snapshot), result.macs);
  EXPECT_LT(children_rss(), 2 * kGiB);
}

TEST(LongMatmul, LargestRowsAndColumnsRun) {
  const Result result = test::kernel_result(preset("trn2"), "matmul", "m=65536,n=65536,k=128");
  EXPECT_EQ(result.macs, std::uint64_t{1} << 39);
  EXPECT_EQ(test::macs(result.snapshot), result.macs);
  EXPECT_GE(test::hbm_bytes(result.snapshot), 2ULL * 65536 * 65536);
  EXPECT_GE(result.cycles, std::uint64_t{1} << 25);  // 512 × 512 × 128
  EXPECT_LT(children_rss(), kGiB);
}

TEST(LongMatmul, LargestContractionRuns) {
  const Result result = test::kernel_result(preset("trn2"), "matmul", "m=128,n=512,k=65536");
  EXPECT_EQ(test::macs(result.snapshot), std::uint64_t{1} << 32);
}

}  // namespace
}  // namespace trnsim
