// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/tolerance.hpp"

#include <gtest/gtest.h>

namespace trnsim::app {
namespace {

TEST(ToleranceText, PercentAndFactorAreTheSame) {
  EXPECT_EQ(parse_rel("2%"), 20'000'000u);
  EXPECT_EQ(parse_rel("0.02"), 20'000'000u);
  EXPECT_EQ(parse_rel("0.25%"), 2'500'000u);
  EXPECT_EQ(parse_rel("0"), 0u);
  EXPECT_EQ(parse_rel("0%"), 0u);
  EXPECT_EQ(parse_rel("100%"), 1'000'000'000u);
}

TEST(ToleranceText, ANumberWithoutPercentThatIsNoFactorIsRefused) {
  EXPECT_FALSE(parse_rel("2"));
  EXPECT_FALSE(parse_rel("1.5"));
}

TEST(ToleranceText, AnythingElseIsRefused) {
  for (const char* text :
       {"", "%", ".5", "1.", "1.%", "-1%", "+1%", "1e-3", "101%", "100.1%", "1000%", "2 %", "2%%", "two", "0.0000000001", "0x1%"}) {
    EXPECT_FALSE(parse_rel(text)) << text;
  }
}

TEST(ToleranceText, PartsPerBillionAreKept) {
  EXPECT_EQ(parse_rel("0.000000001"), 1u);
  EXPECT_EQ(parse_rel("0.0000001%"), 1u);
  EXPECT_EQ(parse_rel("0.0200000000000"), 20'000'000u);
}

TEST(ToleranceRule, IsExactByDefault) {
  EXPECT_TRUE(exceeds(std::uint64_t{100'000}, std::uint64_t{99'999}, {}));
  EXPECT_FALSE(exceeds(std::uint64_t{100'000}, std::uint64_t{100'000}, {}));
  EXPECT_TRUE(exceeds(std::uint64_t{100'000}, std::uint64_t{100'001}, {}));
}

// Two percent and 30 cycles.
TEST(ToleranceRule, BothLimitsMustBeExceeded) {
  const Tolerance rule{20'000'000, 30};
  EXPECT_FALSE(exceeds(std::uint64_t{10'000}, std::uint64_t{10'190}, rule)) << "+1.9 %";
  EXPECT_TRUE(exceeds(std::uint64_t{10'000}, std::uint64_t{10'210}, rule)) << "+2.1 %";
  EXPECT_FALSE(exceeds(std::uint64_t{100}, std::uint64_t{103}, rule)) << "+3 % of 100 are 3 cycles";
  EXPECT_TRUE(exceeds(std::uint64_t{10'000}, std::uint64_t{9'500}, rule)) << "-5 %";
}

TEST(ToleranceRule, TheLimitItselfIsAllowed) {
  EXPECT_FALSE(exceeds(std::uint64_t{10'000}, std::uint64_t{10'200}, {20'000'000, 0}));
  EXPECT_TRUE(exceeds(std::uint64_t{10'000}, std::uint64_t{10'201}, {20'000'000, 0}));
  EXPECT_FALSE(exceeds(std::uint64_t{10'000}, std::uint64_t{10'030}, {0, 30}));
  EXPECT_TRUE(exceeds(std::uint64_t{10'000}, std::uint64_t{10'031}, {0, 30}));
  // 7 % of 100 is not 7 in floating point.
  EXPECT_FALSE(exceeds(std::uint64_t{100}, std::uint64_t{107}, {*parse_rel("7%"), 0}));
}

TEST(ToleranceRule, HoldsForTheLargestCounts) {
  const std::uint64_t most = std::uint64_t{1} << 53;
  EXPECT_FALSE(exceeds(most, most + most / 100, {10'000'000, 0}));
  EXPECT_TRUE(exceeds(most, most + most / 100 + 1, {10'000'000, 0}));
  EXPECT_TRUE(exceeds(std::uint64_t{1}, most, {1'000'000'000, 0}));
}

TEST(ToleranceRule, LastBitsOfANumberWithAFractionAreNoChange) {
  EXPECT_FALSE(exceeds(671537473.13, 671537473.1300001, {}));
  EXPECT_TRUE(exceeds(671537473.13, 671537475.13, {}));
  EXPECT_FALSE(exceeds(100.0, 101.9, {20'000'000, 0}));
  EXPECT_TRUE(exceeds(100.0, 97.9, {20'000'000, 0}));
}

}  // namespace
}  // namespace trnsim::app
