// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/override.hpp"

#include <gtest/gtest.h>

#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

ChipConfig loaded(const std::vector<std::string>& set = {}) {
  std::vector<std::string> warnings;
  return load_chip("trn2", {set, false}, warnings);
}

TEST(OverrideChip, IsTheSameAsLoadingWithOverrides) {
  const std::vector<std::string> set{"hbm.stack_gb_per_s=400", "dma.engines=8"};
  const ChipConfig changed = override_chip(loaded(), "trn2", set);
  EXPECT_EQ(config_hash(changed), config_hash(loaded(set)));
  EXPECT_EQ(to_json(changed, true), to_json(loaded(set), true));
  EXPECT_EQ(changed.overrides, loaded(set).overrides);
}

TEST(OverrideChip, NothingToSetChangesNothing) { EXPECT_EQ(to_json(override_chip(loaded(), "trn2", {}), true), to_json(loaded(), true)); }

TEST(OverrideChip, EveryProblemIsNamed) {
  try {
    override_chip(loaded(), "trn2", {"hbm.stack_gb_per_sec=400", "dma.engines=0"});
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    ASSERT_EQ(error.problems().size(), 2U);
    EXPECT_NE(error.problems()[0].find("hbm.stack_gb_per_s"), std::string::npos) << error.problems()[0];
    EXPECT_NE(error.problems()[1].find("dma.engines"), std::string::npos) << error.problems()[1];
  }
}

TEST(OverrideChip, RulesAcrossFieldsAreCheckedAgain) { EXPECT_THROW(override_chip(loaded(), "trn2", {"hbm.bank_groups=7"}), ConfigError); }

}  // namespace
}  // namespace trnsim
