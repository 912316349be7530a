// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/spec.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace trnsim::app
