// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/text_table.hpp"

#include <gtest/gtest.h>

namespace trnsim::app {
namespace {

TEST(TextTable, TextStandsLeftAndNumbersRight) {
  EXPECT_EQ(text_table({{"case", "cycles"}, {"a", "7"}, {"long-name", "1234567"}}, {true, false}),
            "  case        cycles\n"
            "  a                7\n"
            "  long-name  1234567\n");
}

TEST(TextTable, LinesDoNotEndInSpaces) { EXPECT_EQ(text_table({{"a", ""}, {"bb", "ccc"}}, {true, true}), "  a\n  bb  ccc\n"); }

TEST(TextTable, CountsCharactersNotBytes) { EXPECT_EQ(text_table({{"µs", "1"}, {"ns", "2"}}, {true, false}), "  µs  1\n  ns  2\n"); }

TEST(TextTable, WithoutRowsIsEmpty) { EXPECT_EQ(text_table({}, {true}), ""); }

}  // namespace
}  // namespace trnsim::app
