// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Golden files from the command line: verdicts and updates.
#include <sys/stat.h>

#include "integration/golden_suite.hpp"
#include "integration/schema_check.hpp"

namespace trnsim {
namespace {

using CliCheck = GoldenCli;

// One cycle more or less than expected.
TEST_F(CliCheck, IsExactByDefaultInBothDirections) {
  const std::uint64_t now = copy_cycles();
  write_suite("less.json", {golden_case("a", cycles_are(now + 1))});
  write_suite("same.json", {golden_case("a", cycles_are(now))});
  write_suite("more.json", {golden_case("a", cycles_are(now - 1))});
  const Outcome less = trnsim({"check", "less.json"}), same = trnsim({"check", "same.json"}), more = trnsim({"check", "more.json"});
  EXPECT_EQ(less.code, 1);
  EXPECT_TRUE(contains(less.out, "improvement, update the golden file: 1 cycles fewer")) << less.out;
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_EQ(more.code, 1);
  EXPECT_TRUE(contains(more.out, "slower by 1 cycles")) << more.out;
}

// Two percent and 30 cycles, and a case with limits of its own.
TEST_F(CliCheck, ToleranceNeedsBothLimitsExceeded) {
  const std::uint64_t now = copy_cycles();
  const auto before = [now](int per_mille) { return now * 1000 / static_cast<std::uint64_t>(1000 + per_mille); };
  write_suite("g.json", {golden_case("within", cycles_are(before(19))), golden_case("beyond", cycles_are(before(21))),
                         golden_case("few", cycles_are(before(21)) + ",\"min_cycles\":" + std::to_string(now)),
                         golden_case("faster", cycles_are(before(-50))), golden_case("own", cycles_are(before(19)) + ",\"rel\":\"1%\"")});
  const auto report = nlohmann::json::parse(trnsim({"check", "g.json", "--rel", "2%", "--min-cycles", "30", "--json", "-"}).out);
  std::vector<std::string> verdicts;
  for (const auto& one : report["cases"]) verdicts.push_back(one["verdict"]);
  EXPECT_EQ(verdicts, (std::vector<std::string>{"ok", "slower", "ok", "improvement", "slower"}));
}

TEST_F(CliCheck, ImprovementsCanBeNotes) {
  write_suite("g.json", {golden_case("a", cycles_are(copy_cycles() * 2))});
  EXPECT_EQ(trnsim({"check", "g.json"}).code, 1);
  const Outcome noted = trnsim({"check", "g.json", "--improvements", "note"});
  EXPECT_EQ(noted.code, 0);
  EXPECT_TRUE(contains(noted.out, "improvement (note)")) << noted.out;
  EXPECT_TRUE(contains(noted.out, "1 case: 0 ok, 1 improved, 0 failed")) << noted.out;
}

TEST_F(CliCheck, WarnOnlyTellsAndPasses) {
  write_suite("g.json", {golden_case("a", cycles_are(1))});
  const Outcome outcome = trnsim({"check", "g.json", "--warn-only", "--github"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "slower"));
  EXPECT_TRUE(contains(outcome.out, "::warning file=g.json,line=3,"));
}

TEST_F(CliCheck, EveryWayToHaveNoNumberFailsWithItsWord) {
  write_suite("g.json",
              {golden_case("no-expectation"), R"(  {"name":"bad-kernel","args":["--chip","trn2","--kernel","copi"],"cycles":5})",
               R"(  {"name":"stopped","args":["--chip","trn2","--kernel","copy","--param","bytes=1048576","--max-time","1us"],"cycles":5})",
               golden_case("good", cycles_are(copy_cycles()))});
  const Outcome outcome = trnsim({"check", "g.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "no expected cycles; --update records them")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "bad-kernel: unknown kernel")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "stopped: --max-time 1us reached")) << outcome.out;
  for (const char* word : {"  new\n", "  refused\n", "  truncated\n", "  ok\n"}) EXPECT_TRUE(contains(outcome.out, word)) << word;
  EXPECT_TRUE(contains(outcome.out, "4 cases: 1 ok, 3 failed\n")) << outcome.out;
}

TEST_F(CliCheck, AMissingTraceIsOneRefusedCase) {
  write_suite("g.json", {R"(  {"name":"a","args":["--chip","trn2","--trace","nowhere.jsonl"],"cycles":5})"});
  const Outcome outcome = trnsim({"check", "g.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "nowhere.jsonl")) << outcome.out;
}

TEST_F(CliCheck, BadGoldenFilesAreToldTogetherBeforeAnythingRuns) {
  write_suite("a.json", {golden_case("x"), golden_case("x")});
  write_suite("b.json", {});
  write("c.json", "");
  const Outcome outcome = trnsim({"check", "a.json", "b.json", "c.json"});
  expect_refusal(outcome, 2);
  EXPECT_TRUE(contains(outcome.err, "a.json: line 4, case 'x': duplicate name, first on line 3"));
  EXPECT_TRUE(contains(outcome.err, "b.json: cases: empty"));
  EXPECT_TRUE(contains(outcome.err, "c.json: the file is empty"));
}

TEST_F(CliCheck, MissingFilesAndWrongOptionsAreToldApart) {
  write_suite("g.json", {golden_case("a")});
  expect_refusal(trnsim({"check", "nowhere.json"}), 4);
  expect_refusal(trnsim({"check"}), 2);
  expect_refusal(trnsim({"check", "g.json", "--rel", "2"}), 2);
  expect_refusal(trnsim({"check", "g.json", "--min-cycles", "-1"}), 2);
  expect_refusal(trnsim({"check", "g.json", "--improvements", "maybe"}), 2);
  expect_refusal(trnsim({"check", "g.json", "--filter", "b*"}), 2);
  expect_refusal(trnsim({"check", "g.json", "-j", "0"}), 2);
  expect_refusal(trnsim({"check", "-", "--update"}, {.input = read("g.json")}), 2);
}

TEST_F(CliCheck, FileNamesAreRelativeToTheGoldenFile) {
  ASSERT_EQ(::mkdir(path("suite").c_str(), 0755), 0);
  write("suite/slow.json", R"({"extends": "trn2", "hbm": {"stack_gb_per_s": 200}})");
  write("suite/copy.workload.json", R"({"trnsim_workload": "1.0", "kernel": "copy", "params": {"bytes": 65536}})");
  write_suite("suite/g.json", {R"(  {"name":"a","args":["--chip","slow.json","--workload","copy.workload.json"]})",
                               R"(  {"name":"b","args":["--chip","trn2","--trace","k.jsonl"]})"});
  ASSERT_EQ(trnsim({"trace", "write", "--kernel", "copy", "--param", "bytes=65536", "-o", "suite/k.jsonl"}).code, 0);
  const Outcome outcome = trnsim({"check", "suite/g.json", "--update"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_TRUE(contains(read("suite/g.json"), "\"k.jsonl\"],\"cycles\":" + std::to_string(copy_cycles()) + "}")) << read("suite/g.json");
  EXPECT_EQ(trnsim({"check", "suite/g.json"}).code, 0);
}

TEST_F(CliCheck, FilterChoosesCases) {
  write_suite("g.json", {golden_case("copy-a", cycles_are(copy_cycles())), golden_case("other", cycles_are(1))});
  const Outcome outcome = trnsim({"check", "g.json", "--filter", "copy-*"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "other"));
}

TEST_F(CliCheck, ReadsAGoldenFileFromStandardInput) {
  write_suite("g.json", {golden_case("a", cycles_are(copy_cycles()))});
  EXPECT_EQ(trnsim({"check", "-"}, {.input = read("g.json")}).code, 0);
}

TEST_F(CliCheck, UpdateChangesOnlyWhatChanged) {
  const std::uint64_t now = copy_cycles();
  write_suite("g.json", {golden_case("right", cycles_are(now)), golden_case("wrong", cycles_are(now + 1)),
                         golden_case("more", cycles_are(1) + ",\"energy_pj\":2,\"dma_bytes\":3"), golden_case("new")});
  const Outcome outcome = trnsim({"check", "g.json", "--update"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "g.json: updated\n")) << outcome.out;
  const auto run = copy_result();
  const std::string text = read("g.json");
  write_suite("wanted.json", {golden_case("right", cycles_are(now)), golden_case("wrong", cycles_are(now)),
                              golden_case("more", cycles_are(now) + ",\"energy_pj\":" + run["energy"]["total_pj"].dump() +
                                                      ",\"dma_bytes\":" + run["dma"]["bytes"].dump()),
                              golden_case("new", cycles_are(now))});
  EXPECT_EQ(text, read("wanted.json"));
  EXPECT_EQ(trnsim({"check", "g.json"}).code, 0);
}

TEST_F(CliCheck, UpdateWithoutAChangeDoesNotTouchTheFile) {
  write_suite("g.json", {golden_case("a", cycles_are(copy_cycles()))});
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat(path("g.json").c_str(), &before), 0);
  EXPECT_TRUE(contains(trnsim({"check", "g.json", "--update"}).out, "g.json: unchanged\n"));
  ASSERT_EQ(::stat(path("g.json").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "a rewritten file is another one";
}

TEST_F(CliCheck, UpdateWritesTheValueOfNowEvenWithinTheTolerance) {
  const std::uint64_t now = copy_cycles();
  write_suite("g.json", {golden_case("a", cycles_are(now - 1))});
  EXPECT_EQ(trnsim({"check", "g.json", "--rel", "2%", "--update"}).code, 0);
  EXPECT_TRUE(contains(read("g.json"), cycles_are(now)));
}

TEST_F(CliCheck, UpdateRecordsNoFailure) {
  const std::string stopped =
      R"(  {"name":"stopped","args":["--chip","trn2","--kernel","copy","--param","bytes=1048576","--max-time","1us"],"cycles":5})";
  write_suite("g.json", {R"(  {"name":"bad","args":["--chip","trn2","--kernel","copi"]})", stopped, golden_case("wrong", cycles_are(1))});
  const Outcome outcome = trnsim({"check", "g.json", "--update"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "bad: not recorded, refused: unknown kernel")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "stopped: not recorded, truncated")) << outcome.out;
  EXPECT_TRUE(contains(read("g.json"), "\"copi\"]},")) << read("g.json");
  EXPECT_TRUE(contains(read("g.json"), stopped));
  EXPECT_TRUE(contains(read("g.json"), cycles_are(copy_cycles()))) << "the others are recorded";
}

TEST_F(CliCheck, ShippedSuitesFollowTheSchema) {
  for (const char* file :
       {"configs/golden/matmul.json", "configs/golden/memory.json", "tests/golden/matmul.json", "tests/golden/kernels.json"}) {
    EXPECT_TRUE(follows_schema("golden", json_file(std::string(TRNSIM_SOURCE_DIR "/") + file))) << file;
  }
}

TEST_F(CliCheck, SchemaRefusesWhatTheReaderRefuses) {
  using nlohmann::json;
  const json good = json::parse("{\"trnsim_golden\": \"1.0\", \"cases\": [" + golden_case("a", cycles_are(5)) + "]}");
  ASSERT_TRUE(follows_schema("golden", good));
  for (const auto& [pointer, value] : std::vector<std::pair<const char*, json>>{{"/trnsim_golden", "2.0"},
                                                                                {"/cases", json::array()},
                                                                                {"/case", 1},
                                                                                {"/cases/0/name", ""},
                                                                                {"/cases/0/cycles", 0},
                                                                                {"/cases/0/cycles", 1.5},
                                                                                {"/cases/0/cycle", 5},
                                                                                {"/cases/0/args", json::array()},
                                                                                {"/cases/0/args/0", 7},
                                                                                {"/cases/0/rel", "two"},
                                                                                {"/cases/0/rel", 2},
                                                                                {"/cases/0/energy_pj", 0},
                                                                                {"/cases/0/dma_bytes", -1}}) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    EXPECT_FALSE(follows_schema("golden", bad)) << pointer << " = " << value;
    write("bad.json", bad.dump());
    EXPECT_EQ(trnsim({"check", "bad.json"}).code, 2) << pointer << " = " << value;
  }
}

TEST_F(CliCheck, FileNamedTwiceIsRefused) {
  write_suite("g.json", {golden_case("a", cycles_are(1))});
  const Outcome outcome = trnsim({"check", "g.json", "./g.json"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("./g.json: the same golden file is named twice"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace trnsim
