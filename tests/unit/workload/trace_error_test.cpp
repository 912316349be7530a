// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trnsim/error.hpp"
#include "trnsim/version.hpp"
#include "unit/workload/trace_support.hpp"

namespace trnsim {
namespace {

using test::chip;
using test::problem_of;
using test::problems_of;
using test::trace_of;

constexpr const char* kTile = R"({"tile":"t","buffer":"sbuf","partitions":128,"bytes":1024})";
constexpr const char* kFill = R"({"op":"memset","dst":"t"})";

/// Problems of one more line after a tile `t`, which is line 2.
std::string problem_in(const std::string& line) { return problem_of(trace_of({kTile, kFill, line}), chip("trn2")); }

void expect_says(const std::string& text, const std::string& part) { EXPECT_NE(text.find(part), std::string::npos) << text; }

TEST(TraceError, UnknownKeyNamesTheNearestOne) {
  EXPECT_EQ(
      problem_in(R"({"op":"memset","dst":"t","engin":"vector"})").find("k.jsonl:4: unknown key 'engin'; nearest: 'engine'; allowed: "), 0U);
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","of":4}})"), "unknown key 'dst.of'; nearest: 'off'");
  expect_says(problem_in(R"({"tile":"u","bufer":"sbuf","buffer":"sbuf","partitions":1,"bytes":4})"),
              "unknown key 'bufer'; nearest: 'buffer'");
}

TEST(TraceError, UnknownOperationNamesTheNearestOne) {
  const std::string text = problem_in(R"({"op":"nc_matmull","dst":"t"})");
  expect_says(text, R"(k.jsonl:4: key 'op': value "nc_matmull"; allowed: nc_matmul, )");
  expect_says(text, "nearest: 'nc_matmul'");
}

TEST(TraceError, TraceOfUnknownOperationsIsNeverASuccess) {
  std::vector<std::string> lines(40, R"({"op":"COMM_COLL_NODE","id":1})");
  const auto problems = problems_of(trace_of(lines), chip("trn2"));
  EXPECT_EQ(problems.size(), 21U);  // 20 and the remark that there may be more
  expect_says(problems.back(), "stopped after 20 problems");
}

TEST(TraceError, TraceWithoutInstructionsIsRefused) {
  EXPECT_EQ(problem_of(trace_of({kTile}), chip("trn2")), "k.jsonl: holds no instruction");
  EXPECT_EQ(problem_of("", chip("trn2")), "k.jsonl: is empty; the first line is a header");
}

TEST(TraceError, OtherFilesAreRefusedByTheirFirstLine) {
  expect_says(problem_of("hello\n", chip("trn2")), "k.jsonl:1: not JSON");
  expect_says(problem_of("{\"a\":1}\n", chip("trn2")), "k.jsonl:1: not a trnsim trace");
  expect_says(problem_of("[1]\n", chip("trn2")), "k.jsonl:1: a line is one JSON object; found [1]");
}

TEST(TraceError, FutureVersionNamesFileToolAndRange) {
  const std::string tool(tool_version());
  EXPECT_EQ(problem_of(R"({"trnsim_trace":"2.0","tool":"0.9.1","new_key":1})", chip("trn2")),
            "k.jsonl:1: trace format 2.0; trnsim " + tool + " reads 1.0 to 1.1; the file needs a trnsim newer than " + tool +
                "; trnsim 0.9.1 wrote it");
  expect_says(problem_of(R"({"trnsim_trace":"1.2"})", chip("trn2")), "trace format 1.2; ");
  expect_says(problem_of(R"({"trnsim_trace":"one"})", chip("trn2")), "\"one\" is not a format version");
  expect_says(problem_of(R"({"trnsim_trace":1})", chip("trn2")), "key 'trnsim_trace': value 1; allowed: a version such as \"1.0\"");
}

TEST(TraceError, BadValueIsShownWithWhatIsAllowed) {
  EXPECT_EQ(problem_in(R"({"op":"memset","dst":{"t":"t","dt":"bf17"}})"),
            "k.jsonl:4: key 'dst.dt': value \"bf17\"; allowed: fp32, tf32, bf16, fp16, fp8_e4m3, fp8_e5m2, mxfp8, mxfp4, int32, uint32, "
            "int16, uint16, "
            "int8, uint8; nearest: 'bf16'");
  expect_says(problem_in(R"({"op":"memset","dst":{"buffer":"sbuf","address":"0xZZ","dt":"bf16","ap":[[1,2]]}})"),
              R"(key 'dst.address': value "0xZZ"; allowed: an integer from 0 to )");
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","off":-4}})"), "key 'dst.off': value -4; allowed: an integer from 0");
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","off":1.5}})"), "key 'dst.off': value 1.5; allowed: an integer");
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","ap":[[1,0]]}})"), "key 'dst.ap': value [1,0]; allowed: 1 to 16 pairs");
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","p":[0]}})"), "key 'dst.p': value [0]; allowed: [start, count]");
  expect_says(problem_in(R"({"op":"dma_copy","dst":"t","src":"x","queue":300})"),
              "key 'queue': value 300; allowed: an integer from 0 to 254");
  expect_says(problem_in(R"({"op":"memset","dst":7})"), "key 'dst': value 7; allowed: a tensor's name, or an object");
  expect_says(problem_in(R"({"op":"memset","dst":"t","accumulate":1})"), "key 'accumulate': value 1; allowed: true, false");
}

TEST(TraceError, LongValuesAreCutInMessages) {
  const std::string text = problem_in(fmt::format(R"({{"op":"{}"}})", std::string(500, 'z')));
  expect_says(text, "zzz…; allowed");
  EXPECT_LT(text.size(), 1000U);
}

TEST(TraceError, RepeatedAndMissingKeysAreNamed) {
  expect_says(problem_in(R"({"op":"memset","dst":"t","dst":"t"})"), "key 'dst' stands twice");
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","off":0,"off":4}})"), "key 'dst.off' stands twice");
  expect_says(problem_in(R"({"tile":"u","buffer":"sbuf"})"), "key 'partitions' is missing");
  expect_says(problem_in(R"({"op":"memset"})"), "memset: key 'dst': is missing");
  expect_says(problem_in(R"({"op":"memset","dst":{"off":0}})"), "key 'dst.t' is missing");
  expect_says(problem_in(R"({"op":"memset","dst":{"buffer":"sbuf","address":0}})"), "key 'dst.ap' is missing");
  expect_says(problem_in(R"({"x":1})"), "a line needs one of the keys op, tile, release");
}

TEST(TraceError, UnknownTensorNamesTheNearestOne) {
  expect_says(
      problem_of(trace_of({R"({"tile":"weights","buffer":"sbuf","partitions":1,"bytes":4})", R"({"op":"memset","dst":"wieghts"})"}),
                 chip("trn2")),
      R"(key 'dst': value "wieghts"; allowed: a tensor of the header or a tile that is declared and not yet released; nearest: 'weights')");
}

TEST(TraceError, ReleasedTileCannotBeUsed) {
  expect_says(problem_of(trace_of({kTile, kFill, R"({"release":"t"})", kFill}), chip("trn2")), "k.jsonl:5: key 'dst': value \"t\"");
  expect_says(problem_of(trace_of({kTile, kFill, R"({"release":"t"})", R"({"release":"t"})"}), chip("trn2")),
              "k.jsonl:5: key 'release': value \"t\"");
  expect_says(problem_in(R"({"release":"x"})"), "key 'release': value \"x\"");
}

TEST(TraceError, NameOfALiveTileIsTaken) {
  expect_says(problem_in(kTile), "key 'tile': value \"t\" is declared in line 2 and not released");
  expect_says(problem_in(R"({"tile":"x","buffer":"sbuf","partitions":1,"bytes":4})"), "key 'tile': value \"x\" is a tensor of the header");
}

TEST(TraceError, UseOfARefusedTileIsNotReportedAgain) {
  const auto problems = problems_of(trace_of({R"({"tile":"t","buffer":"sbuf","partitions":128,"bytes":1024,"color":"red"})", kFill,
                                              R"({"op":"memset","dst":{"t":"t","off":9999}})"}),
                                    chip("trn2"));
  EXPECT_EQ(problems.size(), 1U);
}

TEST(TraceError, SeveralProblemsAreReportedInOneRun) {
  EXPECT_EQ(problems_of(trace_of({kTile, "nonsense", kFill, R"({"op":"mem"})", R"({"release":"q"})"}), chip("trn2")).size(), 3U);
}

TEST(TraceError, TensorsOfTheHeaderAreChecked) {
  const auto header = [](const std::string& tensor) {
    return problem_of("{\"trnsim_trace\":\"1.0\",\"tensors\":[" + tensor + "]}\n", chip("trn2"));
  };
  expect_says(header(R"({"name":"a","shape":[0]})"), "key 'tensors.shape': value [0]; allowed: a list of sizes from 1");
  expect_says(header(R"({"name":"a","shape":[4294967296,4294967296]})"), "key 'tensors.shape'");
  expect_says(header(R"({"name":"a","shape":[1],"use":"in"})"), "allowed: input, output, internal");
  expect_says(header(R"({"name":"a","shape":[1]},{"name":"a","shape":[1]})"), "two tensors are named 'a'");
  expect_says(header(R"({"shape":[1]})"), "key 'tensors.name' is missing");
}

std::string waits(const std::string& id, const std::string& after, const std::string& engine = "vector") {
  return fmt::format(R"({{"op":"memset","engine":"{}","dst":"t","id":"{}","after":[{}]}})", engine, id, after);
}

TEST(TraceAfter, CycleIsRefusedWithOneShortest) {
  std::vector<std::string> lines{kTile};
  for (int i = 0; i < 500; ++i) lines.push_back(waits(fmt::format("n{}", i), i == 0 ? "" : fmt::format("\"n{}\"", i - 1)));
  // A → B → C → A across engines, inside a longer way round
  lines.push_back(waits("A", "\"B\",\"L1\"", "vector"));
  lines.push_back(waits("B", "\"C\"", "gpsimd"));
  lines.push_back(waits("C", "\"A\"", "vector"));
  lines.push_back(waits("L1", "\"L2\"", "gpsimd"));
  lines.push_back(waits("L2", "\"L3\"", "vector"));
  lines.push_back(waits("L3", "\"A\"", "gpsimd"));
  for (int i = 500; i < 1000; ++i) lines.push_back(waits(fmt::format("n{}", i), fmt::format("\"n{}\"", i - 1)));
  const auto problems = problems_of(trace_of(lines), chip("trn2"));
  ASSERT_EQ(problems.size(), 1U) << problems[0];
  expect_says(problems[0], "a cycle of 3: \"A\" (line 503) waits for \"B\" (line 504) waits for \"C\" (line 505) waits for \"A\"");
}

TEST(TraceAfter, CycleOfNumbersIsFoundToo) {
  const auto line = [](int id, int after, const char* engine) {
    return fmt::format(R"({{"op":"memset","engine":"{}","dst":"t","id":{},"after":[{}]}})", engine, id, after);
  };
  expect_says(problem_of(trace_of({kTile, line(1, 2, "vector"), line(2, 1, "gpsimd")}), chip("trn2")),
              "a cycle of 2: 1 (line 3) waits for 2 (line 4) waits for 1");
}

TEST(TraceAfter, UndefinedIdIsRefused) {
  EXPECT_EQ(problem_in(R"({"op":"memset","dst":"t","after":["nobody"]})"),
            "k.jsonl:4: key 'after': value \"nobody\"; allowed: an id that some instruction has");
}

TEST(TraceAfter, IdIsDefinedOnce) {
  expect_says(problem_of(trace_of({kTile, waits("a", ""), waits("a", "")}), chip("trn2")),
              "k.jsonl:4: key 'id': value \"a\" is defined twice");
  expect_says(problem_of(trace_of({kTile, R"({"op":"memset","dst":"t","id":1})", R"({"op":"memset","dst":"t","id":1})"}), chip("trn2")),
              "k.jsonl:4: key 'id': value 1 is defined twice");
}

TEST(TraceAfter, WaitingForItselfOrForALaterOneOfTheSameEngineIsRefused) {
  expect_says(problem_in(waits("a", "\"a\"")), "\"a\" waits for itself");
  expect_says(problem_of(trace_of({kTile, waits("a", "\"b\""), waits("b", "")}), chip("trn2")),
              "k.jsonl:3: key 'after': waits for \"b\" of line 4, which the same engine (vector) runs later");
}

TEST(TraceAfter, MoreThanFourAreRefused) {
  expect_says(problem_in(waits("a", "1,2,3,4,5")), "key 'after': value [1,2,3,4,5]; allowed: a list of at most 4 ids");
}

TEST(TraceError, APlaceNeedsAFileOfTheHeader) {
  expect_says(problem_in(R"({"op":"memset","dst":"t","at":[0,3]})"),
              "key 'at': value [0,3]; allowed: none, since the header lists no files");
  const std::string header = R"({"trnsim_trace":"1.1","files":["k.py"]})";
  expect_says(problem_of(header + "\n" + kTile + "\n" + R"({"op":"memset","dst":"t","at":[1,3]})" + "\n", chip("trn2")),
              "key 'at': value [1,3]; allowed: an index of the header's files below 1");
  expect_says(problem_of(R"({"trnsim_trace":"1.1","files":"k.py"})", chip("trn2")), "key 'files': value \"k.py\"; allowed: a list");
}

TEST(TraceError, AStepOfPartitionsStaysInItsTileAndOnChip) {
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","p":[0,65,2]}})"), "start 0 + 129 partitions past the end of tile 't'");
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","p":[0,8,0]}})"),
              "is written, one partition for all rows; allowed: a step from 1");
  expect_says(problem_in(R"({"op":"dma_copy","dst":"t","src":{"t":"x","p":[0,128,2],"ap":[[1,512]]}})"), "a step of partitions in hbm");
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","p":[0,8,-1]}})"), "allowed: [start, count] or [start, count, step]");
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","p":[16,8,2]}})"), "starts at partition 16");
}

TEST(TraceError, MoreDimensionsThanCanBeJoinedAreRefused) {
  expect_says(problem_in(R"({"op":"memset","dst":{"t":"t","ap":[[310,2],[210,2],[100,2],[40,2],[16,2],[7,2],[1,2]]}})"),
              "allowed: at most 6 dimensions");
}

TEST(TraceError, AnIndexNeedsItsOperandAndAnAddressAtRunTime) {
  expect_says(problem_in(R"({"op":"dma_copy","dst":"t","src":{"t":"x","p":[0,128]},"data_index":"t","dynamic_address":true})"),
              "key 'data_index': there is no 'data' whose rows it could pick");
  expect_says(problem_in(R"({"op":"dma_copy","dst":"t","src":{"t":"x","p":[0,128]},"src_index":"t"})"),
              "key 'src_index': an address known at run time; 'dynamic_address' must be true");
  expect_says(problem_in(R"({"op":"dma_copy","dst":"t","src":"x","src_index":"u","dynamic_address":true})"),
              "key 'src_index': value \"u\"; allowed: a tensor of the header or a tile");
}

TEST(TraceError, NumberedTensorsBelongToInstructionsThatTakeAny) {
  expect_says(problem_in(R"({"op":"memset","dst":"t","dst2":"t"})"), "unknown key 'dst2'");
  expect_says(problem_in(R"({"op":"memset","dst":"t","groups":[[0,1]]})"), "unknown key 'groups'");
}

}  // namespace
}  // namespace trnsim
