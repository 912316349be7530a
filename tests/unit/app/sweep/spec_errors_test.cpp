// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "unit/app/sweep/sweep_support.hpp"

namespace trnsim::app {
namespace {

TEST(SweepErrors, AllProblemsOfAFileComeInOneRun) {
  const std::string problems = problems_of(R"({"trnsim_sweep": "1.0", "bse": 1,
    "base": {"chip": "trn22", "kernel": "matmul", "params": {"n": 1, "k": 1}},
    "axes": [{"path": "params.m", "values": [1, "x"]}, {"path": "set.hbm.stak", "values": [1]}],
    "filters": ["params.m <"]})");
  for (const char* part : {"s.json: unknown key \"bse\"; nearest: 'base'", "s.json: base.chip: unknown chip \"trn22\"",
                           "s.json: axes[0].values[1]: kernel matmul: parameter m=x is not allowed",
                           "s.json: axes[1].path: hbm.stak: unknown key; did you mean hbm.stacks?", "s.json: filters[0]: column 11: "}) {
    EXPECT_TRUE(contains(problems, part)) << part << "\nin\n" << problems;
  }
}

constexpr const char* kAxis = R"({"path": "params.m", "values": [128]})";

/// One problem, with this in it.
void expect_problem(const std::string& text, const std::string& part) {
  EXPECT_TRUE(contains(problems_of(text), part)) << "want " << part << "\nin   " << problems_of(text);
  EXPECT_EQ(problem_count(text), 1U) << problems_of(text);
}

void expect_axis_problem(const std::string& axis, const std::string& part) { expect_problem(matmul_sweep(axis), part); }

TEST(SweepErrors, TextThatIsNoSweepIsRefused) {
  for (const char* text : {"", "{", "[]", "{}", "3", R"({"trnsim_sweep": 1})", R"({"trnsim_sweep": "2.0", "axes": []})"}) {
    EXPECT_EQ(problem_count(text), 1U) << text;
    EXPECT_TRUE(problems_of(text).starts_with("s.json")) << text;
  }
}

TEST(SweepErrors, UnknownKeysNameTheNearestEverywhere) {
  expect_problem(matmul_sweep(kAxis, R"("filter": [])"), "unknown key \"filter\"; nearest: 'filters'");
  expect_problem(matmul_sweep(kAxis, R"("limits": {"second": 1})"), "limits: unknown key \"second\"; nearest: 'seconds'");
  expect_axis_problem(R"({"path": "params.m", "value": 1, "values": [1]})", "axes[0]: unknown key \"value\"; nearest: 'values'");
  expect_axis_problem(R"({"path": "params.m", "range": {"from": 1, "to": 2, "steps": 2, "scal": 1}})",
                      "axes[0].range: unknown key \"scal\"; nearest: 'scale'");
  expect_problem(R"({"trnsim_sweep": "1.0", "base": {"chp": "trn1", "chip": "trn1", "kernel": "copy", "params": {"bytes": 1}},
                     "axes": [{"path": "cores", "values": [1]}]})",
                 "base: unknown key \"chp\"; nearest: 'chip'");
}

TEST(SweepErrors, PathsThatNameNothingAreRefused) {
  expect_axis_problem(R"({"path": "chips", "values": ["trn1"]})", "axes[0].path: \"chips\" is no path of a sweep; nearest: 'chip'");
  expect_axis_problem(R"({"path": "hbm.stacks", "values": [1]})", "nearest: 'set.hbm.stacks'");
  expect_axis_problem(R"({"path": "set.hbm.stacs", "values": [1]})", "hbm.stacs: unknown key; did you mean hbm.stacks?");
  expect_axis_problem(R"({"path": "set.hbm", "values": [1]})", "hbm is a section");
  expect_axis_problem(R"({"path": "params.mm", "values": [1]})", "axes[0].path: kernel matmul has no parameter 'mm'; nearest: 'm'");
  expect_axis_problem(R"({"path": "params.a,b", "values": [1]})", "is not the name of a kernel parameter");
  expect_axis_problem(R"({"path": "", "values": [1]})", "axes[0].path: the text is empty");
  expect_axis_problem(R"({"path": 3, "values": [1]})", "axes[0].path: want text, not 3");
  expect_axis_problem(R"({"values": [1]})", "axes[0]: no key path");
}

TEST(SweepErrors, APathThatStandsTwiceIsRefused) {
  expect_axis_problem(R"({"path": "params.m", "values": [1]}, {"path": "params.m", "values": [2]})",
                      "axes[1].path: \"params.m\" is the path of axes[0] already");
}

TEST(SweepErrors, AxesNeedValues) {
  expect_axis_problem(R"({"path": "params.m"})", "axes[0]: want values or range");
  expect_axis_problem(R"({"path": "params.m", "values": []})", "axes[0].values: the axis has no values");
  expect_axis_problem(R"({"path": "params.m", "values": 3})", "axes[0].values: want an array, not 3");
  expect_axis_problem(R"({"path": "params.m", "values": [1], "range": {}})", "exclude each other");
  expect_axis_problem("3", "axes[0]: want an object, not 3");
  expect_axis_problem("", "axes: there is nothing to sweep");
  expect_problem(R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "copy", "params": {"bytes": 1}}})", "no key axes");
}

TEST(SweepErrors, RangesAreChecked) {
  expect_axis_problem(R"({"path": "params.m", "range": {"from": 1, "steps": 2}})", "axes[0].range: no key to");
  expect_axis_problem(R"({"path": "params.m", "range": {"from": "1", "to": 2, "steps": 2}})",
                      "axes[0].range.from: want a number, not \"1\"");
  expect_axis_problem(R"({"path": "params.m", "range": {"from": 1, "to": 2, "steps": 0}})",
                      "axes[0].range.steps: want a whole number from 1");
  expect_axis_problem(R"({"path": "params.m", "range": {"from": 1, "to": 2, "step": 0}})", "axes[0].range.step: 0 leads nowhere");
  expect_axis_problem(R"({"path": "params.m", "range": {"from": 1, "to": 2, "steps": 2, "scale": "exp"}})", "allowed: linear, log");
  expect_axis_problem(R"({"path": "chip", "range": {"from": 1, "to": 2, "steps": 2}})", "axes[0].range: a range gives numbers");
  expect_axis_problem(R"({"path": "params.m", "range": {"from": 0, "to": 4, "steps": 2}})", "axes[0].range: kernel matmul: parameter m=0");
}

TEST(SweepErrors, ValuesOutOfAKeysRangeHaveTheirPlace) {
  expect_axis_problem(R"({"path": "set.hbm.stacks", "values": [1, 65, 2]})",
                      "axes[0].values[1]: hbm.stacks: 65 is not allowed; allowed: >= 1");
  expect_axis_problem(R"({"path": "set.hbm.stacks", "values": [1.5]})", "1.5 is not allowed");
  expect_axis_problem(R"({"path": "set.dma.engines", "range": {"from": 1, "to": 2000, "steps": 5}})", "axes[0].range: dma.engines: 2000");
  EXPECT_EQ(problem_count(matmul_sweep(R"({"path": "set.hbm.stacks", "values": [0, 65, 2, -1]})")), 3U);
}

TEST(SweepErrors, ValuesOfAWrongTypeAreRefused) {
  expect_axis_problem(R"({"path": "set.hbm.stacks", "values": ["4"]})", "axes[0].values[0]: want a number, not \"4\"");
  expect_axis_problem(R"({"path": "set.hbm.stacks", "values": [true]})", "want a number, not true");
  expect_axis_problem(R"({"path": "set.psum.bf16_output", "values": [1]})", "want true or false, not 1");
  expect_axis_problem(R"({"path": "chip", "values": [2]})", "axes[0].values[0]: want text, not 2");
  expect_axis_problem(R"({"path": "params.m", "values": [null]})", "want a number, text, true or false, not null");
  expect_axis_problem(R"({"path": "params.m", "values": [[1]]})", "not an array");
  expect_axis_problem(R"({"path": "params.m", "values": [{}]})", "not an object");
  expect_axis_problem(R"({"path": "params.dtype", "values": ["bf16,m=7"]})", "has a comma or a space");
  expect_axis_problem(R"({"path": "chip", "values": ["trn1\n"]})", "has a control character");
}

TEST(SweepErrors, KernelsAndTheirParametersAreChecked) {
  expect_axis_problem(R"({"path": "kernel", "values": ["matmull"]})", "axes[0].values[0]: unknown kernel 'matmull'; nearest: 'matmul'");
  expect_axis_problem(R"({"path": "params.dtype", "values": ["bf16", "bf61"]})", "axes[0].values[1]: kernel matmul: parameter dtype=bf61");
  expect_axis_problem(R"({"path": "params.m", "values": [1, -1]})", "axes[0].values[1]: kernel matmul: parameter m=-1 is not allowed");
  expect_axis_problem(R"({"path": "params.m", "values": [1.5]})", "parameter m=1.5 is not allowed");
  expect_problem(R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 1, "n": 1}},
                     "axes": [{"path": "cores", "values": [1]}]})",
                 "base.kernel: kernel matmul needs params.k");
}

TEST(SweepErrors, CoresAndTimesAreChecked) {
  expect_axis_problem(R"({"path": "cores", "values": [0]})", "axes[0].values[0]: --cores \"0\"");
  expect_axis_problem(R"({"path": "cores", "values": [1025]})", "from 1 to 1024");
  expect_axis_problem(R"({"path": "max_time", "values": ["10us", "10"]})", "axes[0].values[1]: max_time");
}

TEST(SweepErrors, ThereIsOneKindOfWork) {
  expect_problem(R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2"}, "axes": [{"path": "cores", "values": [1]}]})", "nothing to simulate");
  expect_problem(
      R"({"trnsim_sweep": "1.0", "base": {"kernel": "copy", "params": {"bytes": 1}}, "axes": [{"path": "cores", "values": [1]}]})",
      "base: no key chip");
}

TEST(SweepErrors, ZipWantsEqualLengths) {
  expect_problem(
      matmul_sweep(R"({"path": "params.m", "values": [1, 2]}, {"path": "params.n", "values": [1, 2, 3]})", R"("combine": "zip")"),
      "axes: zip wants equal lengths: params.m has 2 values, params.n has 3");
}

TEST(SweepErrors, CombineIsOneOfFour) {
  expect_problem(matmul_sweep(kAxis, R"("combine": "gird")"), "combine: \"gird\"; nearest: 'grid'; allowed: \"grid\", \"zip\"");
  expect_problem(matmul_sweep(kAxis, R"("combine": 3)"), "combine: 3; allowed");
  expect_problem(matmul_sweep(kAxis, R"("combine": {"grid": {}})"), "combine: \"grid\"");
  expect_problem(matmul_sweep(kAxis, R"("combine": {"random": {"seed": 1}})"), "combine.random: no key samples");
  expect_problem(matmul_sweep(kAxis, R"("combine": {"random": {"samples": 0}})"),
                 "combine.random.samples: want a whole number from 1 to 10000000");
  expect_problem(matmul_sweep(kAxis, R"("combine": {"random": {"samples": 1, "sed": 1}})"), "unknown key \"sed\"; nearest: 'seed'");
  expect_problem(matmul_sweep(kAxis, R"("combine": "random")"), "no key samples");
  expect_problem(matmul_sweep(kAxis, R"("samples": 3)"), "samples: stands beside");
}

TEST(SweepErrors, TooManyPointsAreRefusedWithTheProduct) {
  std::string axes;
  for (const char* name : {"m", "n", "k", "batch"}) {
    axes += std::string(axes.empty() ? "" : ", ") + R"({"path": "params.)" + name + R"(", "range": {"from": 1, "to": 100, "steps": 100}})";
  }
  expect_problem(matmul_sweep(axes), "axes: a grid of 100 x 100 x 100 x 100 = 100000000 points; at most 10000000 are allowed");
}

TEST(SweepErrors, TooManyValuesAreRefusedBeforeTheyAreMade) {
  const std::string many = R"({"path": "params.m", "range": {"from": 1, "to": 1e9, "step": 1}})";
  expect_axis_problem(many, "axes[0].range: 1000000000 values with those of the axes before; at most 1000000 are allowed");
  std::string axes = R"({"path": "params.m", "range": {"from": 1, "to": 2}}, {"path": "params.n", "range": {"from": 1, "to": 2}},
    {"path": "params.k", "range": {"from": 1, "to": 2}}, {"path": "params.batch", "range": {"from": 1, "to": 2}},
    {"path": "set.hbm.tcl_ns", "range": {"from": 1, "to": 2}}, {"path": "set.hbm.trp_ns", "range": {"from": 1, "to": 2}})";
  expect_problem(matmul_sweep(axes, R"("combine": {"latin_hypercube": {"samples": 10000000}})"), "combine: 10000000 samples of 6 axes");
}

TEST(SweepErrors, FiltersAreChecked) {
  expect_problem(matmul_sweep(kAxis, R"("filters": ["params.mm == 1"])"),
                 "filters[0]: column 1: 'params.mm' is neither an axis nor in base");
  expect_problem(matmul_sweep(kAxis, R"("filters": ["params.m == 128", "params.m == 'x'"])"),
                 "filters[1]: column 10: number 128 and text 'x' cannot be compared, at params.m=128");
  expect_problem(matmul_sweep(kAxis, R"("filters": ["params.m > 500"])"), "filters: none of 1 points passes");
  expect_problem(matmul_sweep(kAxis, R"("filters": [3])"), "filters[0]: want text, not 3");
  expect_problem(matmul_sweep(kAxis, R"("filters": "x")"), "filters: want an array of expressions");
}

TEST(SweepErrors, LimitsArePositive) {
  expect_problem(matmul_sweep(kAxis, R"("limits": {"seconds": 0})"), "limits.seconds: 0 is not allowed");
  expect_problem(matmul_sweep(kAxis, R"("limits": {"memory_mib": -1})"), "limits.memory_mib: -1 is not allowed");
  expect_problem(matmul_sweep(kAxis, R"("limits": [])"), "limits: want an object, not an array");
}

TEST(SweepErrors, DeeplyNestedValuesAreAnError) {
  const std::string nested = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_TRUE(contains(problems_of(R"({"trnsim_sweep": )" + nested + "}"), "want text, not an array"));
  EXPECT_TRUE(contains(problems_of(matmul_sweep(R"({"path": "params.m", "values": [)" + nested + "]}")), "not an array"));
}

TEST(SweepErrors, ACombinationThatIsRefusedIsLeftToItsPoint) {
  for (
      const char* axes : {
          R"({"path": "params.dtype", "values": ["bf16", "mxfp8"]})",                              // not on trn2
          R"({"path": "cores", "values": [1, 64]})",                                               // trn2 has 8
          R"({"path": "chip", "values": ["trn1", "trn2"]}, {"path": "cores", "values": [1, 8]})",  // trn1 has 2
          R"({"path": "params.m", "values": [128, 65536]}, {"path": "params.k", "values": [65536]}, {"path": "params.n", "values": [65536]})",
          R"({"path": "set.hbm.gib_per_stack", "values": [0.001]}, {"path": "params.m", "values": [8192]})",
      }) {
    EXPECT_EQ(problems_of(matmul_sweep(axes)), "") << axes;
  }
}

TEST(SweepErrors, AThousandValuesAreCheckedInNoTime) {
  std::string values;
  for (int i = 1; i <= 1000; ++i) values += (i > 1 ? "," : "") + std::to_string(i);
  const std::string axes =
      R"({"path": "params.m", "values": [)" + values + R"(]}, {"path": "set.dma.ring_depth", "values": [)" + values + "]}";
  EXPECT_EQ(parsed(matmul_sweep(axes)).size(), 1000000U);
}

}  // namespace
}  // namespace trnsim::app
