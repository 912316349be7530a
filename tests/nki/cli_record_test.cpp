// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// NKI kernels recorded and simulated from the command line.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "integration/cli.hpp"

namespace trnsim {
namespace fs = std::filesystem;
namespace {

/// Doubles a tensor, `copies` times one after the other.
constexpr const char* kDouble = R"(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def twice(x, copies=1):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(copies):
        tile = nl.load(x)
        nl.store(out, tile * 2.0)
    return out


def too_tall(x):
    return nl.load(x)
)";

class CliRecord : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    write("k.py", kDouble);
  }
  static std::vector<std::string> words(std::vector<std::string> args, const std::vector<std::string>& more) {
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }
  [[nodiscard]] Outcome record(const std::vector<std::string>& more, const Surroundings& how = {}) const {
    return trnsim(words({"record", "k.py::twice", "--arg", "x=bf16[128,512]"}, more), how);
  }
  [[nodiscard]] nlohmann::ordered_json run(const std::vector<std::string>& more) const {
    const Outcome outcome = trnsim(words({"run", "--chip", "trn2", "--json", "-"}, more));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return result(outcome.out);
  }
  [[nodiscard]] nlohmann::ordered_json run_twice(const std::vector<std::string>& more = {}) const {
    return run(words({"--nki", "k.py::twice", "--arg", "x=bf16[128,512]"}, more));
  }
  static nlohmann::ordered_json sourceless(nlohmann::ordered_json json) {
    json.erase("command");
    json["workload"].erase("source");
    return json;
  }
  /// A Python that is not one.
  void write_program(const std::string& name, const std::string& text) const {
    write(name, text);
    fs::permissions(path(name), fs::perms::owner_all);
  }
};

TEST_F(CliRecord, RecordedTraceIsWhatTheReaderAccepts) {
  const Outcome outcome = record({"-o", "k.jsonl"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "k.jsonl: 3 instructions of twice for trn2\n");
  EXPECT_EQ(trnsim({"trace", "check", "k.jsonl"}).code, 0);
  EXPECT_EQ(files(), (std::vector<std::string>{"k.jsonl", "k.py"}));
}

TEST_F(CliRecord, RunOfAKernelIsTheRunOfItsTrace) {
  ASSERT_EQ(record({"-o", "k.jsonl"}).code, 0);
  EXPECT_EQ(sourceless(run_twice()), sourceless(run({"--trace", "k.jsonl"})));
  EXPECT_EQ(files(), (std::vector<std::string>{"k.jsonl", "k.py"}));
}

TEST_F(CliRecord, CompressionFollowsTheNameOfTheFile) {
  for (const char* name : {"k.jsonl", "k.jsonl.gz", "k.jsonl.zst"}) ASSERT_EQ(record({"-q", "-o", name}).out, "");
  EXPECT_NE(read("k.jsonl.gz"), read("k.jsonl"));
  EXPECT_EQ(sourceless(run({"--trace", "k.jsonl.gz"})), sourceless(run({"--trace", "k.jsonl"})));
  EXPECT_EQ(sourceless(run({"--trace", "k.jsonl.zst"})), sourceless(run({"--trace", "k.jsonl"})));
}

TEST_F(CliRecord, StandardOutputHoldsTheTraceAlone) {
  write("k.py", std::string("print('imported')\n") + kDouble);
  const Outcome outcome = record({"-o", "-"});
  EXPECT_TRUE(outcome.out.starts_with("{\"trnsim_trace\"")) << outcome.out;
  EXPECT_EQ(outcome.err, "imported\n");
  ASSERT_EQ(record({"-o", "k.jsonl"}).code, 0);
  EXPECT_EQ(outcome.out, read("k.jsonl"));
}

TEST_F(CliRecord, ResultNamesKernelArgumentsGridAndPolicies) {
  const auto json = run_twice({"--arg", "copies=3", "--grid", "1", "--policy", "copy_engine=scalar"});
  EXPECT_EQ(json["workload"]["name"], "twice");
  EXPECT_EQ(json["workload"]["source"], "k.py::twice");
  const auto params = json["workload"]["params"];
  EXPECT_EQ(params["kernel"], "k.py::twice");
  EXPECT_EQ(params["arg_x"], "bf16[128,512]");
  EXPECT_EQ(params["arg_copies"], "3");
  EXPECT_EQ(params["grid"], "1");
  EXPECT_EQ(params["policy_copy_engine"], "scalar");
  EXPECT_EQ(json["command"],
            "trnsim run --chip trn2 --nki k.py::twice --arg 'x=bf16[128,512]' --arg copies=3 --grid 1 --policy copy_engine=scalar");
}

TEST_F(CliRecord, HashDoesNotDependOnWhereTheKernelLies) {
  fs::create_directory(path("below"));
  write("below/k.py", kDouble);
  const auto here = run_twice(), there = run({"--nki", path("below/k.py") + "::twice", "--arg", "x=bf16[128,512]"});
  EXPECT_EQ(here["workload"]["hash"], there["workload"]["hash"]);
  EXPECT_EQ(here["workload"]["params"], there["workload"]["params"]);
  EXPECT_NE(here["workload"]["hash"], run_twice({"--arg", "copies=2"})["workload"]["hash"]);
}

TEST_F(CliRecord, ChipOfARunIsTheTargetOfItsRecording) {
  for (const auto& [chip, target] : {std::pair("trn1", "trn1"), {"inf2", "trn1"}, {"trn3", "trn3"}, {"trn4-projected", "trn3"}}) {
    const Outcome outcome = trnsim({"run", "--chip", chip, "--nki", "k.py::twice", "--arg", "bf16[128,512]", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(result(outcome.out)["workload"]["params"]["target"], target);
  }
}

TEST_F(CliRecord, ResultOfAKernelCanBeRepeated) {
  write("r.json", trnsim({"run", "--chip", "trn2", "--nki", "k.py::twice", "--arg", "x=bf16[128,512]", "--json", "-"}).out);
  const Outcome outcome = trnsim({"rerun", "r.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

TEST_F(CliRecord, BrokenLimitNamesTheLineOfTheKernelAndLeavesTheOldFile) {
  write("k.jsonl", "old");
  const Outcome outcome = trnsim({"record", "k.py::too_tall", "--arg", "x=bf16[256,512]", "-o", "k.jsonl"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("k.py:15: "), std::string::npos) << outcome.err;
  EXPECT_EQ(read("k.jsonl"), "old");
  EXPECT_EQ(files(), (std::vector<std::string>{"k.jsonl", "k.py"}));
  expect_refusal(trnsim({"run", "--chip", "trn2", "--nki", "k.py::too_tall", "--arg", "x=bf16[256,512]"}), 2);
}

TEST_F(CliRecord, ErrorOfTheKernelIsOneLine) {
  const Outcome outcome = trnsim({"record", "k.py::twice", "-o", "k.jsonl"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("missing 1 required positional argument: 'x'"), std::string::npos) << outcome.err;
}

TEST_F(CliRecord, MissingFileExits4AndMissingFunction2) {
  expect_refusal(trnsim({"record", "nowhere.py::twice", "-o", "k.jsonl"}), 4);
  const Outcome outcome = trnsim({"record", "k.py::thrice", "-o", "k.jsonl"});
  expect_refusal(outcome, 2);
  EXPECT_NE(outcome.err.find("it has: twice"), std::string::npos) << outcome.err;
  expect_refusal(record({"-o", "nowhere/k.jsonl"}), 4);
}

TEST_F(CliRecord, OptionsThatDoNotBelongAreRefused) {
  expect_refusal(trnsim({"record", "k.py", "-o", "k.jsonl"}), 2);
  expect_refusal(trnsim({"record", "-o", "k.jsonl"}), 2);
  expect_refusal(record({}), 2);
  expect_refusal(record({"-o", "k.py"}), 2);
  expect_refusal(record({"-o", "k.jsonl", "--policy", "copy_engine"}), 2);
  expect_refusal(record({"-o", "k.jsonl", "--target", "trn9"}), 2);
  expect_refusal(trnsim({"record", "--census", "k.py", "-o", "k.jsonl"}), 2);
  expect_refusal(trnsim(small_run({"--arg", "x=1"})), 2);
  expect_refusal(trnsim(small_run({"--nki", "k.py::twice"})), 2);
  expect_refusal(trnsim({"run", "--chip", "trn2", "--nki", "k.py::twice", "--cores", "2"}), 2);
}

TEST_F(CliRecord, MissingPythonNumpyAndPackageAreNamed) {
  const Outcome none = record({"-o", "k.jsonl"}, {.environment = {{"TRNSIM_PYTHON", "/nowhere/python3"}}});
  expect_refusal(none, 4);
  EXPECT_NE(none.err.find("/nowhere/python3: no such program"), std::string::npos) << none.err;
  write_program("bare", "#!/bin/sh\nexit 98\n");
  const Outcome bare = record({"-o", "k.jsonl"}, {.environment = {{"TRNSIM_PYTHON", "./bare"}}});
  expect_refusal(bare, 4);
  EXPECT_NE(bare.err.find("./bare has no numpy"), std::string::npos) << bare.err;
  write_program("old", "#!/bin/sh\nexit 97\n");
  EXPECT_NE(record({"-o", "k.jsonl"}, {.environment = {{"TRNSIM_PYTHON", "./old"}}}).err.find("is older than 3.9"), std::string::npos);
  const Outcome package = record({"-o", "k.jsonl"}, {.environment = {{"TRNSIM_PYTHONPATH", "/nowhere"}}});
  expect_refusal(package, 4);
  EXPECT_NE(package.err.find("TRNSIM_PYTHONPATH"), std::string::npos) << package.err;
}

TEST_F(CliRecord, PythonWithoutNumpyOnPathIsPassedOver) {
  if (std::system("env -i /usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "the system's Python has no numpy";
  fs::create_directory(path("bin"));
  write_program("bin/python3", "#!/bin/sh\nexit 98\n");
  const Outcome outcome = record({"-o", "k.jsonl"}, {.environment = {{"PATH", path("bin")}, {"TRNSIM_PYTHON", ""}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(CliRecord, NothingInTheWorkingFolderStandsInForAModule) {
  write("json.py", "raise SystemExit(7)\n");
  EXPECT_EQ(record({"-o", "k.jsonl"}).code, 0);
}

TEST_F(CliRecord, InterruptEndsTheRecorderAndLeavesNothing) {
  write("k.py",
        "import os, time\n"
        "def twice(x):\n"
        "    os.symlink(str(os.getpid()), 'started')\n"
        "    while True:\n"
        "        time.sleep(1)\n");
  for (const bool simulate : {false, true}) {
    const std::vector<std::string> args = simulate ? std::vector<std::string>{"run", "--chip", "trn2", "--nki", "k.py::twice", "--arg", "1"}
                                                   : std::vector<std::string>{"record", "k.py::twice", "--arg", "1", "-o", "k.jsonl"};
    // Recorded, a file of the output stands beside the kernel and the mark.
    const Outcome outcome = trnsim(args, {.interrupt_at_files = simulate ? 2U : 3U});
    EXPECT_EQ(outcome.code, 5) << outcome.err;
    EXPECT_NE(outcome.err.find("interrupted"), std::string::npos);
    EXPECT_EQ(files(), (std::vector<std::string>{"k.py", "started"}));
    EXPECT_NE(::kill(std::stoi(fs::read_symlink(path("started")).string()), 0), 0);
    fs::remove(path("started"));
  }
}

TEST_F(CliRecord, CensusAndFolderOfThePackageArePrinted) {
  const Outcome census = trnsim({"record", "--census", "k.py"});
  EXPECT_EQ(census.code, 0) << census.err;
  EXPECT_NE(census.out.find("0 missing"), std::string::npos) << census.out;
  write("k.py", "import neuronxcc.nki.isa as nisa\nnisa.nc_frobnicate()\n");
  EXPECT_EQ(trnsim({"record", "--census", "k.py"}).code, 1);
  const Outcome folder = trnsim({"record", "--python-path"});
  EXPECT_TRUE(fs::exists(fs::path(folder.out.substr(0, folder.out.find('\n'))) / "trnsim_nki" / "__init__.py")) << folder.out;
}

}  // namespace
}  // namespace trnsim
