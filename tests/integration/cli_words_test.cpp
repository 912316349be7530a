// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// What the command line understands, says and refuses.
#include "integration/cli.hpp"

namespace trnsim {
namespace {

using CliWords = Cli;

TEST_F(CliWords, VersionNamesCommitFormatsAndLibraries) {
  const Outcome outcome = trnsim({"--version"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"trnsim 0.", "commit ", "trnsim_trace", "trnsim_result", "1.0", "SystemC", "features: ", "energy", "gzip"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(outcome.err, "");
}

TEST_F(CliWords, EveryCommandHasHelpWithAnExample) {
  const std::vector<std::vector<std::string>> commands{{"run"},           {"compare"},         {"chips", "list"},   {"chips", "show"},
                                                       {"chips", "diff"}, {"kernels", "list"}, {"kernels", "show"}, {"trace", "check"},
                                                       {"trace", "stat"}, {"trace", "write"},  {"validate"},        {"rerun"}};
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--help");
    const Outcome outcome = trnsim(command);
    EXPECT_EQ(outcome.code, 0) << command.front();
    EXPECT_NE(outcome.out.find("usage: trnsim " + command.front()), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\nExample"), std::string::npos) << outcome.out;
  }
}

TEST_F(CliWords, HelpOfGroupsListsTheirCommands) {
  for (const char* group : {"chips", "kernels", "trace"}) {
    const Outcome outcome = trnsim({group, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_GE(lines(outcome.out), 6u) << outcome.out;
    expect_refusal(trnsim({group}), 2);
  }
  EXPECT_EQ(trnsim({"--help"}).code, 0);
  expect_refusal(trnsim({}), 2);
}

TEST_F(CliWords, UnknownCommandNamesTheNearest) {
  const Outcome outcome = trnsim({"chip"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("chips"), std::string::npos) << outcome.err;
  EXPECT_NE(trnsim({"kernels", "shwo"}).err.find("show"), std::string::npos);
}

TEST_F(CliWords, UnknownOptionNamesTheNearest) {
  const Outcome outcome = trnsim({"run", "--chpi", "trn2"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("--chip"), std::string::npos) << outcome.err;
}

TEST_F(CliWords, UnknownPresetNamesTheNearest) {
  const Outcome outcome = trnsim({"run", "--chip", "trn22", "--kernel", "copy"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("trn22"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("\"trn2\"?"), std::string::npos) << outcome.err;
}

TEST_F(CliWords, UnknownKernelAndParameterNameTheNearest) {
  const Outcome kernel = trnsim({"run", "--chip", "trn2", "--kernel", "matmull"});
  expect_refusal(kernel, 2);
  EXPECT_NE(kernel.err.find("matmul'"), std::string::npos) << kernel.err;
  const Outcome param = trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=1,n=1,k=1,dtpye=bf16"});
  expect_refusal(param, 2);
  EXPECT_NE(param.err.find("dtype"), std::string::npos) << param.err;
}

TEST_F(CliWords, SizesThatAreNotPositiveWholeNumbersAreRefused) {
  for (const char* params : {"m=0,n=64,k=64", "m=-1,n=64,k=64", "m=64.5,n=64,k=64", "m=0x40,n=64,k=64", "m=1e3,n=64,k=64", "m=,n=64,k=64",
                             "m=64,m=64,n=64,k=64", "m=99999999999999999999,n=1,k=1", "n=64,k=64"}) {
    const Outcome outcome = trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", params});
    expect_refusal(outcome, 2);
    EXPECT_NE(outcome.err.find('m', 8), std::string::npos) << outcome.err;
  }
}

TEST_F(CliWords, NumbersOutOfRangeAreRefusedWithTheirKey) {
  for (const char* set : {"hbm.stack_gb_per_s=-820", "tensor.clock_ghz=0", "dma.engines=0"}) {
    const Outcome outcome = trnsim(small_run({"--set", set}));
    expect_refusal(outcome, 2);
    const std::string key = std::string(set).substr(0, std::string(set).find('='));
    EXPECT_NE(outcome.err.find(key), std::string::npos) << outcome.err;
  }
}

TEST_F(CliWords, MisspeltKeyNamesTheNearest) {
  const Outcome outcome = trnsim(small_run({"--set", "hbm.stack_gbps=400"}));
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("stack_gb_per_s"), std::string::npos) << outcome.err;
}

TEST_F(CliWords, BrokenChipFilesAreRefusedWithFileAndReason) {
  write("empty.json", "");
  write("comma.json", "{\"extends\":\"trn2\",}");
  write("missing.json", "{\"extends\":\"nowhere.json\"}");
  write("list.json", "[1,2]");
  write("typo.json", R"({"extends":"trn2","hbm":{"stack_gb_per_sec":3000}})");
  for (const char* file : {"empty.json", "comma.json", "missing.json", "list.json", "typo.json"}) {
    const Outcome outcome = trnsim({"run", "--chip", file, "--kernel", "matmul", "--param", "m=64,n=64,k=64"});
    expect_refusal(outcome, 2);
    EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
  }
}

TEST_F(CliWords, UnknownKeyIsAWarningOnRequestAndRecorded) {
  write("typo.json", R"({"extends":"trn2","hbm":{"stack_gb_per_sec":3000}})");
  const Outcome outcome =
      trnsim({"run", "--chip", "typo.json", "--allow-unknown", "--kernel", "matmul", "--param", "m=64,n=64,k=64", "--json", "-"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("stack_gb_per_sec"), std::string::npos) << outcome.err;
  EXPECT_NE(result(outcome.out)["warnings"].dump().find("stack_gb_per_sec"), std::string::npos);
}

TEST_F(CliWords, FilesNamedOnTheCommandLineThatCannotBeReadAreIoErrors) {
  expect_refusal(trnsim({"run", "--chip", "trn2", "--trace", "nowhere.jsonl"}), 4);
  expect_refusal(trnsim({"run", "--chip", "./nowhere.json", "--kernel", "matmul", "--param", "m=64,n=64,k=64"}), 4);
  expect_refusal(trnsim({"trace", "check", "nowhere.jsonl"}), 4);
  expect_refusal(trnsim({"rerun", "nowhere.json"}), 4);
}

TEST_F(CliWords, EndlessAndHugeFilesAreRefusedBeforeTheyAreRead) {
  const std::string huge = path("huge.json");
  write("huge.json", "{");
  std::filesystem::resize_file(huge, std::uintmax_t{1} << 30);  // no blocks on the disk
  for (const std::string& file : {std::string("/dev/zero"), huge}) {
    const std::vector<std::vector<std::string>> commands{
        {"run", "--chip", file, "--kernel", "copy"}, {"run", "--chip", "trn2", "--workload", file}, {"rerun", file}, {"validate", file}};
    for (const std::vector<std::string>& command : commands) {
      const Outcome outcome = trnsim(command);
      expect_refusal(outcome, 4);
      EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
      EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
      EXPECT_NE(outcome.err.find("larger than the 64 MiB"), std::string::npos) << outcome.err;
    }
  }
}

TEST_F(CliWords, ChipFileThatExtendsAHugeOneIsRefusedWithItsPlace) {
  write("huge.json", "{");
  std::filesystem::resize_file(path("huge.json"), std::uintmax_t{1} << 30);
  write("chip.json", R"({"extends":"huge.json"})");
  const Outcome outcome = trnsim({"chips", "show", "chip.json"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("chip.json:1: extends: cannot read huge.json"), std::string::npos) << outcome.err;
}

TEST_F(CliWords, ListOfChipsFromAWrongFolderIsAnErrorThatNamesIt) {
  const Outcome outcome = trnsim({"chips", "list"}, {.environment = {{"TRNSIM_CONFIGS", "/nonexistent"}}});
  expect_refusal(outcome, 4);
  EXPECT_NE(outcome.err.find("/nonexistent/chips (TRNSIM_CONFIGS)"), std::string::npos) << outcome.err;
}

TEST_F(CliWords, ChipFileWithWindowsLineEndsIsTheSameChip) {
  const std::string text = "{\n  \"extends\": \"trn2\",\n  \"hbm\": {\n    \"stack_gb_per_s\": 500\n  }\n}\n";
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  write("unix.json", text);
  write("windows.json", windows);
  const Outcome a = trnsim({"chips", "show", "unix.json", "--json"}), b = trnsim({"chips", "show", "windows.json", "--json"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(b.code, 0) << b.err;
  EXPECT_EQ(b.out.find('\r'), std::string::npos);
  auto one = nlohmann::ordered_json::parse(a.out), two = nlohmann::ordered_json::parse(b.out);
  one.erase("name");
  two.erase("name");
  EXPECT_EQ(one, two);
}

TEST_F(CliWords, ChipsCanBeListedShownAndCompared) {
  const Outcome list = trnsim({"chips", "list"});
  for (const char* name : {"trn1", "inf2", "trn2", "trn3", "trn4-projected"}) {
    EXPECT_NE(list.out.find(name), std::string::npos) << name;
    EXPECT_EQ(trnsim({"chips", "show", name, "--sources", "--derived"}).code, 0) << name;
    const auto json = nlohmann::json::parse(trnsim({"chips", "show", name, "--derived", "--json"}).out);
    EXPECT_EQ(json["trnsim_derived"], "1.0") << name;
    EXPECT_GT(json["figures"].size(), 20U) << name;
  }
  const Outcome diff = trnsim({"chips", "diff", "trn2", "trn3"});
  EXPECT_EQ(diff.code, 0);
  EXPECT_NE(diff.out.find("mxfp8"), std::string::npos) << "features belong to a comparison";
}

TEST_F(CliWords, ShownChipCanBeUsedAsAChip) {
  const Outcome shown = trnsim({"chips", "show", "trn2", "--json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  write("copy.json", shown.out);
  const Outcome again = trnsim({"chips", "show", "copy.json", "--json"});
  EXPECT_EQ(again.out, shown.out) << again.err;
}

TEST_F(CliWords, KernelsCanBeListedAndExplained) {
  const Outcome list = trnsim({"kernels", "list"});
  EXPECT_NE(list.out.find("matmul"), std::string::npos);
  const Outcome shown = trnsim({"kernels", "show", "matmul", "--param", "m=4096,n=4096,k=4096"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_GT(shown.out.size(), trnsim({"kernels", "show", "matmul"}).out.size());
}

TEST_F(CliWords, TimeLimitNeedsAUnit) {
  for (const char* limit : {"10", "0us", "-1us", "soon"}) expect_refusal(trnsim(small_run({"--max-time", limit})), 2);
}

}  // namespace
}  // namespace trnsim
