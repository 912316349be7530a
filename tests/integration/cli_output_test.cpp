// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Files that a run writes, and what happens when it cannot.
#include <unistd.h>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

using CliOutput = Cli;

TEST_F(CliOutput, ReportGoesToStdoutAndStderrStaysEmpty) {
  const Outcome outcome = trnsim(small_run());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("trn2"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << "no colour outside a terminal";
  EXPECT_EQ(outcome.out.find("SystemC"), std::string::npos) << "no banner";
}

TEST_F(CliOutput, AsciiLocaleGetsAscii) {
  const Outcome outcome = trnsim(small_run(), {.environment = {{"LC_ALL", "C"}}});
  for (const char c : outcome.out) ASSERT_LT(static_cast<unsigned char>(c), 128) << outcome.out;
}

TEST_F(CliOutput, JsonOnStdoutIsAlone) {
  const Outcome outcome = trnsim(small_run({"--json", "-"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(result(outcome.out)["trnsim_result"], "1.0");
}

TEST_F(CliOutput, ReportComesWithFilesUnlessQuiet) {
  EXPECT_NE(trnsim(small_run({"--json", "r.json"})).out, "");
  const Outcome quiet = trnsim(small_run({"--json", "r.json", "--quiet"}));
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
  EXPECT_EQ(files(), std::vector<std::string>{"r.json"});
}

TEST_F(CliOutput, CsvCollectsRowsUnderOneHeader) {
  for (int i = 0; i < 3; ++i) ASSERT_EQ(trnsim(small_run({"--csv", "r.csv", "--quiet"})).code, 0);
  const std::string text = read("r.csv");
  EXPECT_EQ(lines(text), 4u);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  const Outcome outcome = trnsim(small_run({"--csv", "-"}));
  EXPECT_EQ(lines(outcome.out), 2u);
  EXPECT_TRUE(outcome.out.starts_with(text.substr(0, text.find('\n') + 1)));
}

TEST_F(CliOutput, CsvWithOtherColumnsIsRefusedBeforeTheRun) {
  write("r.csv", "x,y\n");
  expect_refusal(trnsim(small_run({"--csv", "r.csv"})), 2);
  EXPECT_EQ(read("r.csv"), "x,y\n");
}

TEST_F(CliOutput, JsonAndCsvInOnePlaceAreRefusedBeforeTheRun) {
  for (const char* place : {"-", "r"}) expect_refusal(trnsim(small_run({"--json", place, "--csv", place})), 2);
  EXPECT_TRUE(files().empty());
}

TEST_F(CliOutput, WhatCannotBeWrittenIsOneLineWithPathAndReason) {
  write("file", "");
  std::filesystem::create_directory(path("folder"));
  const std::vector<std::pair<std::string, std::string>> cases{{"/nonexistent/x", "No such file or directory"},
                                                               {"/dev/full", "No space left on device"},
                                                               {"folder", "Is a directory"},
                                                               {"file/x", "Not a directory"}};
  for (const char* option : {"--json", "--csv"}) {
    for (const auto& [file, reason] : cases) {
      const Outcome outcome = trnsim(small_run({option, file}));
      EXPECT_EQ(outcome.code, 4) << option << ' ' << file;
      EXPECT_EQ(lines(outcome.err), 1u) << outcome.err;
      EXPECT_NE(outcome.err.find(file + ": "), std::string::npos) << outcome.err;
      EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
    }
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"file", "folder"}));
}

TEST_F(CliOutput, TraceThatCannotBeWrittenIsOneLineWithPathAndReason) {
  for (const char* file : {"/nonexistent/x.jsonl", "/dev/full"}) {
    const Outcome outcome = trnsim({"trace", "write", "--kernel", "matmul", "--param", "m=256,n=512,k=256", "-o", file});
    expect_refusal(outcome, 4);
    EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
  }
}

TEST_F(CliOutput, FullStdoutIsAnIoError) {
  const Outcome outcome = trnsim(small_run(), {.out_file = "/dev/full"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
}

TEST_F(CliOutput, FailedRunLeavesTheOldResultAlone) {
  write("r.json", "old");
  expect_refusal(trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=0,n=1,k=1", "--json", "r.json"}), 2);
  EXPECT_EQ(read("r.json"), "old");
  EXPECT_EQ(files(), std::vector<std::string>{"r.json"});
}

TEST_F(CliOutput, ReadOnlyFolderIsAnIoError) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::create_directory(path("folder"));
  std::filesystem::permissions(path("folder"), std::filesystem::perms{0500});
  expect_refusal(trnsim(small_run({"--json", "folder/r.json"})), 4);
}

}  // namespace
}  // namespace trnsim
