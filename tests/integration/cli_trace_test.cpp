// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Traces written, checked, summarised and run from the command line.
#include <fmt/format.h>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

class CliTrace : public Cli {
 protected:
  void write_kernel(const std::string& name) const {
    const Outcome outcome = trnsim({"trace", "write", "--kernel", "matmul", "--param", "m=256,n=512,k=256", "-o", name});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  [[nodiscard]] nlohmann::ordered_json run(const std::string& name, const std::string& input = {}) const {
    const Outcome outcome = trnsim({"run", "--chip", "trn2", "--trace", name, "--json", "-"}, {.input = input});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return result(outcome.out);
  }
  /// Without the words that name where the work came from.
  static nlohmann::ordered_json sourceless(nlohmann::ordered_json json) {
    json.erase("command");
    json["workload"].erase("source");
    return json;
  }
};

TEST_F(CliTrace, WrittenKernelRunsLikeTheKernel) {
  write_kernel("k.jsonl");
  const auto kernel = result(trnsim(small_run({"--json", "-"})).out);
  EXPECT_EQ(sourceless(run("k.jsonl")), sourceless(kernel));
}

TEST_F(CliTrace, CompressionAndStdinChangeNothing) {
  for (const char* name : {"k.jsonl", "k.jsonl.gz", "k.jsonl.zst"}) write_kernel(name);
  EXPECT_LT(read("k.jsonl.gz").size(), read("k.jsonl").size() / 2);
  const auto plain = sourceless(run("k.jsonl"));
  EXPECT_EQ(sourceless(run("k.jsonl.gz")), plain);
  EXPECT_EQ(sourceless(run("k.jsonl.zst")), plain);
  EXPECT_EQ(sourceless(run("-", read("k.jsonl"))), plain);
}

TEST_F(CliTrace, WritingTwiceGivesTheSameBytes) {
  for (const std::string suffix : {"jsonl", "jsonl.gz", "jsonl.zst"}) {
    write_kernel("a." + suffix);
    write_kernel("b." + suffix);
    EXPECT_EQ(read("a." + suffix), read("b." + suffix));
  }
  EXPECT_EQ(trnsim({"trace", "write", "--kernel", "matmul", "--param", "m=256,n=512,k=256", "-o", "-"}).out, read("a.jsonl"));
}

TEST_F(CliTrace, WindowsLineEndsChangeNothing) {
  write_kernel("k.jsonl");
  std::string windows;
  for (const char c : read("k.jsonl")) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  write("w.jsonl", windows);
  const auto json = run("w.jsonl");
  EXPECT_EQ(sourceless(json), sourceless(run("k.jsonl")));
  EXPECT_EQ(json.dump().find("\\r"), std::string::npos);
}

TEST_F(CliTrace, GoodTraceIsCheckedAndCounted) {
  write_kernel("k.jsonl");
  EXPECT_EQ(trnsim({"trace", "check", "k.jsonl"}).code, 0);
  const Outcome stat = trnsim({"trace", "stat", "k.jsonl"});
  EXPECT_EQ(stat.code, 0) << stat.err;
  EXPECT_NE(stat.out.find("33554432"), std::string::npos) << "256 x 512 x 256 multiply-accumulates:\n" << stat.out;
  EXPECT_NE(stat.out.find("nc_matmul"), std::string::npos);
}

TEST_F(CliTrace, BadLinesAreNamed) {
  write_kernel("k.jsonl");
  const std::string good = read("k.jsonl");
  write("cut.jsonl", good.substr(0, good.size() / 2));
  write("word.jsonl", good.substr(0, good.find('\n') + 1) + "{\"op\":\"nc_matmull\"}\n");
  write("header.jsonl", good.substr(good.find('\n') + 1));
  write("empty.jsonl", "");
  using Args = std::vector<std::string>;
  for (const char* file : {"cut.jsonl", "word.jsonl", "header.jsonl", "empty.jsonl"}) {
    for (const Args& args : {Args{"trace", "check", file}, Args{"run", "--chip", "trn2", "--trace", file}}) {
      const Outcome outcome = trnsim(args);
      EXPECT_EQ(outcome.code, 2) << file << outcome.err;
      EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
      EXPECT_EQ(outcome.out, "");
    }
  }
}

TEST_F(CliTrace, CopyOntoItsOwnSourceEnds) {
  write("k.jsonl", R"({"trnsim_trace":"1.0","tensors":[{"name":"a","shape":[128,128],"use":"internal"}]})"
                   "\n"
                   R"({"tile":"w","buffer":"sbuf","partitions":128,"bytes":256})"
                   "\n"
                   R"({"op":"dma_copy","dst":"w","src":"w"})"
                   "\n"
                   R"({"op":"dma_copy","dst":"a","src":"a"})"
                   "\n");
  EXPECT_EQ(run("k.jsonl")["dma"]["transfers"], 2);
}

TEST_F(CliTrace, MoreUsefulWorkThanThereIsIsRefused) {
  write("k.jsonl", R"({"trnsim_trace":"1.0","macs":1})"
                   "\n"
                   R"({"tile":"w","buffer":"sbuf","partitions":128,"bytes":256})"
                   "\n"
                   R"({"op":"memset","dst":"w"})"
                   "\n");
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--trace", "k.jsonl"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("k.jsonl:1: key 'macs'"), std::string::npos) << outcome.err;
}

TEST_F(CliTrace, TileWithoutRoomIsNamedWithItsLine) {
  std::string text = R"({"trnsim_trace":"1.0"})"
                     "\n";
  for (const char* name : {"p", "q"})
    text += fmt::format(R"({{"tile":"{}","buffer":"sbuf","partitions":128,"bytes":120000}})"
                        "\n",
                        name);
  for (const char* name : {"p", "q"})
    text += fmt::format(R"({{"op":"memset","dst":"{}"}})"
                        "\n",
                        name);
  write("k.jsonl", text);
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--trace", "k.jsonl"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("line 3: tile 'q'"), std::string::npos) << outcome.err;
}

TEST_F(CliTrace, NewerTraceFormatIsRefusedWithBothVersions) {
  write_kernel("k.jsonl");
  std::string text = read("k.jsonl");
  const std::size_t at = text.find("\"1.1\"");
  ASSERT_NE(at, std::string::npos) << text.substr(0, 200);
  write("newer.jsonl", text.replace(at, 5, "\"9.0\""));
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--trace", "newer.jsonl"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("9.0"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("1.0"), std::string::npos) << outcome.err;
}

TEST_F(CliTrace, TraceOfALaterGenerationIsRefusedOnAnEarlierOne) {
  const Outcome written =
      trnsim({"trace", "write", "--chip", "trn3", "--kernel", "matmul", "--param", "m=256,n=512,k=512,dtype=mxfp8", "-o", "k.jsonl"});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(trnsim({"trace", "check", "k.jsonl", "--chip", "trn3"}).code, 0);
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--trace", "k.jsonl"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("v4"), std::string::npos) << outcome.err;
}

TEST_F(CliTrace, StoppedWriteLeavesNoFileBehind) {
  const std::vector<std::string> command{"trace", "write", "--kernel", "matmul", "--param", "m=32768,n=32768,k=32768", "-o", "k.jsonl"};
  for (const int signal : {SIGINT, SIGTERM}) {
    const Outcome outcome = trnsim(command, {.interrupt_at_files = 1, .interrupt_with = signal});
    expect_refusal(outcome, 5);
    EXPECT_NE(outcome.err.find("k.jsonl was not written"), std::string::npos) << outcome.err;
    EXPECT_TRUE(files().empty()) << files().front();
  }
}

TEST_F(CliTrace, StoppedWriteKeepsTheTraceThatWasThere) {
  write("k.jsonl", "before");
  const Outcome outcome = trnsim({"trace", "write", "--kernel", "matmul", "--param", "m=32768,n=32768,k=32768", "-o", "k.jsonl"},
                                 {.interrupt_at_files = 2, .interrupt_with = SIGTERM});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_EQ(files(), std::vector<std::string>{"k.jsonl"});
  EXPECT_EQ(read("k.jsonl"), "before");
}

TEST_F(CliTrace, ClosedStdinIsAnIoError) {
  const std::vector<std::vector<std::string>> commands{
      {"run", "--chip", "trn2", "--trace", "-"}, {"trace", "check", "-"}, {"trace", "stat", "-"}};
  for (const std::vector<std::string>& command : commands) {
    const Outcome outcome = trnsim(command, {.input_closed = true});
    expect_refusal(outcome, 4);
    EXPECT_NE(outcome.err.find("stdin"), std::string::npos) << outcome.err;
  }
}

TEST_F(CliTrace, DeviceWithoutEndIsRefused) {
  const Outcome outcome = trnsim({"trace", "check", "/dev/zero"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("/dev/zero: line longer than 16 MiB"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace trnsim
