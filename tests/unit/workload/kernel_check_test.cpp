// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "trnsim/error.hpp"
#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/kernel_walker.hpp"

namespace trnsim {
namespace {

struct Case {
  std::string kernel;
  std::vector<std::string> params;
};

const std::vector<Case> kCases{{"matmul", {"m=300,n=1100,k=700"}},
                               {"matmul", {"m=300,n=1100,k=700,schedule=naive,dtype=fp32"}},
                               {"matmul", {"m=300,n=1100,k=700,schedule=hoisted,dtype=fp8_e4m3"}},
                               {"matmul", {"m=300,n=1100,k=700,schedule=blocked,dtype=fp16"}},
                               {"attention", {"heads=4,kv_heads=2,seq_q=300,seq_k=1500,head_dim=64,causal=true"}},
                               {"attention", {"heads=8,kv_heads=2,seq_q=1,seq_k=3000"}},
                               {"attention", {"heads=4,kv_heads=2,seq_q=300,seq_k=700,head_dim=64,causal=true,pass=backward"}},
                               {"attention", {"heads=3,kv_heads=1,seq_q=30,seq_k=70,head_dim=128,dtype=fp32,pass=backward"}},
                               {"mlp", {"tokens=300,hidden=700,ffn=900"}},
                               {"mlp", {"tokens=3,hidden=333,ffn=513,gated=false,activation=gelu,dtype=fp8_e4m3"}},
                               {"copy", {"bytes=5000001,bytes_per_partition=2048"}},
                               {"copy", {"bytes=70000,bytes_per_partition=64,from=sbuf,to=hbm,dma_queues=4"}},
                               {"vector_add", {"rows=300,cols=3000"}},
                               {"softmax", {"rows=300,cols=3000"}},
                               {"rmsnorm", {"rows=300,cols=3000"}},
                               {"layernorm", {"rows=300,cols=3000"}},
                               {"layernorm", {"rows=130,cols=70001,dtype=fp32"}},
                               {"rope", {"seq=300,heads=5,head_dim=80,batch=2"}},
                               {"adamw", {"rows=300,cols=3001,dtype=bf16"}}};

std::string problems_of(const Case& c, const ChipConfig& chip) {
  Workload w = make_kernel(c.kernel, parse_params(c.params), chip);
  std::string text;
  for (const std::string& p : check_program(*w.programs[0], chip)) text += p + '\n';
  if (w.programs[0]->next() != nullptr) text += "not checked to its end";
  return text;
}

TEST(KernelChecks, EveryKernelPassesTheStaticRulesOfEveryGeneration) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like(), test::trn3_like()}) {
    for (const Case& c : kCases) EXPECT_EQ(problems_of(c, chip), "") << chip.name << ' ' << c.kernel << ' ' << c.params[0];
  }
}

TEST(KernelChecks, MxMatmulsOfOddShapesPassTheStaticRules) {
  for (const std::string dtype : {"mxfp8", "mxfp4"}) {
    for (const std::string schedule : {"optimized", "naive", "blocked"}) {
      const Case c{"matmul", {fmt::format("m=131,n=777,k=515,dtype={},schedule={}", dtype, schedule)}};
      EXPECT_EQ(problems_of(c, test::trn3_like()), "") << dtype << ' ' << schedule;
    }
  }
}

TEST(KernelChecks, EveryKernelIsDescribed) {
  for (const Case& c : kCases) {
    const std::string text = describe_kernel(c.kernel, parse_params(c.params), test::trn2_like());
    EXPECT_NE(text.find("bytes per partition"), std::string::npos) << text;
  }
}

TEST(KernelChecks, TheSameParametersGiveTheSameStream) {
  for (const Case& c : kCases) {
    std::vector<std::string> hashes;
    for (int i = 0; i < 2; ++i) {
      Workload w = make_kernel(c.kernel, parse_params(c.params), test::trn2_like());
      hashes.push_back(program_hash(*w.programs[0]));
    }
    EXPECT_EQ(hashes[0], hashes[1]) << c.kernel;
  }
}

RC_GTEST_PROP(KernelLaws, AnyMatmulFollowsTheRulesAndCountsItsMacs, ()) {
  const auto m = *rc::gen::inRange<std::uint64_t>(1, 400), n = *rc::gen::inRange<std::uint64_t>(1, 1200),
             k = *rc::gen::inRange<std::uint64_t>(1, 900);
  const auto schedule = *rc::gen::elementOf(std::vector<std::string>{"naive", "hoisted", "blocked", "optimized"});
  const auto kib = *rc::gen::inRange(12, 224);
  const ChipConfig chip = test::with_sbuf(test::trn2_like(), kib);
  Workload w = make_kernel("matmul", parse_params({fmt::format("m={},n={},k={},schedule={}", m, n, k, schedule)}), chip);
  test::Walker walker(*w.programs[0], chip, test::Walker::Numbers::Skip);
  walker.run();
  RC_ASSERT(walker.report() == "");
  RC_ASSERT(walker.macs == m * n * k);
  RC_ASSERT(walker.hbm_read_bytes >= (m + n) * k * 2);
  RC_ASSERT(walker.hbm_write_bytes == m * n * 2);
}

RC_GTEST_PROP(KernelLaws, AnyAttentionFollowsTheRules, ()) {
  const auto group = *rc::gen::inRange(1, 5), kv = *rc::gen::inRange(1, 3), q = *rc::gen::inRange(1, 400), k = *rc::gen::inRange(1, 3000);
  const auto d = *rc::gen::inRange(1, 129);
  const bool causal = *rc::gen::arbitrary<bool>();
  const ChipConfig chip = test::with_sbuf(*rc::gen::arbitrary<bool>() ? test::trn1_like() : test::trn2_like(), *rc::gen::inRange(48, 200));
  Workload w = make_kernel(
      "attention",
      parse_params({fmt::format("heads={},kv_heads={},seq_q={},seq_k={},head_dim={},causal={}", group * kv, kv, q, k, d, causal)}), chip);
  test::Walker walker(*w.programs[0], chip, test::Walker::Numbers::Skip);
  walker.run();
  RC_ASSERT(walker.report() == "");
  RC_ASSERT(walker.macs >= w.programs[0]->info().macs);
}

}  // namespace
}  // namespace trnsim
