// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/golden.hpp"

#include <gtest/gtest.h>

#include "app/check/golden_places.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

const std::string kArgs = R"("args": ["--chip", "trn2", "--kernel", "copy", "--param", "bytes=65536"])";

std::string file_of(const std::string& cases) { return "{\"trnsim_golden\": \"1.0\",\n \"cases\": [" + cases + "]}\n"; }

std::vector<std::string> problems_of(const std::string& text) {
  try {
    (void)parse_golden(text, "g.json");
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

/// The only problem.
std::string problem_of(const std::string& text) {
  const auto problems = problems_of(text);
  EXPECT_EQ(problems.size(), 1u);
  return problems.empty() ? "" : problems.front();
}

std::string with(const std::string& members) { return file_of(R"({"name": "a", )" + kArgs + members + "}"); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(GoldenReader, ReadsEveryKeyOfACase) {
  const GoldenFile file = parse_golden(
      with(R"(, "cycles": 5, "energy_pj": 1.5, "dma_bytes": 0, "rel": "2%", "min_cycles": 30, "about": "why it is here")"), "g.json");
  ASSERT_EQ(file.cases.size(), 1u);
  const GoldenCase& one = file.cases[0];
  EXPECT_EQ(one.name, "a");
  EXPECT_EQ(one.args.size(), 6u);
  EXPECT_EQ(one.cycles, 5u);
  EXPECT_EQ(one.energy_pj, 1.5);
  EXPECT_EQ(one.dma_bytes, 0u);
  EXPECT_EQ(one.rel_ppb, 20'000'000u);
  EXPECT_EQ(one.min_cycles, 30u);
}

TEST(GoldenReader, LimitsOfACaseReplaceTheGeneralOnes) {
  const GoldenFile file = parse_golden(with(R"(, "rel": 0.01)"), "g.json");
  const Tolerance tolerance = file.cases[0].tolerance({20'000'000, 30});
  EXPECT_EQ(tolerance.rel_ppb, 10'000'000u);
  EXPECT_EQ(tolerance.min_cycles, 30u);
}

TEST(GoldenReader, ExpectationsMayBeMissing) { EXPECT_FALSE(parse_golden(with(""), "g.json").cases[0].cycles); }

TEST(GoldenReader, CasesKnowTheirLine) {
  const GoldenFile file = parse_golden(file_of("\n{\"name\": \"a\", " + kArgs + "},\n\n{\n\"name\": \"b\", " + kArgs + "}"), "g.json");
  ASSERT_EQ(file.cases.size(), 2u);
  EXPECT_EQ(file.cases[0].line, 3u);
  EXPECT_EQ(file.cases[1].line, 5u);
}

TEST(GoldenReader, EmptyFilesAndEmptyListsAreRefused) {
  EXPECT_EQ(problem_of(""), "g.json: the file is empty");
  EXPECT_EQ(problem_of(file_of("")), "g.json: cases: empty, which checks nothing");
  EXPECT_TRUE(contains(problem_of(R"({"trnsim_golden": "1.0"})"), "cases: want a list"));
}

TEST(GoldenReader, DuplicateNamesAreRefusedWithBothLines) {
  const std::string one = "\n{\"name\": \"a\", " + kArgs + "}";
  EXPECT_EQ(problem_of(file_of(one + "," + one)), "g.json: line 4, case 'a': duplicate name, first on line 3");
}

TEST(GoldenReader, ReportsAllProblemsAtOnce) {
  const auto problems = problems_of(file_of(R"({"name": "a", "args": [], "cycles": -1, "rell": "2%"}, {"args": "x"}, 7)"));
  EXPECT_EQ(problems.size(), 6u);
}

TEST(GoldenReader, UnknownKeysNameTheNearest) {
  EXPECT_EQ(problem_of(with(R"(, "cycle": 5)")), "g.json: line 2, case 'a': unknown key 'cycle'; nearest: 'cycles'");
  EXPECT_EQ(problem_of(R"({"trnsim_golden": "1.0", "case": [], "cases": [{"name": "a", )" + kArgs + "}]}"),
            "g.json: unknown key 'case'; nearest: 'cases'");
}

TEST(GoldenReader, CyclesAreWholeNumbersAboveZero) {
  for (const char* value : {"0", "-5", "1.5", "\"5\"", "null", "9007199254740993", "1e3", "true"}) {
    EXPECT_TRUE(contains(problem_of(with(std::string(", \"cycles\": ") + value)), "cycles: want a whole number from 1 to 2^53")) << value;
  }
}

TEST(GoldenReader, OtherValuesAreCheckedToo) {
  EXPECT_TRUE(contains(problem_of(with(R"(, "energy_pj": 0)")), "energy_pj: want a number above 0, not 0"));
  EXPECT_TRUE(contains(problem_of(with(R"(, "dma_bytes": -1)")), "dma_bytes"));
  EXPECT_TRUE(contains(problem_of(with(R"(, "min_cycles": "x")")), "min_cycles"));
  EXPECT_TRUE(contains(problem_of(with(R"(, "rel": 2)")), "rel: want \"2%\" or 0.02"));
  EXPECT_TRUE(contains(problem_of(with(R"(, "about": 2)")), "about: want text"));
}

TEST(GoldenReader, NamesAreTexts) {
  EXPECT_TRUE(contains(problem_of(file_of("{" + kArgs + "}")), "name: want text, not nothing"));
  EXPECT_TRUE(contains(problem_of(file_of(R"({"name": "", )" + kArgs + "}")), "name: want text, not \"\""));
}

TEST(GoldenReader, ArgumentsAreThoseOfRun) {
  const auto args = [](const std::string& list) { return file_of(R"({"name": "a", "args": )" + list + "}"); };
  EXPECT_TRUE(contains(problem_of(args(R"(["--chpi", "trn2"])")), "unknown option '--chpi'; nearest: '--chip'"));
  EXPECT_TRUE(contains(problem_of(args(R"(["--chip", "trn2", "--json", "x"])")), "unknown option '--json'"));
  EXPECT_TRUE(contains(problem_of(args(R"(["--chip", 2])")), "args: want texts, not 2"));
  EXPECT_TRUE(contains(problem_of(args(R"(["--help"])")), "--help is no run"));
  EXPECT_TRUE(contains(problem_of(args(R"(["--chip", "trn2", "--trace", "-"])")), "--trace -: a case cannot read stdin"));
}

TEST(GoldenReader, OtherVersionsAreRefused) {
  EXPECT_TRUE(contains(problem_of(R"({"trnsim_golden": "2.0", "cases": []})"), "golden format 2.0"));
  EXPECT_TRUE(contains(problem_of(R"({"cases": []})"), "no key trnsim_golden"));
}

TEST(GoldenReader, AByteOrderMarkIsNoProblem) { EXPECT_EQ(parse_golden("\xEF\xBB\xBF" + with(""), "g.json").cases.size(), 1u); }

TEST(GoldenPlaces, BracketsAndQuotesInsideTextsDoNotCount) {
  const std::string text = R"({"a": "}]\"{", "b": [[1], {"c": "]"}], "d":2})";
  const auto members = members_at(text, 0);
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(text.substr(members[1].value_begin, members[1].value_end - members[1].value_begin), R"([[1], {"c": "]"}])");
  EXPECT_EQ(text.substr(members[2].value_begin, members[2].value_end - members[2].value_begin), "2");
  EXPECT_EQ(elements_at(text, members[1].value_begin).size(), 2u);
}

TEST(GoldenPlaces, EmptyObjectsAndListsHaveNone) {
  EXPECT_TRUE(members_at("{ }", 0).empty());
  EXPECT_TRUE(elements_at("[\n]", 0).empty());
}

TEST(GoldenPlaces, EscapedKeysAreDecoded) { EXPECT_EQ(members_at(R"({"cycl\u0065s": 1})", 0).front().key, "cycles"); }

}  // namespace
}  // namespace trnsim::app
