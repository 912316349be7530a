// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/request.hpp"

#include <gtest/gtest.h>

namespace trnsim::app {
namespace {

RunRequest request_of(const Args& args) {
  Options options("run", "", "");
  add_run_options(options);
  return run_request(options.parse(args));
}

std::string mistake_of(const Args& args) {
  try {
    (void)request_of(args);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Request, CommandLineCanBeRunAgain) {
  const Args args{
      "--chip", "trn2",       "--set", "hbm.stack_gb_per_s=400", "--kernel", "matmul", "--param", "m=1,n=2", "--param", "k=3", "--cores",
      "2",      "--max-time", "10us",  "--allow-unknown"};
  const std::string line = command_line(request_of(args));
  EXPECT_EQ(line, command_line(request_of(split_command_line(line))));
  EXPECT_TRUE(line.starts_with("trnsim run --chip trn2 "));
  EXPECT_NE(line.find("--max-time 10us"), std::string::npos);
}

TEST(Request, WordsThatAShellWouldSplitSurvive) {
  for (const std::string name : {"a b", "it's", "$HOME/*", "back\\slash", "'", "a\"b", "x;y"}) {
    const RunRequest again = request_of(split_command_line(command_line(request_of({"--chip", name, "--trace", name}))));
    EXPECT_EQ(again.chip, name);
    EXPECT_EQ(again.trace, name);
  }
}

TEST(Request, OtherCommandLinesAreRefused) {
  for (const char* line : {"", "trnsim", "trnsim sweep x", "run --chip a", "trnsim run 'open"}) {
    EXPECT_THROW((void)split_command_line(line), InputError) << line;
  }
}

TEST(Request, MissingChipListsThePresets) {
  const std::string message = mistake_of({"--kernel", "copy"});
  EXPECT_NE(message.find("trn2"), std::string::npos) << message;
}

TEST(Request, KernelAndTraceExcludeEachOther) {
  EXPECT_NE(mistake_of({"--chip", "trn2"}), "");
  EXPECT_NE(mistake_of({"--chip", "trn2", "--kernel", "copy", "--trace", "f"}), "");
  EXPECT_NE(mistake_of({"--chip", "trn2", "--trace", "f", "--param", "m=1"}), "");
  EXPECT_NE(mistake_of({"--chip", "trn2", "--trace", "f", "--cores", "2"}), "");
}

TEST(Request, LayerListCanBeRunAgain) {
  const std::string line = command_line(request_of({"--chip", "trn2", "--gemm-list", "my net.csv", "--strict", "--param", "dtype=fp16"}));
  const RunRequest again = request_of(split_command_line(line));
  EXPECT_EQ(again.gemm_list, "my net.csv");
  EXPECT_TRUE(again.strict);
  EXPECT_EQ(again.params, std::vector<std::string>{"dtype=fp16"});
  EXPECT_EQ(command_line(again), line);
}

TEST(Request, LayerListExcludesOtherWork) {
  EXPECT_NE(mistake_of({"--chip", "trn2", "--gemm-list", "f", "--kernel", "copy"}), "");
  EXPECT_NE(mistake_of({"--chip", "trn2", "--gemm-list", "f", "--trace", "f"}), "");
  EXPECT_NE(mistake_of({"--chip", "trn2", "--gemm-list", "f", "--workload", "f"}), "");
  EXPECT_NE(mistake_of({"--chip", "trn2", "--gemm-list", "f", "--max-time", "1us"}).find("--max-time"), std::string::npos);
  EXPECT_NE(mistake_of({"--chip", "trn2", "--kernel", "copy", "--strict"}).find("--strict"), std::string::npos);
}

TEST(Request, CoresAreAWholePositiveNumber) {
  EXPECT_EQ(parse_cores("8"), 8u);
  for (const char* text : {"0", "-1", "1.5", "two", "", "4294967297", "1025"}) EXPECT_THROW((void)parse_cores(text), UsageError) << text;
}

TEST(Request, TimeLimitIncludesEndsThatRoundToIt) {
  RunRequest request;
  EXPECT_FALSE(time_limit(request).has_value());
  request.max_time = "1ns";
  EXPECT_EQ(time_limit(request)->value, 1'000'499u);
}

}  // namespace
}  // namespace trnsim::app
