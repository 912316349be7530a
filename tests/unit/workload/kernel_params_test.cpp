// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <functional>

#include "trnsim/error.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/kernel_walker.hpp"

namespace trnsim {
namespace {

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const WorkloadError& e) {
    return e.what();
  }
  return "nothing thrown";
}

std::string refusal(const std::string& kernel, const KernelParams& params, const ChipConfig& chip = test::trn2_like(), unsigned cores = 1) {
  return message_of([&] { make_kernel(kernel, params, chip, cores); });
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const KernelParams kCube{{"m", "256"}, {"n", "256"}, {"k", "256"}};

KernelParams cube(const std::string& key, const std::string& value) {
  KernelParams p = kCube;
  p[key] = value;
  return p;
}

TEST(KernelParams, ListsMergeAndKeepSpaces) {
  const KernelParams p = parse_params({"m=1, n=2", "k = 3"});
  EXPECT_EQ(p, (KernelParams{{"m", "1"}, {"n", "2"}, {"k", "3"}}));
}

TEST(KernelParams, AMissingEqualsSignIsNamed) {
  EXPECT_TRUE(has(message_of([] { parse_params({"m=1,n"}); }), "'n' is not name=value"));
}

TEST(KernelParams, AKeyGivenTwiceIsRefused) {
  EXPECT_TRUE(has(message_of([] { parse_params({"m=1", "m=2"}); }), "m is given twice"));
}

TEST(KernelParams, AnEmptyValueIsRefused) {
  EXPECT_TRUE(has(message_of([] { parse_params({"m="}); }), "m has no value"));
}

TEST(KernelParams, UnknownKernelNamesTheNearestOne) {
  const std::string text = refusal("matmull", {});
  EXPECT_TRUE(has(text, "unknown kernel 'matmull'") && has(text, "nearest: 'matmul'")) << text;
}

TEST(KernelParams, UnknownParameterNamesTheNearestOne) {
  const std::string text = refusal("matmul", cube("shedule", "naive"));
  EXPECT_TRUE(has(text, "unknown parameter 'shedule'") && has(text, "nearest: 'schedule'")) << text;
}

TEST(KernelParams, AMissingParameterIsNamedWithItsRange) {
  const std::string text = refusal("matmul", {{"m", "1"}, {"n", "1"}});
  EXPECT_TRUE(has(text, "parameter k is required; allowed: an integer from 1 to 16777216")) << text;
}

TEST(KernelParams, AllProblemsComeAtOnce) {
  try {
    make_kernel("matmul", {{"m", "0"}, {"n", "x"}, {"k", "1"}}, test::trn2_like());
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_EQ(e.problems().size(), 2U) << e.what();
  }
}

TEST(KernelParams, ZeroAndNegativeAndHugeSizesAreRefused) {
  for (const std::string bad : {"0", "-1", "16777217", "1.5", "99999999999999999999999", "12x"}) {
    EXPECT_TRUE(has(refusal("matmul", cube("m", bad)), "parameter m=" + bad + " is not allowed")) << bad;
  }
}

TEST(KernelParams, ABatchOfZeroIsRefused) { EXPECT_TRUE(has(refusal("matmul", cube("batch", "0")), "batch=0")); }

TEST(KernelParams, AnUnknownScheduleNamesTheAllowedOnes) {
  const std::string text = refusal("matmul", cube("schedule", "hoist"));
  EXPECT_TRUE(has(text, "optimized naive hoisted blocked") && has(text, "nearest: 'hoisted'")) << text;
}

TEST(KernelParams, MxOnTrn2IsRefusedByName) {
  const std::string text = refusal("matmul", cube("dtype", "mxfp8"));
  EXPECT_TRUE(has(text, "dtype=mxfp8 is not available on trn2") && has(text, "v4")) << text;
  EXPECT_NO_THROW(make_kernel("matmul", cube("dtype", "mxfp8"), test::trn3_like()));
}

TEST(KernelParams, LongTypeNamesAreResolved) {
  const Workload w = make_kernel("matmul", cube("dtype", "bfloat16"), test::trn2_like());
  EXPECT_EQ(w.programs[0]->info().params.at("dtype"), "bf16");
  EXPECT_EQ(w.programs[0]->info().params.at("out_dtype"), "bf16");
}

TEST(KernelParams, ResolvedParametersHoldEveryDefault) {
  const Workload w = make_kernel("matmul", kCube, test::trn2_like());
  for (const KernelParam& p : kernel_info("matmul").params) EXPECT_FALSE(w.programs[0]->info().params.at(p.name).empty()) << p.name;
}

TEST(KernelParams, MoreCoresThanTheChipHasAreRefused) {
  EXPECT_TRUE(has(refusal("matmul", kCube, test::trn1_like(), 3), "cores=3 is not allowed; trn1 has 2"));
  EXPECT_TRUE(has(refusal("matmul", kCube, test::trn1_like(), 0), "cores=0"));
}

TEST(KernelParams, MoreCoresThanRowsAreRefused) {
  EXPECT_TRUE(has(refusal("matmul", cube("m", "3"), test::trn2_like(), 4), "4 cores, but only 3 rows of M"));
}

TEST(KernelParams, EveryKernelHasASummaryAndHelpForEachParameter) {
  for (const KernelInfo& k : kernels()) {
    EXPECT_FALSE(k.summary.empty()) << k.name;
    for (const KernelParam& p : k.params) EXPECT_FALSE(p.help.empty()) << k.name << ' ' << p.name;
  }
}

}  // namespace
}  // namespace trnsim
