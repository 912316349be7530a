// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "config/field_table.hpp"
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

[[maybe_unused]] const int kFixedSeed = setenv("RC_PARAMS", "seed=20", 0);  // the same cases in every run

double ratio_in(const Field& field, double ratio) {
  const double top = std::min(field.max, 1e6);
  const double value = field.min + (top - field.min) * ratio;
  return field.positive && value <= field.min ? top : value;
}

/// A value that the field takes.
FieldValue arbitrary_value(const FieldRef& ref) {
  const FieldValue now = ref.value();
  if (std::holds_alternative<bool>(now)) return *rc::gen::arbitrary<bool>();
  if (std::holds_alternative<std::string>(now)) return ref.field.choices.empty() ? FieldValue{*rc::gen::string<std::string>()} : now;
  const double ratio = *rc::gen::inRange(0, 1000001) / 1e6;
  if (std::holds_alternative<std::uint32_t>(now)) return static_cast<std::uint32_t>(std::floor(ratio_in(ref.field, ratio)));
  return ratio_in(ref.field, ratio);
}

/// Text fields get printable text only: arbitrary bytes are not JSON.
void keep_printable(ChipConfig& config) {
  for (const FieldRef& ref : fields_of(config)) {
    if (!std::holds_alternative<std::string*>(ref.member)) continue;
    std::string text = std::get<std::string>(ref.value());
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80 || c == '\0'; });
    ref.store(text);
  }
}

RC_GTEST_PROP(RoundTrip, EveryFieldSurvivesWritingAndReading, ()) {
  ChipConfig config = preset(*rc::gen::elementOf(preset_names()));
  const std::vector<FieldRef> fields = fields_of(config);
  for (const FieldRef& ref : fields) {
    const FieldValue before = ref.value();
    ref.store(arbitrary_value(ref));
    if (!check_chip(config).empty()) ref.store(before);  // the pair rules bound the field further
  }
  keep_printable(config);
  for (auto& [path, source] : config.sources) source.range.reset();  // those of the preset need not hold the new values
  RC_ASSERT(check_chip(config).empty());
  const std::string text = to_json(config, true);
  const ChipConfig again = parsed(text);
  RC_ASSERT(to_json(again) == to_json(config));
  RC_ASSERT(config_hash(again) == config_hash(config));
}

RC_GTEST_PROP(RoundTrip, OverrideOfAnyFieldEqualsTheFileThatGivesIt, ()) {
  ChipConfig base = preset("trn2");
  const std::vector<FieldRef> fields = fields_of(base);
  const FieldRef& ref = *rc::gen::elementOf(fields);
  const FieldValue value = std::holds_alternative<std::string*>(ref.member) ? FieldValue{std::string("v3")} : arbitrary_value(ref);
  const FieldValue before = ref.value();
  ref.store(value);
  const bool consistent = check_chip(base).empty();
  ref.store(before);
  RC_PRE(consistent);
  const ChipConfig changed = preset("trn2", {ref.path + "=" + print(value)});
  ref.store(value);
  RC_ASSERT(to_json(changed) == to_json(base));
}

TEST(RoundTrip, EveryPresetSurvivesWithItsSources) {
  for (const std::string& name : preset_names()) {
    const ChipConfig config = preset(name);
    EXPECT_EQ(to_json(parsed(to_json(config, true)), true), to_json(config, true)) << name;
  }
}

TEST(RoundTrip, NumbersAreWrittenAsAPersonWritesThem) {
  const std::string text = to_json(preset("trn2"));
  EXPECT_TRUE(contains(text, "\"stack_gb_per_s\": 716,"));
  EXPECT_TRUE(contains(text, "\"clock_ghz\": 0.96,"));
}

TEST(RoundTrip, HashOfEachPresetDiffers) {
  std::vector<std::string> hashes;
  for (const std::string& name : preset_names()) hashes.push_back(config_hash(preset(name)));
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

}  // namespace
}  // namespace trnsim
