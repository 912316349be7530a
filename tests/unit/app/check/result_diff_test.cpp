// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/result_diff.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

ResultFacts facts(const std::string& file) {
  ResultFacts result;
  result.file = file;
  result.tool = {{"version", "0.1.0"}, {"commit", "abc"}};
  result.config = {{"dma.start_ns", "750"}, {"hbm.stacks", "4"}};
  result.workload = {{"name", "\"matmul\""}, {"hash", "\"1\""}};
  result.chip = "trn2";
  result.cycles = 1000;
  result.cores = 1;
  result.time_ns = 400;
  result.cycle_clock_ghz = 2.5;
  result.facts = {{FactGroup::EngineTime, "tensor busy", 300},
                  {FactGroup::EngineTime, "tensor wait_dma", 100},
                  {FactGroup::EngineTime, "vector wait_engine", 50},
                  {FactGroup::EngineTime, "vector idle", 350},
                  {FactGroup::Traffic, "DMA bytes", 64},
                  {FactGroup::Energy, "energy hbm", 12.5}};
  return result;
}

/// The same run with one start latency changed.
ResultFacts slower(const std::string& file) {
  ResultFacts result = facts(file);
  result.config[0].second = "1000";
  result.cycles = 1100;
  result.time_ns = 440;
  result.facts[1].value = 140;  // tensor wait_dma
  result.facts[2].value = 95;   // vector waits for the tensor engine
  result.facts[5].value = 13;
  return result;
}

TEST(ResultDiffTest, EqualResultsAreIdentical) {
  const ResultDiff diff = diff_results(facts("a"), facts("b"));
  EXPECT_TRUE(diff.identical());
  EXPECT_EQ(diff.largest(), nullptr);
  EXPECT_EQ(diff_report(diff, false), "A  a\nB  b\nidentical\n");
}

TEST(ResultDiffTest, AnotherToolAloneIsNoDifference) {
  ResultFacts b = facts("b");
  b.tool[1].second = "def";
  const ResultDiff diff = diff_results(facts("a"), b);
  EXPECT_TRUE(diff.identical());
  EXPECT_NE(diff_report(diff, false).find("identical numbers from different tools\ntool\n  commit  abc  ->  def\n"), std::string::npos);
}

TEST(ResultDiffTest, TheLargestMoverIsNotAnEcho) {
  const ResultDiff diff = diff_results(facts("a"), slower("b"));
  ASSERT_NE(diff.largest(), nullptr);
  EXPECT_EQ(diff.largest()->name, "tensor wait_dma") << "the vector engine's wait for it moved more";
}

TEST(ResultDiffTest, AnEchoIsNamedIfNothingElseMoved) {
  ResultFacts b = facts("b");
  b.facts[2].value = 60;
  EXPECT_EQ(diff_results(facts("a"), b).largest()->name, "vector wait_engine");
}

TEST(ResultDiffTest, TheSentenceNamesTheOnlyKeyThatChanged) {
  EXPECT_EQ(
      diff_sentence(diff_results(facts("a"), slower("b"))),
      "Largest change: tensor wait_dma +40.000 ns, of +40.000 ns in total; one configuration key differs: dma.start_ns (750 -> 1000).");
}

TEST(ResultDiffTest, SeveralKeysAreCounted) {
  ResultFacts b = slower("b");
  b.config[1].second = "2";
  EXPECT_NE(diff_sentence(diff_results(facts("a"), b)).find("; 2 configuration keys differ."), std::string::npos);
}

TEST(ResultDiffTest, TheToolIsTheCauseIfNothingElseDiffers) {
  ResultFacts b = slower("b");
  b.config = facts("b").config;
  b.tool[1].second = "def";
  const std::string sentence = diff_sentence(diff_results(facts("a"), b));
  EXPECT_NE(sentence.find("the same, the tool differs"), std::string::npos) << sentence;
}

TEST(ResultDiffTest, CausesStandBeforeEffects) {
  const std::string text = diff_report(diff_results(facts("a"), slower("b")), false);
  const std::size_t key = text.find("dma.start_ns"), total = text.find("time_ns"), component = text.find("tensor wait_dma");
  EXPECT_LT(key, total);
  EXPECT_LT(total, component);
}

TEST(ResultDiffTest, ComponentsStandByTheirChange) {
  const std::string text = diff_report(diff_results(facts("a"), slower("b")), false);
  EXPECT_LT(text.find("vector wait_engine"), text.find("tensor wait_dma"));
  EXPECT_EQ(text.find("tensor busy"), std::string::npos) << "it did not change";
  EXPECT_NE(diff_report(diff_results(facts("a"), slower("b")), true).find("tensor busy"), std::string::npos);
}

TEST(ResultDiffTest, CyclesOfOtherClocksAreNotCompared) {
  ResultFacts b = slower("b");
  b.cycle_clock_ghz = 2.8;
  const std::string text = diff_report(diff_results(facts("a"), b), false);
  EXPECT_NE(text.find("cycles are of different clocks, 2.5 and 2.8 GHz: compare the time\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("+100"), std::string::npos) << "no difference of cycles\n" << text;
}

TEST(ResultDiffTest, AKeyOfOneResultOnlyIsAbsentInTheOther) {
  ResultFacts b = facts("b");
  b.config.emplace_back("hbm.new_key", "1");
  const std::string text = diff_report(diff_results(facts("a"), b), false);
  EXPECT_NE(text.find("hbm.new_key  absent  ->  1"), std::string::npos) << text;
}

TEST(ResultDiffTest, ComponentsOfOneResultOnlyCountFromZero) {
  ResultFacts b = facts("b");
  b.facts.push_back({FactGroup::EngineTime, "tensor new_cause", 500});
  EXPECT_EQ(diff_results(facts("a"), b).largest()->name, "tensor new_cause");
}

TEST(ResultDiffTest, JsonSaysTheSame) {
  const auto json = nlohmann::json::parse(diff_json(diff_results(facts("a"), slower("b"))));
  EXPECT_EQ(json["identical"], false);
  EXPECT_EQ(json["chip"][0]["path"], "dma.start_ns");
  EXPECT_EQ(json["largest"], "tensor wait_dma");
  EXPECT_EQ(json["components"][0]["unit"], "ns");
  EXPECT_EQ(json["time_ns"]["b"], 440);
}

TEST(ResultDiffTest, TheSummaryIsShort) {
  ResultFacts b = slower("b");
  for (int i = 0; i < 20; ++i) b.config.emplace_back("k" + std::to_string(i), "1");
  const auto lines = diff_summary(diff_results(facts("a"), b));
  EXPECT_LE(lines.size(), 8u);
  EXPECT_EQ(lines[0], "chip dma.start_ns: 750 -> 1000");
  EXPECT_TRUE(lines.back().starts_with("Largest change: tensor wait_dma"));
}

TEST(ResultFactsTest, FilesThatAreNoCompleteResultsAreRefused) {
  EXPECT_THROW((void)parse_facts("", "r.json"), InputError);
  EXPECT_THROW((void)parse_facts("{}", "r.json"), InputError);
  try {
    (void)parse_facts(R"({"trnsim_result": "1.0", "tool": {"version": "1", "commit": "x"}})", "r.json");
    FAIL() << "a cut file was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "r.json: not a complete result file: key 'chip' not found");
  }
}

TEST(ResultFactsTest, ValueOfTheWrongKindIsNamed) {
  try {
    (void)parse_facts(R"({"trnsim_result": "1.0", "tool": {"version": "1", "commit": "x"}, "workload": {}, "command": "", "truncated": null,
                          "chip": {"name": "c", "config": {}}, "cycles": "many"})",
                      "r.json");
    FAIL() << "a broken file was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "r.json: /cycles: want a number, not \"many\"");
  }
}

}  // namespace
}  // namespace trnsim::app
