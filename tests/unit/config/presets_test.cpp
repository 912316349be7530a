// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "config/field_table.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim {
namespace {

ChipConfig preset(const std::string& name, std::vector<std::string> set = {}) {
  std::vector<std::string> warnings;
  return load_chip(name, {std::move(set), false}, warnings);
}

class EveryPreset : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shipped, EveryPreset, testing::Values("trn1", "inf2", "trn2", "trn3", "trn4-projected"), [](const auto& param) {
  std::string name = param.param;
  std::erase(name, '-');
  return name;
});

TEST_P(EveryPreset, LoadsWithoutAWarning) {
  std::vector<std::string> warnings;
  const ChipConfig config = load_chip(GetParam(), {}, warnings);
  EXPECT_EQ(config.name, GetParam());
  EXPECT_TRUE(warnings.empty()) << warnings.front();
}

TEST_P(EveryPreset, GivesEveryNumberASourceAndAConfidence) {
  const ChipConfig config = preset(GetParam());
  for (const FieldEntry& entry : entries_of(config)) {
    if (entry.is_text() || entry.path == "projected") continue;
    const auto source = config.sources.find(entry.path);
    ASSERT_NE(source, config.sources.end()) << entry.path;
    EXPECT_FALSE(source->second.source.empty()) << entry.path;
    EXPECT_FALSE(source->second.confidence.empty() || source->second.confidence == "user") << entry.path;
  }
}

TEST_P(EveryPreset, HasSourcesThatStateTheValueInUse) {
  const ChipConfig config = preset(GetParam());
  for (const FieldEntry& entry : entries_of(config)) {
    if (const auto source = config.sources.find(entry.path); source != config.sources.end()) {
      EXPECT_EQ(source->second.value, print(entry.value)) << entry.path;
    }
  }
}

TEST_P(EveryPreset, HasAlternativesThatCanBeSet) {
  const ChipConfig config = preset(GetParam());
  for (const auto& [path, source] : config.sources) {
    for (const std::string& alternative : source.alternatives) {
      const std::string value = alternative.substr(0, alternative.find(':'));
      const ChipConfig changed = preset(GetParam(), {path + "=" + value});
      EXPECT_EQ(changed.sources.at(path).value, value) << path;
      EXPECT_EQ(changed.sources.at(path).source, "--set") << path;
    }
  }
}

}  // namespace
}  // namespace trnsim
