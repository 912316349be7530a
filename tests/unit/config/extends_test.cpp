// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/show.hpp"
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

std::vector<std::string> load_problems(const std::string& path) {
  std::vector<std::string> warnings;
  try {
    load_chip(path, {}, warnings);
  } catch (const ConfigError& error) {
    return error.problems();
  }
  return {};
}

ChipConfig loaded(const std::string& path) {
  std::vector<std::string> warnings;
  return load_chip(path, {}, warnings);
}

class Extends : public ChipFiles {};

TEST_F(Extends, ChangesOnlyTheKeysItGives) {
  const ChipConfig config = loaded(write("fast.json", R"({"extends": "trn2", "hbm": {"stack_gb_per_s": 800}})"));
  ChipConfig expected = preset("trn2");
  expected.hbm.stack_gb_per_s = 800;
  expected.name = "fast";
  EXPECT_EQ(to_json(config), to_json(expected));
}

TEST_F(Extends, FindsABaseBesideTheFile) {
  write("bases/base.json", R"({"extends": "trn3", "chip": {"cores": 4}})");
  const ChipConfig config = loaded(write("derived.json", R"({"extends": "bases/base.json", "hbm": {"stacks": 3}})"));
  EXPECT_EQ(config.chip.cores, 4u);
  EXPECT_EQ(config.hbm.stacks, 3u);
  EXPECT_EQ(config.generation, "v4");
}

TEST_F(Extends, MissingBaseNamesEveryPlaceThatWasSearched) {
  const std::vector<std::string> problems = load_problems(write("chip.json", "{\n\"extends\": \"trn5\"}"));
  ASSERT_FALSE(problems.empty());
  EXPECT_TRUE(contains(problems[0], "chip.json:2: extends: \"trn5\" is not a preset or a file; looked in")) << problems[0];
  EXPECT_TRUE(contains(problems[0], config_directory() + "/chips")) << problems[0];
  EXPECT_TRUE(contains(problems[0], (directory_ / "trn5").string())) << problems[0];
}

TEST_F(Extends, MissingBaseFileIsBadInputNotAnIoError) {
  EXPECT_TRUE(any_contains(load_problems(write("chip.json", R"({"extends": "absent.json"})")), (directory_ / "absent.json").string()));
}

TEST_F(Extends, CycleIsRefusedAndShown) {
  write("a.json", R"({"extends": "b.json"})");
  const std::vector<std::string> problems = load_problems(write("b.json", R"({"extends": "a.json"})"));
  EXPECT_TRUE(any_contains(problems, "the files extend each other: ")) << testing::PrintToString(problems);
}

TEST_F(Extends, FileThatExtendsItselfIsRefused) {
  EXPECT_TRUE(any_contains(load_problems(write("a.json", R"({"extends": "./a.json"})")), "extend each other"));
}

TEST_F(Extends, BaseMustBeAText) {
  EXPECT_TRUE(any_contains(load_problems(write("a.json", R"({"extends": 2})")), "extends: expected the name"));
}

TEST_F(Extends, ErrorInTheBaseNamesTheBase) {
  write("base.json", "{\"extends\": \"trn2\",\n\"hbm\": {\"stack\": 1}}");
  const std::vector<std::string> problems = load_problems(write("chip.json", R"({"extends": "base.json"})"));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(contains(problems[0], "base.json:2: hbm.stack: unknown key")) << problems[0];
}

TEST_F(Extends, WindowsLineEndsAndByteOrderMarkChangeNothing) {
  const std::string unix_text = "{\n\"extends\": \"trn2\",\n\"name\": \"edited\",\n\"hbm\": {\n\"stacks\": 5\n}\n}\n";
  std::string windows_text = "\xEF\xBB\xBF";
  for (const char c : unix_text) windows_text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const ChipConfig a = loaded(write("unix.json", unix_text));
  const ChipConfig b = loaded(write("windows.json", windows_text));
  EXPECT_EQ(to_json(a), to_json(b));
  EXPECT_EQ(config_hash(a), config_hash(b));
  EXPECT_EQ(to_json(b, true).find("\\r"), std::string::npos);
}

TEST_F(Extends, ChangedValueLosesTheSourceOfThePreset) {
  const std::string path = write("fast.json", R"({"extends": "trn2", "hbm": {"stack_gb_per_s": 800, "stacks": 4}})");
  const ChipConfig config = loaded(path);
  const ValueSource& changed = config.sources.at("hbm.stack_gb_per_s");
  EXPECT_EQ(changed.value, "800");
  EXPECT_EQ(changed.confidence, "user");
  EXPECT_EQ(changed.source, path);
  EXPECT_TRUE(changed.alternatives.empty());
  EXPECT_EQ(config.sources.at("hbm.stacks").confidence, "published");  // given again, but the same
}

TEST_F(Extends, NamesNeedNoSource) { EXPECT_FALSE(preset("inf2").sources.contains("name")); }

TEST_F(Extends, FileMayStateItsOwnSources) {
  const ChipConfig config = loaded(write("fast.json", R"({"extends": "trn2", "hbm": {"stack_gb_per_s": 800},
    "sources": {"hbm.stack_gb_per_s": {"confidence": "measured", "source": "our lab", "note": "twice"}}})"));
  EXPECT_EQ(config.sources.at("hbm.stack_gb_per_s").source, "our lab");
  EXPECT_EQ(config.sources.at("hbm.stack_gb_per_s").value, "800");
}

TEST_F(Extends, SourcesAreChecked) {
  const std::vector<std::string> problems = load_problems(write("fast.json", R"({"extends": "trn2", "sources": {
    "hbm.stack": {"confidence": "measured", "source": "x"},
    "hbm.stacks": {"confidence": "guess", "source": "x", "value": 5},
    "hbm.banks": {"confidence": "assumed", "sorce": "x"},
    "hbm.trp_ns": {"confidence": "assumed", "source": 3, "alternatives": "4"}}})"));
  EXPECT_TRUE(any_contains(problems, "sources: hbm.stack: unknown key; did you mean hbm.stacks?"));
  EXPECT_TRUE(any_contains(problems, "hbm.stacks: confidence: \"guess\" is not allowed"));
  EXPECT_TRUE(any_contains(problems, "hbm.stacks: value: says 5 where the description has 4"));
  EXPECT_TRUE(any_contains(problems, "hbm.banks: sorce: unknown key; did you mean source?"));
  EXPECT_TRUE(any_contains(problems, "hbm.trp_ns: source: expected a text"));
  EXPECT_TRUE(any_contains(problems, "hbm.trp_ns: alternatives: expected a list of texts"));
}

TEST_F(Extends, EnergyTableStaysMarkedWithTheChipItWasMadeFor) {
  const ChipConfig mine = loaded(write("mine.json", R"({"extends": "trn2"})"));
  EXPECT_EQ(mine.energy_calibrated_for, "trn2");
  EXPECT_TRUE(contains(show_chip(mine), "Energy coefficients made for trn2"));
  const ChipConfig own = loaded(write("own.json", R"({"extends": "trn2", "energy_calibrated_for": "own"})"));
  EXPECT_FALSE(contains(show_chip(own), "Energy coefficients made for"));
}

TEST(Overrides, AreAppliedInOrderAndKeptAsWritten) {
  const ChipConfig config = preset("trn2", {"hbm.stack_gb_per_s=800", "hbm.stack_gb_per_s=9e2", "tensor.transpose_mode=false"});
  EXPECT_EQ(config.hbm.stack_gb_per_s, 900);
  EXPECT_FALSE(config.tensor.transpose_mode);
  ASSERT_EQ(config.overrides.size(), 3u);
  EXPECT_EQ(config.overrides[1], std::make_pair(std::string("hbm.stack_gb_per_s"), std::string("9e2")));
  EXPECT_EQ(config.sources.at("hbm.stack_gb_per_s").source, "--set");
  EXPECT_EQ(config.sources.at("hbm.stack_gb_per_s").confidence, "user");
}

TEST(Overrides, ChangeTheHashAndNothingElseDoes) {
  EXPECT_NE(config_hash(preset("trn2")), config_hash(preset("trn2", {"hbm.stack_gb_per_s=717"})));
  EXPECT_EQ(config_hash(preset("trn2")), config_hash(preset("trn2", {"hbm.stack_gb_per_s=716"})));
  EXPECT_EQ(config_hash(preset("trn2")).size(), 16u);
}

TEST(ConfigDirectory, FollowsTheEnvironment) {
  ASSERT_EQ(setenv("TRNSIM_CONFIGS", "/elsewhere", 1), 0);
  EXPECT_EQ(config_directory(), "/elsewhere");
  EXPECT_TRUE(preset_names().empty());
  unsetenv("TRNSIM_CONFIGS");
  EXPECT_EQ(preset_names(), (std::vector<std::string>{"trn1", "inf2", "trn2", "trn3", "trn4-projected"}));
}

}  // namespace
}  // namespace trnsim
