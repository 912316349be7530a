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

}  // namespace
}  // namespace trnsim::app
