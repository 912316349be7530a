// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// trnsim compare with the built program.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

using nlohmann::ordered_json;

class CliCompare : public Cli {
 protected:
  /// Runs a small matmul on these chips and returns the JSON.
  [[nodiscard]] ordered_json compared(const std::string& chips, const std::vector<std::string>& more = {},
                                      const char* dtype = "bf16") const {
    std::vector<std::string> args{
        "compare", "--chips", chips, "--kernel", "matmul", "--param", "m=256,n=512,k=256,dtype=" + std::string(dtype), "--json", "-"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome outcome = trnsim(args);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return ordered_json::parse(outcome.out);
  }
};

double number(const ordered_json& value) { return value.get<double>(); }

TEST_F(CliCompare, FiguresAreThoseOfTheRunsBehindTheColumns) {
  const ordered_json json = compared("trn1,trn2,trn3");
  ASSERT_EQ(json["columns"].size(), 3u);
  for (const ordered_json& column : json["columns"]) {
    const Outcome run = trnsim({"run", "--chip", column["chip"].get<std::string>(), "--kernel", "matmul", "--param",
                                "m=256,n=512,k=256,dtype=bf16", "--json", "-"});
    const ordered_json one = ordered_json::parse(run.out);
    EXPECT_EQ(one["command"], column["command"]);
    EXPECT_EQ(one["time_ns"], column["figures"]["time_ns"]);
    EXPECT_EQ(one["cycles"], column["figures"]["cycles"]);
    EXPECT_EQ(one["tflops"], column["figures"]["tflops"]);
    EXPECT_EQ(one["mfu"], column["figures"]["mfu"]);
    EXPECT_EQ(one["energy"]["total_pj"], column["figures"]["energy_chip_pj"]);
    EXPECT_EQ(one["bottleneck"]["resource"], column["bottleneck"]);
    EXPECT_EQ(one["chip"]["config_hash"], column["config_hash"]);
  }
}

TEST_F(CliCompare, RatiosAreToTheFirstChip) {
  const ordered_json columns = compared("trn2,trn3,trn1")["columns"];
  const double base = number(columns[0]["figures"]["time_ns"]);
  for (const ordered_json& column : columns)
    EXPECT_DOUBLE_EQ(number(column["ratios"]["speed_up"]), base / number(column["figures"]["time_ns"]));
}

/// The same matmul at 1.4 and 2.8 GHz: times are compared, cycles only shown.
TEST_F(CliCompare, TwoClocksAreComparedByTime) {
  write("slow.json", R"({"extends": "trn1", "name": "slow", "tensor": {"clock_ghz": 1.4}})");
  const Outcome outcome = trnsim({"compare", "--chips", "trn1,slow.json", "--kernel", "matmul", "--param", "m=256,n=512,k=256"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("where clocks differ, compare times"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1.40 GHz"), std::string::npos) << outcome.out;
  const ordered_json columns = compared("trn1,slow.json")["columns"];
  EXPECT_LT(number(columns[1]["ratios"]["speed_up"]), 1);
  EXPECT_LT(number(columns[1]["figures"]["cycles"]), number(columns[0]["figures"]["cycles"]));
}

TEST_F(CliCompare, AChipThatLacksADtypeIsAColumnWithItsReason) {
  const ordered_json json = compared("trn1,trn2,trn3", {}, "mxfp8");
  EXPECT_EQ(json["baseline"], "trn3");
  EXPECT_EQ(json["columns"][0]["status"], "refused");
  EXPECT_EQ(json["columns"][2]["status"], "ran");
  const std::string reason = json["columns"][1]["reason"];
  for (const char* part : {"mxfp8", "trn2", "generations that have it: v4 (Trn3)"})
    EXPECT_NE(reason.find(part), std::string::npos) << reason;
  EXPECT_TRUE(json["columns"][0]["figures"]["time_ns"].is_null());
}

/// A trace with an instruction of Trainium3 only.
TEST_F(CliCompare, AChipThatLacksAnInstructionIsAColumnWithItsReason) {
  write("k.jsonl", R"({"trnsim_trace":"1.0","name":"exp","dtype":"bf16","tensors":[{"name":"a","shape":[128,64],"use":"input"}]}
{"tile":"t","buffer":"sbuf","partitions":128,"bytes":128}
{"op":"dma_copy","dst":"t","src":"a"}
{"tile":"u","buffer":"sbuf","partitions":128,"bytes":128}
{"op":"exponential","dst":"u","data":"t"}
)");
  const Outcome outcome = trnsim({"compare", "--chips", "trn1,trn2,trn3", "--trace", "k.jsonl", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const ordered_json columns = ordered_json::parse(outcome.out)["columns"];
  for (const std::size_t refused : {0, 1}) {
    const std::string reason = columns[refused]["reason"];
    EXPECT_EQ(columns[refused]["status"], "refused");
    EXPECT_NE(reason.find("k.jsonl:5: exponential: not available on " + columns[refused]["chip"].get<std::string>()), std::string::npos)
        << reason;
    EXPECT_NE(reason.find("generations that have it: v4 (Trn3)"), std::string::npos) << reason;
  }
  EXPECT_EQ(columns[2]["status"], "ran");
  expect_refusal(trnsim({"run", "--chip", "trn2", "--trace", "k.jsonl"}), 2);
}

TEST_F(CliCompare, AWorkloadTooLargeForOneMemoryRunsOnTheOther) {
  write("small.json", R"({"extends": "trn2", "name": "small", "hbm": {"gib_per_stack": 0.001}})");
  const ordered_json json = compared("trn2,small.json");
  EXPECT_EQ(json["columns"][0]["status"], "ran");
  const Outcome outcome = trnsim({"compare", "--chips", "small.json,trn2", "--kernel", "copy", "--param", "bytes=33554432", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const ordered_json columns = ordered_json::parse(outcome.out)["columns"];
  EXPECT_EQ(columns[0]["status"], "refused") << columns[0];
  EXPECT_NE(columns[0]["reason"].get<std::string>().find("HBM"), std::string::npos) << columns[0];
  EXPECT_EQ(columns[1]["status"], "ran");
}

TEST_F(CliCompare, WhenNoneRunsEveryReasonIsPrinted) {
  const Outcome outcome =
      trnsim({"compare", "--chips", "trn1,trn2", "--kernel", "matmul", "--param", "m=256,n=256,k=256,dtype=mxfp8", "--json", "out.json"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("trn1: kernel matmul"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("trn2: kernel matmul"), std::string::npos) << outcome.err;
  EXPECT_TRUE(files().empty());
}

/// A [8192, 128] BF16 tensor transposed by DMA, by the Tensor engine and by a matmul with an identity, and only loaded.
TEST_F(CliCompare, WaysToTransposeStandSideBySide) {
  std::string traces;
  for (const std::string way : {"dma", "pe", "matmul", "load"}) {
    const std::string script = std::string("python3 ") + TRNSIM_SOURCE_DIR + "/configs/traces/transposes.py ";
    ASSERT_EQ(std::system((script + way + " > " + path(way + ".jsonl")).c_str()), 0);
    traces += (traces.empty() ? "" : ",") + path(way + ".jsonl");
  }
  const Outcome outcome = trnsim({"compare", "--chips", "trn2", "--traces", traces, "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const ordered_json columns = ordered_json::parse(outcome.out)["columns"];
  const auto figure = [&](std::size_t column, const char* name) { return number(columns.at(column)["figures"].at(name)); };
  for (const std::size_t column : {0, 1, 2, 3}) EXPECT_GT(figure(column, "dma_in_use_ns"), 0) << column;
  EXPECT_LT(figure(0, "dma_gb_per_s"), figure(3, "dma_gb_per_s")) << "a transposing copy is slower than a plain load";
  EXPECT_EQ(figure(0, "tensor_in_use_ns"), 0);
  EXPECT_EQ(figure(0, "vector_in_use_ns"), 0);
  EXPECT_GT(figure(1, "tensor_in_use_ns"), 0);
  EXPECT_GT(figure(2, "vector_in_use_ns"), figure(1, "vector_in_use_ns")) << "a product leaves FP32 in PSUM";
  EXPECT_LE(figure(2, "vector_in_use_ns"), figure(2, "time_ns"));
}

TEST_F(CliCompare, TimesInUseAreSharesOfTheTime) {
  const ordered_json column = compared("trn2")["columns"][0];
  const Outcome run = trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=256,n=512,k=256,dtype=bf16", "--json", "-"});
  const ordered_json one = ordered_json::parse(run.out);
  EXPECT_DOUBLE_EQ(number(column["figures"]["vector_in_use_ns"]), number(one["bottleneck"]["shares"]["vector"]) * number(one["time_ns"]));
  EXPECT_DOUBLE_EQ(number(column["figures"]["dma_in_use_ns"]), number(one["bottleneck"]["shares"]["DMA engines"]) * number(one["time_ns"]));
}

TEST_F(CliCompare, AMissingTraceIsAFileThatCannotBeRead) {
  expect_refusal(trnsim({"compare", "--chips", "trn1,trn2", "--trace", "nowhere.jsonl"}), 4);
}

TEST_F(CliCompare, AMissingFileOfAListStopsAll) {
  ASSERT_EQ(trnsim({"trace", "write", "--kernel", "copy", "--param", "bytes=65536", "-o", "a.jsonl"}).code, 0);
  for (const char* list : {"a.jsonl,nowhere.jsonl", "a.jsonl,."})
    expect_refusal(trnsim({"compare", "--chips", "trn2", "--traces", list}), 4);
}

TEST_F(CliCompare, RefusesWhatMakesNoSense) {
  const std::vector<std::string> work{"--kernel", "copy", "--param", "bytes=65536"};
  const std::vector<std::vector<std::string>> bad{{},
                                                  {"--chips", "trn1,,trn2"},
                                                  {"--chips", "trn1,trn22"},
                                                  {"--chips", "trn1", "--jobs", "0"},
                                                  {"--chips", "trn1", "--orders", "all"},
                                                  {"--chips", "trn1", "--split", "--orders", "some"},
                                                  {"--chips", "trn1", "--all-cores", "--cores", "2"},
                                                  {"--chips", "trn1", "--json", "a", "--csv", "a"},
                                                  {"--chips", "trn1", "--set", "hbm.stack=4"}};
  for (std::vector<std::string> args : bad) {
    args.insert(args.begin(), "compare");
    args.insert(args.end(), work.begin(), work.end());
    expect_refusal(trnsim(args), 2);
  }
  expect_refusal(trnsim({"compare", "--chips", "trn1,trn2"}), 2);
  expect_refusal(trnsim({"compare", "--chips", "trn1,trn2", "--trace", "-"}), 2);
}

TEST_F(CliCompare, AllCoresAreThoseOfEachChip) {
  const ordered_json columns = compared("trn1,trn2", {"--all-cores"})["columns"];
  EXPECT_EQ(columns[0]["cores"], 2);
  EXPECT_EQ(columns[1]["cores"], 8);
}

TEST_F(CliCompare, TwoTracesAreTwoColumns) {
  for (const char* m : {"128", "256"}) {
    ASSERT_EQ(
        trnsim({"trace", "write", "--kernel", "matmul", "--param", std::string("n=512,k=256,m=") + m, "-o", std::string(m) + ".jsonl"})
            .code,
        0);
  }
  const Outcome outcome = trnsim({"compare", "--chips", "trn2,trn3", "--traces", "128.jsonl,256.jsonl", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const ordered_json columns = ordered_json::parse(outcome.out)["columns"];
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0]["label"], "trn2 128.jsonl");
  EXPECT_EQ(columns[3]["label"], "trn3 256.jsonl");
  EXPECT_LT(number(columns[1]["ratios"]["speed_up"]), 1);
  expect_refusal(trnsim({"compare", "--chips", "trn2", "--split", "--traces", "128.jsonl,256.jsonl"}), 2);
}

TEST_F(CliCompare, ProjectionsAndCarriedOverNumbersAreMarked) {
  const Outcome outcome = trnsim({"compare", "--chips", "trn3,trn4-projected", "--kernel", "copy", "--param", "bytes=65536"});
  EXPECT_NE(outcome.out.find("PROJECTED"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Carried over"), std::string::npos) << outcome.out;
}

TEST_F(CliCompare, WhatIsNoTerminalGetsAHundredColumnsOfAscii) {
  const Outcome outcome = trnsim({"compare", "--chips", "trn1,inf2,trn2,trn3,trn4-projected", "--kernel", "copy", "--param", "bytes=65536"},
                                 {.environment = {{"LC_ALL", "C"}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::size_t longest = 0;
  for (std::size_t at = 0; at < outcome.out.size();) {
    const std::size_t end = std::min(outcome.out.find('\n', at), outcome.out.size());
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  EXPECT_LE(longest, 100u) << outcome.out;
  EXPECT_TRUE(std::all_of(outcome.out.begin(), outcome.out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80U; }));
}

TEST_F(CliCompare, FilesAreWrittenAndTheSameBytesAgain) {
  const std::vector<std::string> args{"compare", "--chips", "trn1,trn2", "--kernel",   "copy", "--param", "bytes=65536", "--split",
                                      "--quiet", "--json",  "a.json",    "--markdown", "a.md", "--csv",   "a.csv"};
  const Outcome first = trnsim(args);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, "");
  const std::string json = read("a.json"), markdown = read("a.md"), csv = read("a.csv");
  std::vector<std::string> again = args;
  again.insert(again.end(), {"-j", "1"});
  EXPECT_EQ(trnsim(again).code, 0);
  EXPECT_EQ(read("a.json"), json);
  EXPECT_EQ(read("a.md"), markdown);
  EXPECT_EQ(read("a.csv"), csv);
  EXPECT_EQ(lines(csv), 3u);
}

TEST_F(CliCompare, ASplitMultipliesToTheSpeedUpAndItsAveragesDoToo) {
  const ordered_json json = compared("trn1,trn3", {"--split", "--orders", "all"});
  ASSERT_EQ(json["splits"].size(), 1u);
  const ordered_json split = json["splits"][0];
  EXPECT_DOUBLE_EQ(number(split["speed_up"]), number(json["columns"][1]["ratios"]["speed_up"]));
  double product = 1, averages = 1;
  for (const ordered_json& group : split["groups"]) {
    product *= number(group["in_order"]);
    averages *= number(group["average"]);
    EXPECT_LE(number(group["smallest"]), number(group["average"]) * (1 + 1e-12));
    EXPECT_GE(number(group["largest"]), number(group["average"]) * (1 - 1e-12));
  }
  EXPECT_NEAR(product / number(split["speed_up"]), 1, 1e-12);
  EXPECT_NEAR(averages / number(split["speed_up"]), 1, 1e-9);
}

TEST_F(CliCompare, ASplitAgainstTheSameChipHasNoCause) {
  const ordered_json split = compared("trn2,trn2", {"--split"})["splits"][0];
  EXPECT_EQ(split["speed_up"], 1.0);
  EXPECT_TRUE(split["groups"].empty());
}

/// A chip that differs in one key alone: the group of that key is the whole speed-up.
TEST_F(CliCompare, ASplitFindsTheOneKeyThatDiffers) {
  write("fast.json", R"({"extends": "trn2", "name": "fast", "dma": {"engine_gb_per_s": 27}})");
  const ordered_json split = compared("trn2,fast.json", {"--split"})["splits"][0];
  ASSERT_EQ(split["groups"].size(), 1u);
  EXPECT_EQ(split["groups"][0]["causes"], ordered_json::array({"DMA"}));
  EXPECT_EQ(split["groups"][0]["alone"], split["speed_up"]);
  EXPECT_EQ(split["groups"][0]["last"], split["speed_up"]);
}

TEST_F(CliCompare, SplitOfOneChipIsRefused) {
  expect_refusal(trnsim({"compare", "--chips", "trn2", "--kernel", "softmax", "--param", "rows=128,cols=128", "--split"}), 2);
}

TEST_F(CliCompare, ChipFileIsNoOutput) {
  const std::string chip = R"({"extends": "trn2"})";
  write("chip.json", chip);
  expect_refusal(
      trnsim({"compare", "--chips", "trn1,chip.json", "--kernel", "softmax", "--param", "rows=128,cols=128", "--json", "./chip.json"}), 2);
  EXPECT_EQ(read("chip.json"), chip);
}

}  // namespace
}  // namespace trnsim
