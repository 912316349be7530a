// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/field_table.hpp"
#include "trnsim/config/show.hpp"
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

class Ranges : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shipped, Ranges, testing::Values("trn1", "inf2", "trn2", "trn3", "trn4-projected"), [](const auto& param) {
  std::string name = param.param;
  std::erase(name, '-');
  return name;
});

double number_of(const FieldEntry& entry) {
  if (const auto* number = std::get_if<double>(&entry.value)) return *number;
  const auto* whole = std::get_if<std::uint32_t>(&entry.value);
  return whole == nullptr ? -1 : *whole;
}

bool is_number(const FieldEntry& entry) { return !entry.is_text() && !std::holds_alternative<bool>(entry.value); }

TEST_P(Ranges, StandAtEveryAssumedAndDerivedNumber) {
  const ChipConfig config = preset(GetParam());
  for (const FieldEntry& entry : entries_of(config)) {
    const auto source = config.sources.find(entry.path);
    if (!is_number(entry) || source == config.sources.end()) continue;
    const std::string& confidence = source->second.confidence;
    if (confidence != "assumed" && confidence != "derived") continue;
    ASSERT_TRUE(source->second.range.has_value()) << entry.path;
    EXPECT_LE(source->second.range->lo, number_of(entry)) << entry.path;
    EXPECT_GE(source->second.range->hi, number_of(entry)) << entry.path;
    EXPECT_FALSE(source->second.range->reason.empty()) << entry.path;
  }
}

TEST_P(Ranges, EndInValuesThatCanBeSet) {
  const ChipConfig config = preset(GetParam());
  for (const auto& [path, source] : config.sources) {
    if (!source.range) continue;
    for (const double end : {source.range->lo, source.range->hi}) {
      const std::string set = path + "=" + print(FieldValue{end});
      try {
        preset(GetParam(), {set});
      } catch (const ConfigError& error) {
        // Only a rule between two keys may object, which drawing respects.
        EXPECT_TRUE(contains(error.what(), " must ")) << set << ": " << error.what();
      }
    }
  }
}

TEST_P(Ranges, OfNumbersThatMoveTimeAreMoreThanPoints) {
  const ChipConfig config = preset(GetParam());
  for (const char* path : {"hbm.trcd_ns", "hbm.queue_depth", "dma.outstanding_bytes", "dma.ring_depth"}) {
    const auto& range = config.sources.at(path).range;
    ASSERT_TRUE(range.has_value()) << path;
    EXPECT_LT(range->lo, range->hi) << path;
  }
}

std::string with_source(const std::string& key, const std::string& members) {
  return R"({"extends": "trn2", "name": "mine", "sources": {")" + key + R"(": {"confidence": "assumed", "source": "me", )" + members +
         "}}}";
}

TEST(RangeErrors, ARangeMustHoldTheValue) {
  EXPECT_EQ(problem_of(with_source("hbm.trcd_ns", R"("range": [15, 20], "range_reason": "a guess")")),
            "chip.json:1: sources: hbm.trcd_ns: range: [15, 20] does not hold the value 14");
}

TEST(RangeErrors, ARangeMustLieWithinTheKeysOwn) {
  EXPECT_TRUE(contains(problem_of(with_source("dma.ring_depth", R"("range": [0, 100], "range_reason": "a guess")")),
                       "sources: dma.ring_depth: range: 0 is not allowed; allowed: >= 1"));
}

TEST(RangeErrors, OfAWholeNumberEndsInWholeNumbers) {
  EXPECT_TRUE(contains(problem_of(with_source("dma.ring_depth", R"("range": [10, 70.5], "range_reason": "a guess")")),
                       "range: 70.5 is not a whole number"));
}

TEST(RangeErrors, EndsInTheWrongOrderAreRefused) {
  EXPECT_TRUE(contains(problem_of(with_source("hbm.trcd_ns", R"("range": [20, 10], "range_reason": "a guess")")), "ends below its start"));
}

TEST(RangeErrors, ATruthValueHasNone) {
  EXPECT_TRUE(
      contains(problem_of(with_source("tensor.transpose_mode", R"("range": [0, 1], "range_reason": "a guess")")), "only a number has one"));
}

TEST(RangeErrors, ARangeNeedsAReasonAndAReasonARange) {
  EXPECT_TRUE(contains(problem_of(with_source("hbm.trcd_ns", R"("range": [10, 20])")), "range_reason: a range needs one"));
  EXPECT_TRUE(contains(problem_of(with_source("hbm.trcd_ns", R"("range_reason": "a guess")")), "range_reason: there is no range"));
}

TEST(RangeErrors, AnythingButTwoNumbersNamesWhatIsExpected) {
  for (const char* range : {"[1]", "[1, 2, 3]", "\"1..2\"", "[\"a\", 2]"}) {
    EXPECT_TRUE(any_contains(problems_of(with_source("hbm.trcd_ns", std::string("\"range\": ") + range)),
                             "expected two numbers, [lowest, highest]"))
        << range;
  }
}

TEST(RangesOfAChip, AreShownWithTheSources) {
  const std::string text = show_sources(preset("trn2"));
  EXPECT_TRUE(contains(text, "between 11.2 and 16.8: plus or minus 20 % between speed grades")) << text;
  EXPECT_TRUE(contains(text, "not varied: decides the structure of the chip"));
}

TEST(RangesOfAChip, SurviveAPrintedDescription) {
  const ChipConfig before = preset("trn3");
  const ChipConfig after = parsed(to_json(before, true));
  for (const auto& [path, source] : before.sources) {
    const auto& again = after.sources.at(path).range;
    ASSERT_EQ(source.range.has_value(), again.has_value()) << path;
    if (!source.range) continue;
    EXPECT_EQ(source.range->lo, again->lo) << path;
    EXPECT_EQ(source.range->hi, again->hi) << path;
    EXPECT_EQ(source.range->reason, again->reason) << path;
  }
}

TEST(RangesOfAChip, AreGoneOnceTheUserSetsTheValue) {
  EXPECT_FALSE(preset("trn3", {"dma.hardware_mode.issue_interval_ns=500"}).sources.at("dma.hardware_mode.issue_interval_ns").range);
}

}  // namespace
}  // namespace trnsim
