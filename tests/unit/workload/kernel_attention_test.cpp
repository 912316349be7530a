// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trnsim/error.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/kernel_walker.hpp"

namespace trnsim {
namespace {

using test::Walker;

struct Shape {
  std::uint64_t heads, kv_heads, seq_q, seq_k, head_dim;
  bool causal;
};

KernelParams params(const Shape& s, const std::string& dtype = "bf16") {
  return {{"heads", std::to_string(s.heads)},
          {"kv_heads", std::to_string(s.kv_heads)},
          {"seq_q", std::to_string(s.seq_q)},
          {"seq_k", std::to_string(s.seq_k)},
          {"head_dim", std::to_string(s.head_dim)},
          {"causal", s.causal ? "true" : "false"},
          {"dtype", dtype}};
}

/// Pairs of one head that the mask leaves, one by one.
std::uint64_t pairs(const Shape& s) {
  std::uint64_t n = 0;
  for (std::uint64_t q = 0; q < s.seq_q; ++q) {
    for (std::uint64_t k = 0; k < s.seq_k; ++k) n += !s.causal || k + s.seq_q <= q + s.seq_k ? 1 : 0;
  }
  return n;
}

const std::vector<Shape> kShapes{{1, 1, 1, 1, 1, false},      {2, 1, 3, 130, 64, true},  {4, 2, 130, 257, 32, true},
                                 {1, 1, 129, 33, 16, true},   {6, 2, 1, 1500, 64, true}, {2, 2, 260, 1100, 8, false},
                                 {3, 1, 128, 1024, 128, true}};

TEST(AttentionKernel, FollowsTheRulesOnEveryGeneration) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like(), test::trn3_like()}) {
    for (const Shape& s : kShapes) {
      for (const std::string dtype : {"bf16", "fp32"}) {
        SCOPED_TRACE(fmt::format("{} {} heads {} x {} of {}, {}", chip.name, s.heads, s.seq_q, s.seq_k, s.head_dim, dtype));
        Workload w = make_kernel("attention", params(s, dtype), chip);
        Walker walker(*w.programs.at(0), chip);
        walker.run();
        EXPECT_TRUE(walker.problems().empty()) << walker.report();
        EXPECT_EQ(w.programs[0]->info().macs, s.heads * pairs(s) * 2 * s.head_dim);
        EXPECT_EQ(w.programs[0]->info().flops, 2 * w.programs[0]->info().macs);
        EXPECT_EQ(walker.hbm_write_bytes, s.heads * s.seq_q * s.head_dim * (dtype == "fp32" ? 4 : 2));
        EXPECT_GE(walker.macs, w.programs[0]->info().macs);
      }
    }
  }
}

TEST(AttentionKernel, WithoutAMaskEveryMultiplyIsUseful) {
  const Shape s{4, 2, 200, 1300, 64, false};
  Workload w = make_kernel("attention", params(s), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like());
  walker.run();
  EXPECT_EQ(walker.macs, w.programs[0]->info().macs);
}

TEST(AttentionKernel, FullyMaskedBlocksAreSkipped) {
  const auto executed = [](bool causal) {
    Workload w = make_kernel("attention", params({1, 1, 4096, 4096, 64, causal}), test::trn2_like());
    Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
    walker.run();
    return static_cast<double>(walker.macs);
  };
  EXPECT_LT(executed(true), 0.55 * executed(false));
}

TEST(AttentionKernel, ResidentKeysAndValuesAreReadOncePerHead) {
  Workload w = make_kernel("attention", params({8, 2, 512, 4096, 64, false}), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
  walker.run();
  EXPECT_EQ(walker.read_bytes[0], 8ULL * 512 * 64 * 2);
  EXPECT_EQ(walker.read_bytes[1], 2ULL * 4096 * 64 * 2);
  EXPECT_EQ(walker.read_bytes[2], 2ULL * 4096 * 64 * 2);
}

TEST(AttentionKernel, KeysThatDoNotFitAreStreamedForEveryQueryTile) {
  const ChipConfig chip = test::with_sbuf(test::trn2_like(), 32);
  Workload w = make_kernel("attention", params({1, 1, 512, 16384, 128, false}), chip);
  Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  EXPECT_EQ(walker.read_bytes[1], 4ULL * 16384 * 128 * 2);
}

TEST(AttentionKernel, DecodeLaysTheGroupOnThePartitions) {
  Workload w = make_kernel("attention", params({16, 2, 1, 2048, 128, true}), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
  walker.run();
  EXPECT_EQ(walker.count["scalar activation"], 2U * (2 + 1));  // two blocks per KV head and one correction
}

TEST(AttentionKernel, ALongHeadStaysBelowAQuarterMillionInstructions) {
  Workload w = make_kernel("attention", params({1, 1, 32768, 32768, 64, false}), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  EXPECT_LT(walker.instructions, 250'000U);
}

TEST(AttentionKernel, TheDiagonalIsMaskedByTheEngineThatReachesIt) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like()}) {
    Workload w = make_kernel("attention", params({1, 1, 256, 256, 64, true}), chip);
    Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
    walker.run();
    const bool v2 = chip.name == "trn1";
    EXPECT_EQ(walker.count["vector range_select"], v2 ? 0U : 2U);
    EXPECT_EQ(walker.count["gpsimd affine_select"], v2 ? 3U : 1U);  // one makes the identity
  }
}

TEST(AttentionKernel, CoresShareHeadsThenQueries) {
  for (const std::uint64_t heads : {4, 1}) {
    const Shape s{heads, heads, 700, 700, 32, true};
    Workload w = make_kernel("attention", params(s), test::trn2_like(), 4);
    std::uint64_t macs = 0, written = 0;
    for (const auto& program : w.programs) {
      macs += program->info().macs;
      Walker walker(*program, test::trn2_like());
      walker.run();
      EXPECT_TRUE(walker.problems().empty()) << walker.report();
      written += walker.hbm_write_bytes;
    }
    EXPECT_EQ(macs, heads * pairs(s) * 2 * 32);
    EXPECT_EQ(written, heads * 700 * 32 * 2);
  }
}

TEST(AttentionKernel, KvHeadsThatDoNotDivideHeadsAreRefused) {
  try {
    make_kernel("attention", params({6, 4, 128, 128, 64, false}), test::trn2_like());
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_NE(std::string(e.what()).find("kv_heads=4 does not divide heads=6"), std::string::npos) << e.what();
  }
}

TEST(AttentionKernel, APlanFitsToTheLastByteAndNotOneLess) {
  const KernelParams p = params({1, 1, 2048, 2048, 64, false});
  Workload w = make_kernel("attention", p, test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
  walker.run();
  ChipConfig chip = test::trn2_like();
  chip.sbuf.kib_per_partition = static_cast<double>(walker.sbuf_peak) / 1024;
  for (const int less : {0, 1}) {
    ChipConfig smaller = chip;
    smaller.sbuf.kib_per_partition -= less / 1024.0;
    Workload again = make_kernel("attention", p, smaller);
    Walker other(*again.programs.at(0), smaller, Walker::Numbers::Skip);
    other.run();
    EXPECT_TRUE(other.problems().empty()) << other.report();
    if (less == 1) {
      EXPECT_LT(other.sbuf_peak, walker.sbuf_peak);
    }
  }
}

}  // namespace
}  // namespace trnsim
