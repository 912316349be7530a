// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/show.hpp"

#include "config/field_table.hpp"
#include "config/text_table.hpp"
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

TEST(ShowChips, ListHasOneLinePerPresetAndFlagsTheProjection) {
  const std::string text = list_chips();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  EXPECT_LT(text.find("inf2"), text.find("trn2"));
  const std::string last = text.substr(text.find("trn4-projected"));
  EXPECT_TRUE(contains(last, "PROJECTED")) << last;
  EXPECT_FALSE(contains(text.substr(0, text.find("trn4-projected")), "PROJECTED"));
}

TEST(ShowChips, ShowHasEveryKeyWithItsValue) {
  const ChipConfig config = preset("trn3", {"hbm.stack_gb_per_s=1175"});
  const std::string text = show_chip(config);
  for (const FieldEntry& entry : entries_of(config)) {
    if (contains(entry.path, ".")) {
      EXPECT_TRUE(contains(text, "  " + entry.path + " ")) << entry.path;
    }
  }
  EXPECT_TRUE(contains(text, " 1175  GB/s"));
  EXPECT_TRUE(contains(text, "Carried over from Trainium2"));
}

TEST(ShowChips, ProjectionIsSaidFirst) { EXPECT_TRUE(contains(show_chip(preset("trn4-projected")).substr(0, 80), "PROJECTED")); }

TEST(ShowChips, SourcesListConfidenceSourceAndAlternatives) {
  const std::string text = show_sources(preset("trn3"));
  const std::size_t at = text.find("  hbm.stack_gb_per_s = 1225 GB/s  [published]");
  ASSERT_NE(at, std::string::npos);
  const std::string entry = text.substr(at, text.find("hbm.pseudo_channels") - at);
  EXPECT_TRUE(contains(entry, "Neuron hardware page, Trainium3")) << entry;
  EXPECT_TRUE(contains(entry, "or 1175: 4.7 TB/s per chip, Trainium3 architecture guide")) << entry;
}

TEST(ShowChips, SourcesOfAnOverrideNameTheCommandLine) {
  EXPECT_TRUE(
      contains(show_sources(preset("trn3", {"hbm.stack_gb_per_s=1175"})), "  hbm.stack_gb_per_s = 1175 GB/s  [user]\n      --set\n"));
}

TEST(ShowChips, NoNumberOfAPresetIsWithoutASource) {
  for (const std::string& name : preset_names()) EXPECT_FALSE(contains(show_sources(preset(name)), "[no source]")) << name;
}

TEST(ShowChips, DerivedFiguresGroupPeaksMemoryTrafficAndRidges) {
  const std::string text = show_derived(preset("trn2"));
  for (const char* part :
       {"Peak: bf16, core ", "78.64  TFLOPS", "SBUF, chip", "224.00  MiB", "DMA sustained, core", "368.00  GB/s", "109.84  flop/B"}) {
    EXPECT_TRUE(contains(text, part)) << part;
  }
  EXPECT_FALSE(contains(text, "mxfp8"));
  EXPECT_TRUE(contains(show_derived(preset("trn3")), "mxfp8"));
}

TEST(ShowChips, DiffShowsFeaturesThenValuesThatDiffer) {
  const std::string text = diff_chips(preset("trn1"), preset("trn2"));
  const std::size_t values = text.find("  value ");
  ASSERT_NE(values, std::string::npos);
  EXPECT_LT(text.find("tensor.transpose_mode"), values);
  EXPECT_GT(text.find("tensor.clock_ghz"), values);
  EXPECT_FALSE(contains(text, "tensor.rows"));  // equal
  EXPECT_TRUE(contains(text, "0.857x"));
}

TEST(ShowChips, DiffOfAChipWithItselfHasNoValues) {
  const ChipConfig config = preset("trn2");
  const std::string text = diff_chips(config, config);
  EXPECT_FALSE(contains(text, "hbm.stack_gb_per_s"));
  EXPECT_TRUE(contains(text, "other values are equal"));
}

TEST(TextTables, AlignNumbersRightAndLeaveNoTrailingSpace) {
  TextTable table;
  table.row({"a", "5", ""});
  table.row({"long", "123", "x"});
  EXPECT_EQ(table.text(), "a       5\nlong  123  x\n");
}

TEST(TextTables, WrapKeepsWordsWholeAndWithinTheWidth) {
  EXPECT_EQ(wrapped("one two three", "  ", 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("unbreakable", " ", 4), " unbreakable\n");
}

}  // namespace
}  // namespace trnsim
