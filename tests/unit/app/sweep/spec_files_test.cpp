// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "trnsim/error.hpp"
#include "unit/app/sweep/sweep_support.hpp"

namespace trnsim::app {
namespace {

using Files = SweepFolder;

std::string with_base(const std::string& base, const std::string& axes) {
  return R"({"trnsim_sweep": "1.0", "base": {)" + base + R"(}, "axes": [)" + axes + "]}";
}

const std::string kCopy = R"("kernel": "copy", "params": {"bytes": 4096})";
const std::string kTrace = R"({"trnsim_trace":"1.0","dtype":"bf16","tensors":[{"name":"a","shape":[128,128],"use":"input"}]}
{"tile":"w","buffer":"sbuf","partitions":128,"bytes":256}
{"op":"dma_copy","dst":"w","src":"a"}
)";
const std::string kCoresAxis = R"({"path": "cores", "values": [1]})";
const std::string kStacksAxis = R"({"path": "set.hbm.stacks", "values": [2]})";

TEST_F(Files, ChipFilesAreRelativeToTheSweep) {
  write("chips/wide.json", R"({"extends": "trn2", "dma": {"engines": 32}})");
  const SweepSpec sweep = spec(with_base(kCopy, R"({"path": "chip", "values": ["trn1", "chips/wide.json"]})"));
  EXPECT_EQ(sweep.point(0).request.chip, "trn1");
  EXPECT_EQ(sweep.point(1).request.chip, path("chips/wide.json"));
  EXPECT_EQ(sweep.point(1).values.front(), "chips/wide.json");
}

TEST_F(Files, TheirContentIsPartOfTheHash) {
  const std::string text = with_base(R"("chip": "a.json", )" + kCopy, kCoresAxis);
  write("a.json", R"({"extends": "b.json"})");
  write("b.json", R"({"extends": "trn2"})");
  const std::string first = spec(text).hash();
  EXPECT_EQ(spec(text).hash(), first);
  write("b.json", R"({"extends": "trn2", "dma": {"engines": 4}})");
  EXPECT_NE(spec(text).hash(), first);
}

TEST_F(Files, ATraceIsPartOfTheHashToo) {
  const std::string text = with_base(R"("chip": "trn2", "trace": "k.jsonl")", kStacksAxis);
  write("k.jsonl", kTrace);
  const std::string first = spec(text).hash();
  write("k.jsonl", kTrace + "\n");
  EXPECT_NE(spec(text).hash(), first);
}

TEST_F(Files, AMissingFileIsNamedWithItsPlace) {
  EXPECT_TRUE(contains(problems(with_base(R"("chip": "none.json", )" + kCopy, kCoresAxis)), "base.chip: cannot read " + path("none.json")));
  EXPECT_TRUE(contains(problems(with_base(R"("chip": "trn2")", R"({"path": "trace", "values": ["none.jsonl"]})")),
                       "axes[0].values[0]: cannot read " + path("none.jsonl")));
  EXPECT_TRUE(contains(problems(with_base(R"("chip": "trn2", "workload": "w.json")", kCoresAxis)), "base.workload: cannot read"));
  EXPECT_TRUE(contains(problems(with_base(R"("chip": "trn2", "gemm_list": "net.csv")", kCoresAxis)), "base.gemm_list: cannot read"));
}

TEST_F(Files, AFolderOrADeviceIsNoFile) {
  EXPECT_TRUE(contains(problems(with_base(R"("chip": "trn2", "trace": ".")", kStacksAxis)), "not a regular file"));
  EXPECT_TRUE(contains(problems(with_base(R"("chip": "trn2", "trace": "/dev/zero")", kStacksAxis)), "not a regular file"));
}

TEST_F(Files, MistakesInAChipFileAreThoseOfItsReader) {
  write("bad.json", R"({"extends": "trn2", "dma": {"engine": 32}})");
  const std::string found = problems(with_base(kCopy, R"({"path": "chip", "values": ["bad.json", "trn1"]})"));
  EXPECT_TRUE(contains(found, "axes[0].values[0]: " + path("bad.json") + ":1: dma.engine: unknown key; did you mean dma.engines?"))
      << found;
}

TEST_F(Files, AWorkloadFileGivesKernelParametersAndCores) {
  write("w.json", R"({"trnsim_workload": "1.0", "kernel": "matmul", "params": {"m": 64, "n": 64, "k": 64}, "cores": 2})");
  const SweepSpec sweep = spec(with_base(R"("chip": "trn2", "workload": "w.json")", R"({"path": "params.m", "values": [128]})"));
  const RunRequest request = sweep.point(0).request;
  EXPECT_EQ(request.kernel, "matmul");
  EXPECT_EQ(request.params, (std::vector<std::string>{"k=64", "m=128", "n=64"}));
  EXPECT_EQ(request.cores, 2U);
}

TEST_F(Files, MistakesInAWorkloadFileAreFoundBeforeTheFirstPoint) {
  write("w.json", R"({"trnsim_workload": "1.0", "kernel": "matmul", "params": {"m": 0, "n": 64, "kk": 64}})");
  const std::string found = problems(with_base(R"("chip": "trn2", "workload": "w.json")", kCoresAxis));
  EXPECT_TRUE(contains(found, "base.workload: kernel matmul has no parameter 'kk'")) << found;
  EXPECT_TRUE(contains(found, "base.workload: kernel matmul needs params.k")) << found;
  EXPECT_TRUE(contains(found, "base.workload: kernel matmul: parameter m=0 is not allowed")) << found;
}

TEST_F(Files, ATraceHasNoParametersAndOneCore) {
  write("k.jsonl", kTrace);
  EXPECT_EQ(problems(with_base(R"("chip": "trn2", "trace": "k.jsonl")", kStacksAxis)), "");
  EXPECT_TRUE(
      contains(problems(with_base(R"("chip": "trn2", "trace": "k.jsonl", "params": {"m": 1})", kStacksAxis)), "a trace has no parameters"));
  EXPECT_TRUE(contains(problems(with_base(R"("chip": "trn2", "trace": "k.jsonl")", kCoresAxis)), "a trace is the work of one core"));
  EXPECT_TRUE(
      contains(problems(with_base(R"("chip": "trn2", "kernel": "copy", "trace": "k.jsonl")", kStacksAxis)), "kernel and trace exclude"));
}

TEST_F(Files, MistakesInATraceNameItsLine) {
  write("k.jsonl", R"({"trnsim_trace": "1.0"})"
                   "\n{\"op\": \"nothing\"}\n");
  const std::string found = problems(with_base(R"("chip": "trn2")", R"({"path": "trace", "values": ["k.jsonl"]})"));
  EXPECT_TRUE(contains(found, "axes[0].values[0]: " + path("k.jsonl") + ":2")) << found;
}

TEST_F(Files, LayerListsAreReadBeforeTheFirstPoint) {
  write("net.csv", "Layer,M,N,K,\nfirst,64,64,64,\n");
  write("bad.csv", "Layer,M,N,K,\nfirst,64,x,64,\n");
  const std::string axis = R"({"path": "gemm_list", "values": ["net.csv", "bad.csv"]})";
  const std::string found = problems(with_base(R"("chip": "trn2")", axis));
  EXPECT_TRUE(contains(found, "axes[0].values[1]: " + path("bad.csv"))) << found;
  EXPECT_FALSE(contains(found, "values[0]")) << found;
  EXPECT_EQ(spec(with_base(R"("chip": "trn2", "gemm_list": "net.csv")", kCoresAxis)).point(0).request.gemm_list, path("net.csv"));
}

TEST_F(Files, KeysThatDoNotGoTogetherAreTheChipsMistakeUnlessAnAxisMendsThem) {
  const std::string base = R"("chip": "trn2", "set": {"hbm.bank_groups": 7}, )" + kCopy;
  const std::string alone = problems(with_base(base, kCoresAxis));
  EXPECT_TRUE(contains(alone, "base.chip: ")) << alone;
  EXPECT_EQ(problems(with_base(base, R"({"path": "set.hbm.banks", "values": [28, 32]})")), "");
}

TEST_F(Files, LoadNamesAFileThatCannotBeRead) { EXPECT_THROW((void)SweepSpec::load(path("none.json")), IoError); }

TEST_F(Files, LoadReadsTheFile) {
  write("sweep.json", with_base(R"("chip": "trn2", )" + kCopy, kCoresAxis));
  EXPECT_EQ(SweepSpec::load(path("sweep.json")).size(), 1U);
}

}  // namespace
}  // namespace trnsim::app
