// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/text.hpp"

#include <gtest/gtest.h>

namespace trnsim {
namespace {

TEST(Text, TimesCarryTheLargestUnitThatFits) {
  EXPECT_EQ(time_text(0), "0.00 ns");
  EXPECT_EQ(time_text(12.5), "12.5 ns");
  EXPECT_EQ(time_text(999), "999 ns");
  EXPECT_EQ(time_text(1000), "1.00 µs");
  EXPECT_EQ(time_text(1772412.3), "1.77 ms");
  EXPECT_EQ(time_text(52e9), "52.0 s");
}

TEST(Text, BytesAreInPowersOf1024) {
  EXPECT_EQ(bytes_text(64), "64 B");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(96 * 1048576.0), "96.0 MiB");
  EXPECT_EQ(bytes_text(1000.0 * 1073741824), "1,000 GiB");
}

TEST(Text, EnergiesReachFromPicojouleToJoule) {
  EXPECT_EQ(energy_text(3), "3.00 pJ");
  EXPECT_EQ(energy_text(93.65e9), "93.7 mJ");
  EXPECT_EQ(energy_text(2e12), "2.00 J");
}

TEST(Text, LargeCountsAreGrouped) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(17179869184ULL), "17,179,869,184");
}

TEST(Text, AnAbsentValueIsADash) {
  EXPECT_EQ(or_dash(std::nullopt, percent), "-");
  EXPECT_EQ(or_dash(0.976, percent), "97.6 %");
}

TEST(Text, PaddingCountsColumnsNotBytes) {
  EXPECT_EQ(text_width("1.00 µs"), 7U);
  EXPECT_EQ(pad_left("µs", 4), "  µs");
  EXPECT_EQ(pad_right("µs", 4), "µs  ");
  EXPECT_EQ(pad_left("long", 2), "long");
}

TEST(Text, WrappedLinesStayInsideTheWidth) {
  EXPECT_EQ(wrap("one two three", 80, 2), "one two three");
  EXPECT_EQ(wrap("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrap("aaaa bbbb cccc dddd", 9, 0), "aaaa bbbb\ncccc dddd");
  EXPECT_EQ(wrap("unbreakable", 4, 2), "unbreakable");
  EXPECT_EQ(wrap("", 10, 2), "");
}

TEST(Text, ANumberKeepsItsUnitOnTheLine) {
  EXPECT_EQ(wrap("slack of 93.6 %.", 12, 0), "slack of\n93.6 %.");
  EXPECT_EQ(wrap("moves 500 MiB, then", 10, 0), "moves\n500 MiB,\nthen");
  EXPECT_EQ(wrap("take 8 cores", 7, 0), "take 8\ncores");
}

TEST(Text, AsciiHasNoByteAbove127) {
  EXPECT_EQ(to_ascii("1 µs · 2 × 3 …"), "1 us | 2 x 3 ...");
  for (const char c : to_ascii("█▒░ é 漢")) EXPECT_LT(static_cast<unsigned char>(c), 128U);
}

}  // namespace
}  // namespace trnsim
