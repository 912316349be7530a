// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/key_match.hpp"

#include <gtest/gtest.h>

namespace trnsim {
namespace {

const std::vector<std::string> kKeys{"name", "tensor.clock_ghz", "tensor.rows", "vector.clock_ghz", "hbm.stack_gb_per_s", "hbm.banks"};

TEST(KeyMatch, SeparatorsCaseAndUnitSpellingsAreEqual) {
  EXPECT_EQ(key_distance("hbm.stack-GBPS", "hbm_stack_gb_per_s"), 0u);
  EXPECT_EQ(key_distance("rows", "row"), 1u);
}

TEST(KeyMatch, MisspeltKeyIsFoundInItsSection) {
  EXPECT_EQ(nearest_path("tensor.row", kKeys), "tensor.rows");
  EXPECT_EQ(nearest_path("hbm.bandwidth_gbps", kKeys), "hbm.stack_gb_per_s");
}

TEST(KeyMatch, RightKeyInAWrongSectionIsFound) { EXPECT_EQ(nearest_path("pe_array.rows", kKeys), "tensor.rows"); }

TEST(KeyMatch, KeyThatSeveralSectionsHaveTakesTheNearestSection) {
  EXPECT_EQ(nearest_path("vectors.clock_ghz", kKeys), "vector.clock_ghz");
  EXPECT_EQ(nearest_path("tensors.clock_ghz", kKeys), "tensor.clock_ghz");
}

TEST(KeyMatch, NothingToCompareWithGivesNothing) { EXPECT_EQ(nearest_key("x", {}), ""); }

}  // namespace
}  // namespace trnsim
