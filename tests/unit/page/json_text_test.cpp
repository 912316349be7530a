// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "page/json_text.hpp"

#include <gtest/gtest.h>

namespace trnsim {
namespace {

template <class Value>
std::string written(void (*add)(std::string&, Value), Value value) {
  std::string text;
  add(text, value);
  return text;
}

TEST(PageNumbers, TenthsHaveAPointOnlyWhereNeeded) {
  EXPECT_EQ(written(add_tenths, std::uint64_t{0}), "0");
  EXPECT_EQ(written(add_tenths, std::uint64_t{30}), "3");
  EXPECT_EQ(written(add_tenths, std::uint64_t{2034567}), "203456.7");
  EXPECT_EQ(tenths_of_ns(Time{149'999}), 1U);
  EXPECT_EQ(tenths_of_ns(Time{150'000}), 2U);
}

TEST(PageNumbers, TheEndOfARunIsExactToAPicosecond) {
  EXPECT_EQ(written(add_exact_ns, Time{0}), "0");
  EXPECT_EQ(written(add_exact_ns, Time{300 * kFsPerNs}), "300");
  EXPECT_EQ(written(add_exact_ns, Time{1'234'567}), "1.235");
  EXPECT_EQ(written(add_exact_ns, Time{10'050'400}), "10.05");
}

TEST(PageNumbers, SharesHaveThreeDigitsAtMost) {
  EXPECT_EQ(written(add_share, 0.0), "0");
  EXPECT_EQ(written(add_share, 1.0), "1");
  EXPECT_EQ(written(add_share, 0.5), "0.5");
  EXPECT_EQ(written(add_share, 0.0424), "0.042");
  EXPECT_EQ(written(add_share, 0.1), "0.1");
  EXPECT_EQ(written(add_share, 0.9996), "1");
  EXPECT_EQ(written(add_share, 1.0000001), "1");
}

TEST(PageNumbers, SevenDigitsAndNoNegativeZero) {
  EXPECT_EQ(written(add_number, 123.456789), "123.4568");
  EXPECT_EQ(written(add_number, -0.0), "0");
  EXPECT_EQ(written(add_whole, -0.2), "0");
  EXPECT_EQ(written(add_whole, 25165824.0), "25165824");
}

TEST(PageNumbers, ATextIsQuotedWhateverItsBytesAre) {
  EXPECT_EQ(json_string("a\"b"), "\"a\\\"b\"");
  EXPECT_EQ(json_string("\xff"), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace trnsim
