// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

const std::string kTrn2 = R"({"extends": "trn2")";

TEST(ChipErrors, UnknownKeyNamesFileLinePathAndTheNearestOne) {
  const std::string problem = problem_of("{\"extends\": \"trn2\",\n \"hbm\": {\n  \"stack_gb_per_sec\": 3}}");
  EXPECT_EQ(problem, "chip.json:3: hbm.stack_gb_per_sec: unknown key; did you mean hbm.stack_gb_per_s?");
}

TEST(ChipErrors, MistypedBandwidthOverrideIsRefusedWithTheRightKey) {
  EXPECT_EQ(problem_of(kTrn2 + R"(, "hbm_bandwith_gbps": 3000})"),
            "chip.json:1: hbm_bandwith_gbps: unknown key; did you mean hbm.stack_gb_per_s?");
}

TEST(ChipErrors, AllowUnknownTurnsUnknownKeysIntoWarnings) {
  std::vector<std::string> warnings;
  const ChipConfig config =
      parse_chip(kTrn2 + R"(, "name": "trn2", "hbm_bandwith_gbps": 3000})", "chip.json", {{"hbm.size=3"}, true}, warnings);
  EXPECT_EQ(config.hbm.stack_gb_per_s, 716);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_TRUE(contains(warnings[0], "hbm_bandwith_gbps: unknown key"));
  EXPECT_TRUE(contains(warnings[1], "--set hbm.size=3"));
}

TEST(ChipErrors, AllowUnknownStillRefusesWrongValues) {
  std::vector<std::string> warnings;
  EXPECT_THROW(parse_chip(kTrn2 + R"(, "hbm": {"stacks": 0}})", "chip.json", {{}, true}, warnings), ConfigError);
}

TEST(ChipErrors, ZeroAndNegativeValuesAreRefusedWithTheRange) {
  const std::vector<std::string> problems =
      problems_of(kTrn2 + R"(, "dma": {"rings_per_engine": 0}, "hbm": {"stack_gb_per_s": -820}, "tensor": {"clock_ghz": 0}})");
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0], "chip.json:1: dma.rings_per_engine: 0 is not allowed; allowed: >= 1 and <= 64, a whole number");
  EXPECT_EQ(problems[1], "chip.json:1: hbm.stack_gb_per_s: -820 is not allowed; allowed: >= 0.001 and <= 1000000 GB/s");
  EXPECT_EQ(problems[2], "chip.json:1: tensor.clock_ghz: 0 is not allowed; allowed: >= 0.001 and <= 100 GHz");
}

TEST(ChipErrors, AllProblemsOfFileAndOverridesComeInOneRun) {
  const std::vector<std::string> problems = problems_of(kTrn2 + R"(, "tensor": {"rows": "many"}, "nonsense": 1, "hbm": {"banks": 50}})",
                                                        {"chip.cores=0", "sbuf.partition=4", "chip"});
  ASSERT_EQ(problems.size(), 6u) << testing::PrintToString(problems);
  EXPECT_TRUE(any_contains(problems, "hbm.banks = 50 must be a multiple of hbm.bank_groups = 12"));
}

TEST(ChipErrors, WrongTypesNameWhatIsExpectedAndFound) {
  EXPECT_TRUE(contains(problem_of(kTrn2 + R"(, "tensor": {"rows": "128"}})"), "tensor.rows: expected a whole number"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + R"(, "tensor": {"rows": 128.5}})"), "128.5 is not allowed"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + R"(, "tensor": {"rows": null}})"), "found null"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + R"(, "tensor": {"transpose_mode": 1}})"), "expected true or false, found the number 1"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + R"(, "hbm": {"stacks": [4]}})"), "found a list"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + R"(, "name": 7})"), "name: expected a text"));
}

TEST(ChipErrors, SectionGivenAsANumberNamesTheExpectedObject) {
  EXPECT_EQ(problem_of(kTrn2 + R"(, "tensor": 128})"), "chip.json:1: tensor: expected an object, found the number 128");
}

TEST(ChipErrors, WrongChoiceListsTheAllowedOnes) {
  EXPECT_EQ(problem_of(kTrn2 + R"(, "generation": "hbm9"})"), "chip.json:1: generation: hbm9 is not allowed; allowed: v2, v3 or v4");
}

TEST(ChipErrors, MissingSectionNamesFileAndKeys) {
  std::string json = to_json(preset("trn2"));
  const std::size_t from = json.find("  \"gpsimd\"");
  json.erase(from, json.find("  \"sbuf\"") - from);
  const std::string problem = problem_of(json);
  EXPECT_TRUE(contains(problem, "chip.json: missing keys: gpsimd.clock_ghz, gpsimd.start_cycles")) << problem;
  EXPECT_TRUE(contains(problem, R"("extends": "trn2")")) << problem;
}

TEST(ChipErrors, FileWithoutABaseMustGiveEveryNumber) {
  const std::vector<std::string> problems = problems_of(R"({"name": "bare"})");
  EXPECT_TRUE(any_contains(problems, "missing keys: tensor.clock_ghz, tensor.rows"));
  EXPECT_TRUE(any_contains(problems, "energy.mac_pj.bf16"));
}

TEST(ChipErrors, EmptyFileIsOneClearMessage) {
  EXPECT_EQ(problem_of(""), "chip.json: the file is empty; expected a JSON object");
  EXPECT_EQ(problem_of(" \r\n\t"), "chip.json: the file is empty; expected a JSON object");
}

TEST(ChipErrors, TrailingCommaNamesLineAndColumn) {
  EXPECT_EQ(problem_of("{\"a\":1,}"), "chip.json:1:8: trailing comma before '}'");
  EXPECT_EQ(problem_of("{\n  \"a\": [1,\n  ]}"), "chip.json:3:3: trailing comma before ']'");
}

TEST(ChipErrors, OtherSyntaxErrorsNameLineAndColumn) {
  EXPECT_TRUE(contains(problem_of("{\n\"a\" 1}"), "chip.json:2:5: not JSON: "));
  EXPECT_TRUE(contains(problem_of("{\"a\": 1"), "chip.json:1:8: the file ends in the middle of a value"));
  EXPECT_TRUE(contains(problem_of("{} {}"), "chip.json:1:4: not JSON: "));
  EXPECT_TRUE(contains(problem_of("{\"a\": 1e999}"), "chip.json:1:"));
}

TEST(ChipErrors, LibraryNamesDoNotReachTheUser) {
  EXPECT_FALSE(contains(problem_of("{\"a\": 0xZZ}"), "json.exception"));
  EXPECT_FALSE(contains(problem_of("{\"a\": 1e999}"), "json.exception"));
}

TEST(ChipErrors, FileThatIsNoObjectIsRefused) {
  EXPECT_EQ(problem_of("[1, 2]"), "chip.json:1: expected an object with the sections of a chip, found a list");
  EXPECT_EQ(problem_of("3"), "chip.json:1: expected an object with the sections of a chip, found the number 3");
}

TEST(ChipErrors, KeyGivenTwiceIsRefused) {
  EXPECT_EQ(problem_of(kTrn2 + ",\n\"hbm\": {\"stacks\": 4,\n\"stacks\": 4}}"), "chip.json:3: the key \"stacks\" is given twice");
}

TEST(ChipErrors, DeepNestingIsRefusedBeforeItHurts) { EXPECT_TRUE(contains(problem_of(std::string(100000, '[')), "nested deeper than")); }

TEST(ChipErrors, FileOfManyUnknownKeysListsThemAllWithFewSuggestions) {
  std::string json = kTrn2;
  for (int i = 0; i < 20000; ++i) json += ", \"nonsense_" + std::to_string(i) + "\": 1";
  const std::vector<std::string> problems = problems_of(json + "}");
  ASSERT_EQ(problems.size(), 20000u);
  EXPECT_TRUE(contains(problems.front(), "did you mean"));
  EXPECT_FALSE(contains(problems.back(), "did you mean"));  // 20,000 searches would take a minute
}

TEST(ChipErrors, UnknownPresetSuggestsTheNearestInFewLines) {
  std::vector<std::string> warnings;
  try {
    load_chip("trn22", {}, warnings);
    FAIL();
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(contains(text, "unknown chip \"trn22\"; did you mean \"trn2\"?")) << text;
    EXPECT_TRUE(contains(text, "trn1, inf2, trn2, trn3, trn4-projected")) << text;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 4);
    EXPECT_EQ(error.code(), ExitCode::BadInput);
  }
}

TEST(ChipErrors, UnreadableFileOnTheCommandLineIsAnIoError) {
  std::vector<std::string> warnings;
  try {
    load_chip("/nowhere/chip.json", {}, warnings);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_TRUE(contains(error.what(), "/nowhere/chip.json")) << error.what();
    EXPECT_EQ(error.code(), ExitCode::Io);
  }
  EXPECT_THROW(load_chip("/tmp/", {}, warnings), IoError);
}

TEST(ChipErrors, OverrideThatIsNoAssignmentIsRefused) {
  EXPECT_TRUE(contains(problem_of(kTrn2 + "}", {"hbm.stacks"}), "--set hbm.stacks: expected path=value"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + "}", {"=4"}), "expected path=value"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + "}", {"hbm=4"}), "hbm is a section; set one of its keys"));
}

TEST(ChipErrors, OverrideValuesAreCheckedLikeThoseOfAFile) {
  EXPECT_TRUE(contains(problem_of(kTrn2 + "}", {"hbm.stacks=four"}), "--set hbm.stacks=four: hbm.stacks: expected a whole number"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + "}", {"hbm.stacks=1e30"}), "allowed: >= 1 and <= 64"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + "}", {"hbm.trp_ns=nan"}), "expected a number"));
  EXPECT_TRUE(contains(problem_of(kTrn2 + "}", {"hbm.trp_ns=0xZZ"}), "found the text \"0xZZ\""));
  EXPECT_TRUE(contains(problem_of(kTrn2 + "}", {"generation=v9"}), "allowed: v2, v3 or v4"));
}

}  // namespace
}  // namespace trnsim
