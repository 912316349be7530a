// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/causes.hpp"

#include <algorithm>
#include <set>

#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

TEST(Causes, EveryKeyOfAChipBelongsToOne) {
  for (const std::string& path : key_paths())
    EXPECT_TRUE(cause_of(path).has_value()) << path << " belongs to no cause: src/config/causes.cpp";
}

TEST(Causes, AKeyThatDoesNotExistBelongsToNone) {
  EXPECT_EQ(cause_of("hbmm.stacks"), std::nullopt);
  EXPECT_EQ(cause_of("sequencer.new_key"), std::nullopt);
  EXPECT_EQ(cause_of("hbm"), std::nullopt);
}

TEST(Causes, EachHasKeysANameAndAnExplanation) {
  std::set<Cause> used;
  for (const std::string& path : key_paths()) used.insert(cause_of(path).value());
  std::set<std::string_view> names;
  for (const Cause cause : kCauses) {
    EXPECT_TRUE(used.contains(cause)) << name_of(cause);
    EXPECT_FALSE(help_of(cause).empty());
    names.insert(name_of(cause));
  }
  EXPECT_EQ(names.size(), kCauseCount);
}

TEST(Causes, ClocksAreApartFromTheRatesOfTheirEngines) {
  EXPECT_EQ(cause_of("tensor.clock_ghz"), Cause::Clock);
  EXPECT_EQ(cause_of("tensor.fp8_rate"), Cause::Array);
  EXPECT_EQ(cause_of("vector.clock_ghz"), Cause::Clock);
  EXPECT_EQ(cause_of("scalar.fast_mode_16bit"), Cause::Vector);
  EXPECT_EQ(cause_of("dma.static_mode.trigger_ns"), Cause::Dma);
  EXPECT_EQ(cause_of("energy.hbm_pj_per_bit"), Cause::Other);
}

TEST(Causes, DifferencesOfAChipWithItselfAreEmpty) {
  for (const auto& keys : differences(preset("trn2"), preset("trn2"))) EXPECT_TRUE(keys.empty());
}

TEST(Causes, DifferencesNameTheKeysOfEachCause) {
  const auto keys = differences(preset("trn2"), preset("trn2", {"hbm.row_bytes=2048", "tensor.clock_ghz=2", "sbuf.kib_per_partition=100"}));
  EXPECT_EQ(keys[static_cast<std::size_t>(Cause::Hbm)], std::vector<std::string>{"hbm.row_bytes"});
  EXPECT_EQ(keys[static_cast<std::size_t>(Cause::Clock)], std::vector<std::string>{"tensor.clock_ghz"});
  EXPECT_EQ(keys[static_cast<std::size_t>(Cause::OnChip)], std::vector<std::string>{"sbuf.kib_per_partition"});
  EXPECT_TRUE(keys[static_cast<std::size_t>(Cause::Array)].empty());
}

TEST(Mixed, NothingFromTheOtherIsTheFirstAndEverythingIsTheSecond) {
  for (const std::string& a : preset_names()) {
    for (const std::string& b : preset_names()) {
      EXPECT_EQ(to_json(mixed(preset(a), preset(b), 0), true), to_json(preset(a), true));
      EXPECT_EQ(to_json(mixed(preset(a), preset(b), kAllCauses), true), to_json(preset(b), true)) << a << ' ' << b;
    }
  }
}

TEST(Mixed, TakesOneGroupAndLeavesTheOthers) {
  const ChipConfig a = preset("trn1"), b = preset("trn3");
  for (const Cause cause : kCauses) {
    const auto left = differences(mixed(a, b, bit_of(cause)), b);
    EXPECT_TRUE(left[static_cast<std::size_t>(cause)].empty()) << name_of(cause);
    for (const Cause other : kCauses) {
      if (other == cause) continue;
      EXPECT_EQ(left[static_cast<std::size_t>(other)], differences(a, b)[static_cast<std::size_t>(other)]) << name_of(other);
    }
  }
}

TEST(Mixed, BringsTheSourcesOfItsNumbers) {
  const ChipConfig chip = mixed(preset("trn2"), preset("trn3"), bit_of(Cause::Hbm));
  EXPECT_EQ(chip.sources.at("hbm.stack_gb_per_s").value, preset("trn3").sources.at("hbm.stack_gb_per_s").value);
  EXPECT_EQ(chip.sources.at("dma.engine_gb_per_s").value, preset("trn2").sources.at("dma.engine_gb_per_s").value);
}

/// The groups are cut so that a chip of one generation with any groups of another is possible.
TEST(Mixed, EveryMixOfPresetsIsPossible) {
  std::vector<ChipConfig> chips;
  for (const std::string& name : preset_names()) chips.push_back(preset(name));
  for (const ChipConfig& a : chips) {
    for (const ChipConfig& b : chips) {
      for (CauseSet set = 0; set <= kAllCauses; ++set) {
        const std::vector<std::string> problems = check_chip(mixed(a, b, set));
        EXPECT_TRUE(problems.empty()) << a.name << " with " << set << " of " << b.name << ": " << problems.front();
      }
    }
  }
}

TEST(Mixed, AnImpossibleOneIsToldByCheckChip) {
  const ChipConfig wide = preset("trn2", {"tensor.rows=256", "sbuf.partitions=256"});
  EXPECT_TRUE(check_chip(wide).empty());
  const std::vector<std::string> problems = check_chip(mixed(preset("trn2"), wide, bit_of(Cause::Array)));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(contains(problems.front(), "sbuf.partitions")) << problems.front();
}

}  // namespace
}  // namespace trnsim
