// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/duration.hpp"

#include <gtest/gtest.h>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

TEST(Duration, EveryUnitIsExact) {
  EXPECT_EQ(parse_duration("7fs", "--t").value, 7u);
  EXPECT_EQ(parse_duration("7ps", "--t").value, 7'000u);
  EXPECT_EQ(parse_duration("7ns", "--t").value, 7'000'000u);
  EXPECT_EQ(parse_duration("10us", "--t").value, 10'000'000'000u);
  EXPECT_EQ(parse_duration("10µs", "--t").value, 10'000'000'000u);
  EXPECT_EQ(parse_duration("1.5ms", "--t").value, 1'500'000'000'000u);
  EXPECT_EQ(parse_duration("2s", "--t").value, 2'000'000'000'000'000u);
}

TEST(Duration, FractionsDoNotGoThroughFloatingPoint) {
  EXPECT_EQ(parse_duration("1763508.571ns", "--t").value, 1'763'508'571'000u);
  EXPECT_EQ(parse_duration("0.100us", "--t").value, 100'000'000u);
  EXPECT_EQ(parse_duration("18000.000000000000001s", "--t").value, 18'000'000'000'000'000'001u);
}

TEST(Duration, WhatIsNoPositiveTimeIsRefusedWithOptionAndText) {
  for (const char* text : {"", "us", "10", "10 us", "-1us", "0us", "0.0ns", ".5us", "1.2.3us", "1e3us", "10US", "1.5fs", "20000s",
                           "99999999999999999999ns", "10usx", "inf"}) {
    try {
      (void)parse_duration(text, "--max-time");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("--max-time \"" + std::string(text) + "\""), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace trnsim::app
