// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/spec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "trnsim/error.hpp"
#include "unit/app/sweep/sweep_support.hpp"

namespace trnsim::app {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kExample = R"({"trnsim_sweep": "1.0",
 "base": {"chip": "trn2", "kernel": "matmul", "params": {"m": 1024, "n": 1024, "k": 1024, "dtype": "bf16"}, "set": {}},
 "axes": [{"path": "chip", "values": ["trn1", "trn2", "trn3"]},
          {"path": "params.m", "values": [128, 256, 512]},
          {"path": "set.hbm.stack_gb_per_s", "range": {"from": 200, "to": 1600, "steps": 4, "scale": "log"}}],
 "combine": "grid"})";

TEST(SweepSpec, TheLastAxisOfAGridIsTheFastest) {
  const SweepSpec spec = parsed(kExample);
  EXPECT_EQ(spec.axes(), (Texts{"chip", "params.m", "set.hbm.stack_gb_per_s"}));
  ASSERT_EQ(spec.size(), 36U);
  EXPECT_EQ(spec.point(0).values, (Texts{"trn1", "128", "200"}));
  EXPECT_EQ(spec.point(1).values, (Texts{"trn1", "128", "400"}));
  EXPECT_EQ(spec.point(4).values, (Texts{"trn1", "256", "200"}));
  EXPECT_EQ(spec.point(35).values, (Texts{"trn3", "512", "1600"}));
  EXPECT_EQ(spec.point(35).index, 35U);
}

TEST(SweepSpec, APointIsTheRequestOfItsCommandLine) {
  const RunRequest request = parsed(kExample).point(1).request;
  EXPECT_EQ(
      command_line(request),
      "trnsim run --chip trn1 --set hbm.stack_gb_per_s=400 --kernel matmul --param dtype=bf16 --param k=1024 --param m=128 --param n=1024");
}

TEST(SweepSpec, AxesReplaceValuesOfTheBase) {
  const SweepSpec spec = parsed(matmul_sweep(R"({"path": "params.m", "values": [7]}, {"path": "cores", "values": [2]})"));
  EXPECT_EQ(spec.point(0).request.params, (Texts{"k=128", "m=7", "n=128"}));
  EXPECT_EQ(spec.point(0).request.cores, 2U);
}

TEST(SweepSpec, WritesValuesAsTheCommandLineWould) {
  const SweepSpec spec = parsed(matmul_sweep(R"({"path": "set.hbm.stack_gb_per_s", "values": [400, 1e3, 0.1, 250.50]},
                                                {"path": "set.psum.bf16_output", "values": [true]}, {"path": "params.n", "values": ["64"]})"));
  EXPECT_EQ(points_of(spec), (Texts{"400 true 64", "1000 true 64", "0.1 true 64", "250.5 true 64"}));
}

TEST(SweepSpec, OverridesComeInTheOrderOfTheirNames) {
  const SweepSpec spec = parsed(R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "kernel": "copy", "params": {"bytes": 1},
    "set": {"hbm.tcl_ns": 9, "dma.engines": 8}}, "axes": [{"path": "set.hbm.stacks", "values": [2]}]})");
  EXPECT_EQ(spec.point(0).request.set, (Texts{"dma.engines=8", "hbm.stacks=2", "hbm.tcl_ns=9"}));
}

TEST(SweepSpec, FiltersLeaveOutPointsAndTheirNumbers) {
  const SweepSpec spec = parsed(matmul_sweep(R"({"path": "params.m", "values": [1, 2, 3]}, {"path": "params.n", "values": [1, 2, 3]})",
                                             R"("filters": ["params.m < params.n", "params.m * params.k <= 256"])"));
  EXPECT_EQ(points_of(spec), (Texts{"1 2", "1 3", "2 3"}));
  EXPECT_EQ(spec.point(2).index, 2U);
}

TEST(SweepSpec, FiltersSeeDrawnValues) {
  const SweepSpec spec = parsed(matmul_sweep(R"({"path": "params.m", "range": {"from": 1, "to": 1000}})",
                                             R"("combine": {"random": {"samples": 200, "seed": 3}}, "filters": ["params.m % 2 == 0"])"));
  EXPECT_GT(spec.size(), 60U);
  EXPECT_LT(spec.size(), 140U);
  for (const std::string& point : points_of(spec)) EXPECT_EQ(std::stoi(point) % 2, 0);
}

TEST(SweepSpec, BothSpellingsOfDrawnPointsGiveTheSame) {
  const std::string axis = R"({"path": "params.m", "range": {"from": 1, "to": 1000}})";
  for (const std::string name : {"random", "latin_hypercube"}) {
    const SweepSpec inside = parsed(matmul_sweep(axis, R"("combine": {")" + name + R"(": {"samples": 9, "seed": 5}})"));
    const SweepSpec beside = parsed(matmul_sweep(axis, R"("combine": ")" + name + R"(", "samples": 9, "seed": 5)"));
    EXPECT_EQ(points_of(inside), points_of(beside));
    EXPECT_EQ(inside.hash(), beside.hash());
    EXPECT_EQ(inside.size(), 9U);
  }
}

TEST(SweepSpec, ARangeWithStepsIsAListWhenPointsAreDrawn) {
  const SweepSpec spec = parsed(matmul_sweep(R"({"path": "params.m", "range": {"from": 100, "to": 300, "steps": 3}})",
                                             R"("combine": {"latin_hypercube": {"samples": 6}})"));
  Texts points = points_of(spec);
  std::sort(points.begin(), points.end());
  EXPECT_EQ(points, (Texts{"100", "100", "200", "200", "300", "300"}));
}

TEST(SweepSpec, LimitsAreHandedOn) {
  const SweepSpec spec = parsed(matmul_sweep(R"({"path": "params.m", "values": [1]})", R"("limits": {"seconds": 2.5, "memory_mib": 512})"));
  EXPECT_EQ(spec.limits().seconds, 2.5);
  EXPECT_EQ(spec.limits().memory_bytes, 536870912U);
  EXPECT_EQ(parsed(matmul_sweep(R"({"path": "params.m", "values": [1]})")).limits().seconds, 0);
}

TEST(SweepSpec, KeepsItsText) { EXPECT_EQ(parsed(kExample).text(), kExample); }

TEST(SweepSpec, TimesAndCoresReachTheRequest) {
  const SweepSpec spec = parsed(matmul_sweep(R"({"path": "cores", "values": [1, 4]}, {"path": "max_time", "values": ["10us"]})"));
  EXPECT_EQ(spec.point(1).request.cores, 4U);
  EXPECT_EQ(spec.point(1).request.max_time, "10us");
}

TEST(SweepSpec, KernelsMayBeAnAxis) {
  const SweepSpec spec = parsed(R"({"trnsim_sweep": "1.0", "base": {"chip": "trn2", "params": {"rows": 128, "cols": 64}},
    "axes": [{"path": "kernel", "values": ["softmax", "rmsnorm"]}]})");
  EXPECT_EQ(spec.point(1).request.kernel, "rmsnorm");
}

TEST(SweepSpec, APointThatIsNotThereIsAFault) { EXPECT_THROW((void)parsed(kExample).point(36), InternalError); }

std::string hash_of(const std::string& axes, const std::string& more = "") { return parsed(matmul_sweep(axes, more)).hash(); }

TEST(SweepHash, DoesNotDependOnTheWayOfWriting) {
  const std::string one =
      R"({"trnsim_sweep":"1.0","base":{"chip":"trn2","kernel":"copy","params":{"bytes":4096,"to":"hbm"},"set":{"hbm.tcl_ns":9}},
    "axes":[{"path":"cores","values":[1,2]}]})";
  const std::string other =
      R"({"about": "the same", "axes" : [ {"values": [1, 2.0], "path": "cores"} ], "trnsim_sweep": "1.0", "combine": "grid",
    "base": {"set": {"hbm.tcl_ns": 9}, "params": {"to": "hbm", "bytes": 4.096e3}, "kernel": "copy", "chip": "trn2"}, "limits": {"seconds": 5}})";
  EXPECT_EQ(parsed(one).hash(), parsed(other).hash());
  EXPECT_EQ(parsed(one).hash().size(), 16U);
}

TEST(SweepHash, DependsOnEverythingThatDecidesResults) {
  const std::string axis = R"({"path": "params.m", "range": {"from": 1, "to": 9}})";
  const Texts hashes{
      hash_of(R"({"path": "params.m", "values": [1, 2]})"),
      hash_of(R"({"path": "params.m", "values": [2, 1]})"),
      hash_of(R"({"path": "params.n", "values": [1, 2]})"),
      hash_of(R"({"path": "params.m", "values": [1, 2]})", R"("combine": "zip")"),
      hash_of(R"({"path": "params.m", "values": [1, 2]})", R"("filters": ["params.m > 1"])"),
      hash_of(R"({"path": "params.m", "values": [1, 2]}, {"path": "params.n", "values": [1]})"),
      hash_of(R"({"path": "params.n", "values": [1]}, {"path": "params.m", "values": [1, 2]})"),
      hash_of(axis, R"("combine": {"random": {"samples": 2, "seed": 1}})"),
      hash_of(axis, R"("combine": {"random": {"samples": 2, "seed": 2}})"),
      hash_of(axis, R"("combine": {"random": {"samples": 3, "seed": 1}})"),
      hash_of(axis, R"("combine": {"latin_hypercube": {"samples": 2, "seed": 1}})"),
  };
  EXPECT_EQ(std::set<std::string>(hashes.begin(), hashes.end()).size(), hashes.size());
}

}  // namespace
}  // namespace trnsim::app
