// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/field_table.hpp"
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

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

/// The energy coefficients as text, without the limit and other keys.
std::string energy_table(const ChipConfig& config) {
  std::string table;
  for (const FieldEntry& entry : entries_of(config)) {
    if (entry.path.starts_with("energy.")) table += entry.path + "=" + print(entry.value) + "\n";
  }
  return table;
}

TEST(Presets, NoEnergyTableIsACopyOfAnother) {
  const std::vector<std::string> names = preset_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(preset(names[i]).energy_calibrated_for, names[i]);
    for (std::size_t j = i + 1; j < names.size(); ++j) EXPECT_NE(energy_table(preset(names[i])), energy_table(preset(names[j])));
  }
}

TEST(Presets, EnergyOfInferentia2SaysThatItIsThatOfTrainium1) {
  const ChipConfig inf2 = preset("inf2");
  EXPECT_TRUE(contains(inf2.sources.at("energy.serdes_w").note, "the rest of the energy table is that of trn1"));
  EXPECT_TRUE(contains(inf2.carried_over, "energy as trn1"));
}

TEST(Presets, HbmBandwidthOfBothTrainium3PagesCanBeChosen) {
  const ChipConfig stated = preset("trn3");
  EXPECT_EQ(stated.hbm.stack_gb_per_s * stated.hbm.stacks, 4900);
  EXPECT_TRUE(any_contains(stated.sources.at("hbm.stack_gb_per_s").alternatives, "4.7 TB/s"));
  const ChipConfig other = preset("trn3", {"hbm.stack_gb_per_s=1175"});
  EXPECT_EQ(other.hbm.stack_gb_per_s * other.hbm.stacks, 4700);
}

TEST(Presets, HbmBandwidthsOfTrainium2AreAlternatives) {
  const std::vector<std::string> alternatives = preset("trn2").sources.at("hbm.stack_gb_per_s").alternatives;
  EXPECT_TRUE(any_contains(alternatives, "2.9 TB/s"));
  EXPECT_TRUE(any_contains(alternatives, "3 TB/s"));
}

TEST(Presets, ProjectionAssumesEverything) {
  for (const auto& [path, source] : preset("trn4-projected").sources) {
    EXPECT_TRUE(source.confidence == "assumed" || path.starts_with("energy.")) << path << " " << source.confidence;
  }
}

TEST(Presets, OnlyTheProjectionIsFlagged) {
  for (const std::string& name : preset_names()) EXPECT_EQ(preset(name).projected, name == "trn4-projected") << name;
}

TEST(Presets, Trainium3SaysWhichOverheadsComeFromTrainium2) {
  const ChipConfig trn3 = preset("trn3");
  EXPECT_TRUE(contains(trn3.carried_over, "Carried over from Trainium2: issue overheads"));
  for (const char* path : {"vector.issue_overhead_cycles", "tensor.pipe_latency_cycles", "dma.hardware_mode.load_start_ns"}) {
    EXPECT_EQ(trn3.sources.at(path).confidence, "assumed") << path;
    EXPECT_TRUE(contains(trn3.sources.at(path).note, "carried over from Trainium2")) << path;
  }
}

TEST(Presets, GenerationsHaveTheirFeatures) {
  const ChipConfig trn1 = preset("trn1");
  EXPECT_TRUE(trn1.sequencer.vector_gpsimd_share_sbuf && trn1.sequencer.vector_scalar_share_psum);
  EXPECT_FALSE(trn1.dma.hardware_mode.available || trn1.tensor.transpose_mode || trn1.scalar.tensor_ops);
  const ChipConfig trn2 = preset("trn2");
  EXPECT_TRUE(trn2.dma.hardware_mode.available && trn2.tensor.transpose_mode && trn2.sequencer.fast_modes_share_gpsimd_bus);
  EXPECT_FALSE(trn2.psum.bf16_output || trn2.tensor.background_transpose || trn2.vector.fast_mode_fp8);
  const ChipConfig trn3 = preset("trn3");
  EXPECT_TRUE(trn3.psum.bf16_output && trn3.tensor.background_transpose && trn3.vector.fast_mode_fp8);
  EXPECT_GT(trn3.vector.exponential, 0);
}

}  // namespace
}  // namespace trnsim
