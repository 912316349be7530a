// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// `trnsim trace check` and races.
#include "integration/cli.hpp"

namespace trnsim {
namespace {

constexpr const char* kHeader =
    R"({"trnsim_trace":"1.1","files":["kernel.py"],"tensors":[{"name":"a","shape":[128,64],"use":"input"},{"name":"c","shape":[128,64],"use":"output"}]})"
    "\n";
constexpr const char* kTile = R"({"tile":"x","buffer":"sbuf","partitions":128,"bytes":128})"
                              "\n";
constexpr const char* kLoad = R"({"op":"dma_copy","dst":"x","src":"a","id":7,"at":[0,5]})"
                              "\n";
constexpr const char* kStore = R"({"op":"dma_copy","dst":"c","src":"x","queue":1,"at":[0,9]})"
                               "\n";
constexpr const char* kWaitingStore = R"({"op":"dma_copy","dst":"c","src":"x","queue":1,"after":[7]})"
                                      "\n";

class CliRaces : public Cli {};

TEST_F(CliRaces, MissingWaitIsNamedWithBothLinesAndSources) {
  write("k.jsonl", std::string(kHeader) + kTile + kLoad + kStore);
  EXPECT_EQ(trnsim({"trace", "check", "k.jsonl"}).code, 0);
  const Outcome outcome = trnsim({"trace", "check", "k.jsonl", "--explicit"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  for (const char* part : {"k.jsonl:4: read before write", "kernel.py:9", "line 3", "kernel.py:5", "partitions 0-127, bytes 0-127",
                           "add the id of line 3 to 'after' of line 4"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
}

TEST_F(CliRaces, StatedWaitIsEnough) {
  write("k.jsonl", std::string(kHeader) + kTile + kLoad + kWaitingStore);
  EXPECT_EQ(trnsim({"trace", "check", "k.jsonl", "--explicit"}).code, 0);
}

TEST_F(CliRaces, ReadOfWhatNobodyWroteFailsTheCheck) {
  write("k.jsonl", std::string(kHeader) + kTile + kStore);
  const Outcome outcome = trnsim({"trace", "check", "k.jsonl"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("k.jsonl:3: never written"), std::string::npos) << outcome.out;
}

TEST_F(CliRaces, JsonHoldsTheWait) {
  write("k.jsonl", std::string(kHeader) + kTile + kLoad + kStore);
  const Outcome outcome = trnsim({"trace", "check", "k.jsonl", "--explicit", "--json", "-"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["found"], 1);
  EXPECT_EQ(json["races"][0]["kind"], "read before write");
  EXPECT_EQ(json["races"][0]["wait"], (nlohmann::json{{"line", 4}, {"after_line", 3}}));
  EXPECT_EQ(json["races"][0]["first"]["source"], "kernel.py:5");
}

TEST_F(CliRaces, MostLimitsTheListNotTheCount) {
  write("k.jsonl", std::string(kHeader) + kTile + kLoad + kStore + kLoad);
  std::string text = std::string(kHeader) + kTile;
  for (int k = 0; k < 4; ++k)
    text += R"({"op":"memset","dst":"x"})"
            "\n"
            R"({"op":"memset","dst":"x","engine":"gpsimd"})"
            "\n";
  write("k.jsonl", text);
  const Outcome outcome = trnsim({"trace", "check", "k.jsonl", "--explicit", "--most", "2"});
  EXPECT_EQ(lines(outcome.out), 4U) << outcome.out;
  EXPECT_NE(outcome.out.find("7 races"), std::string::npos) << outcome.out;
}

TEST_F(CliRaces, NoTraceOfABuiltInKernelHasOne) {
  const std::vector<std::vector<std::string>> kernels{{"matmul", "m=200,n=700,k=300"},
                                                      {"matmul", "m=256,n=512,k=256,schedule=naive"},
                                                      {"attention", "seq_q=256,seq_k=256,head_dim=64,causal=true"},
                                                      {"copy", "bytes=1048576"},
                                                      {"vector_add", "rows=300,cols=700"},
                                                      {"softmax", "rows=300,cols=700"},
                                                      {"rmsnorm", "rows=300,cols=700"},
                                                      {"layernorm", "rows=300,cols=700"},
                                                      {"rope", "seq=300,heads=3,head_dim=64"},
                                                      {"adamw", "rows=300,cols=700"},
                                                      {"attention", "seq_q=256,seq_k=256,head_dim=64,pass=backward"},
                                                      {"mlp", "tokens=256,hidden=256,ffn=512"}};
  for (const auto& kernel : kernels) {
    const Outcome written = trnsim({"trace", "write", "--kernel", kernel[0], "--param", kernel[1], "-o", "k.jsonl"});
    ASSERT_EQ(written.code, 0) << kernel[0] << written.err;
    const Outcome checked = trnsim({"trace", "check", "k.jsonl"});
    EXPECT_EQ(checked.code, 0) << kernel[0] << checked.out << checked.err;
  }
}

/// No id waits for itself, but the engines do.
TEST_F(CliRaces, EnginesThatWaitForEachOtherAreRefused) {
  write("k.jsonl", std::string(kHeader) + kTile +
                       R"({"op":"memset","dst":"x","engine":"gpsimd","after":[2]})"
                       "\n"
                       R"({"op":"memset","dst":"x","after":[1]})"
                       "\n"
                       R"({"op":"memset","dst":"x","engine":"gpsimd","id":1})"
                       "\n"
                       R"({"op":"memset","dst":"x","id":2})"
                       "\n");
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"trace", "check", "k.jsonl"}, {"trace", "check", "k.jsonl", "--explicit"}}) {
    const Outcome outcome = trnsim(args);
    expect_refusal(outcome, 2);
    EXPECT_NE(outcome.err.find("k.jsonl: the engines wait for each other"), std::string::npos) << outcome.err;
  }
}

TEST_F(CliRaces, CutFileIsRefused) {
  ASSERT_EQ(trnsim({"trace", "write", "--kernel", "copy", "--param", "bytes=16777216", "-o", "k.jsonl.gz"}).code, 0);
  const std::string whole = read("k.jsonl.gz");
  write("cut.gz", whole.substr(0, whole.size() / 2));
  expect_refusal(trnsim({"trace", "check", "cut.gz", "--explicit"}), 2);
}

TEST_F(CliRaces, BadFilesAreRefused) {
  write("nul.jsonl", std::string("\0\0\0\0", 4));
  write("binary.jsonl",
        "\x7f"
        "ELF\x02\x01\x01\xff\xfe");
  for (const char* file : {"nul.jsonl", "binary.jsonl"}) expect_refusal(trnsim({"trace", "check", file, "--explicit"}), 2);
  expect_refusal(trnsim({"trace", "check", "missing.jsonl"}), 4);
  expect_refusal(trnsim({"trace", "check", "."}), 4);
  expect_refusal(trnsim({"trace", "check", "nul.jsonl", "--most", "99999999999999999999"}), 2);
}

}  // namespace
}  // namespace trnsim
