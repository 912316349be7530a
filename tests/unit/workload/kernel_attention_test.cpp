// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trnsim/error.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/kernel_walker.hpp"
#include "workload/kernels/attention_plan.hpp"

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

TEST(AttentionKernel, WithoutAMaskOnlySumsAndBoundsMultiplyBesideTheUsefulPairs) {
  const Shape s{4, 2, 200, 1300, 64, false};
  Workload w = make_kernel("attention", params(s), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like());
  walker.run();
  const std::uint64_t sums = s.heads * pairs(s);  // the column of ones beside V
  // Per KV head: squares of two heads' queries and of the keys times ones; a diagonal of 128 maxima times 128 x 128 ones for each.
  const std::uint64_t bounds = 2 * ((400 + 1300) * 64 + 2 * 128 * 128 * 128);
  EXPECT_EQ(walker.macs, w.programs[0]->info().macs + sums + bounds);
}

/// Outputs as the walker computes them: it takes exponentials, reciprocals and maxima for copies, so that an output is the product
/// of scores and values times the sum of the scores.
std::vector<double> expected_outputs(const Shape& s, const std::vector<double>& q, const std::vector<double>& k,
                                     const std::vector<double>& v) {
  std::vector<double> out(s.heads * s.seq_q * s.head_dim, 0.0);
  const std::uint64_t group = s.heads / s.kv_heads, d = s.head_dim;
  for (std::uint64_t h = 0; h < s.heads; ++h) {
    for (std::uint64_t i = 0; i < s.seq_q; ++i) {
      double sum = 0;
      double* row = &out[(h * s.seq_q + i) * d];
      for (std::uint64_t j = 0; j < s.seq_k; ++j) {
        double score = 0;
        for (std::uint64_t c = 0; c < d; ++c) score += q[(h * d + c) * s.seq_q + i] * k[(h / group * d + c) * s.seq_k + j];
        sum += score;
        for (std::uint64_t c = 0; c < d; ++c) row[c] += score * v[(h / group * s.seq_k + j) * d + c];
      }
      for (std::uint64_t c = 0; c < d; ++c) row[c] *= sum;
    }
  }
  return out;
}

TEST(AttentionKernel, ScoresMeetTheirValuesAndRowsTheirSums) {
  const std::vector<Shape> shapes{{4, 2, 130, 300, 4, false}, {1, 1, 600, 260, 3, false}, {1, 1, 385, 140, 128, false},
                                  {8, 2, 1, 1500, 5, false},  {3, 1, 40, 390, 2, false},  {6, 2, 100, 1030, 2, false}};
  for (const Shape& s : shapes) {
    SCOPED_TRACE(fmt::format("{} heads {} x {} of {}", s.heads, s.seq_q, s.seq_k, s.head_dim));
    Workload w = make_kernel("attention", params(s), test::trn2_like());
    Walker walker(*w.programs.at(0), test::trn2_like());
    for (const TensorId tensor : {0, 1, 2}) {
      std::uint64_t n = tensor + 1;
      for (double& x : walker.input(tensor)) x = static_cast<double>((n = n * 7 % 101) % 5);
    }
    const std::vector<double> expected = expected_outputs(s, walker.input(0), walker.input(1), walker.input(2));
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    EXPECT_EQ(walker.output(3), expected);
  }
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
  const ChipConfig chip = test::with_sbuf(test::trn2_like(), 64);
  Workload w = make_kernel("attention", params({1, 1, 2048, 16384, 128, false}), chip);
  Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  EXPECT_EQ(walker.read_bytes[1], 4ULL * 16384 * 128 * 2);
}

TEST(AttentionKernel, DecodeLaysTheKeysOnThePartitions) {
  Workload w = make_kernel("attention", params({16, 2, 1, 2048, 128, true}), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
  walker.run();
  // Per KV head: exponentials of 16 tiles of 128 keys with 8 queries at once; squares of keys and of queries.
  EXPECT_EQ(walker.count["scalar activation"], 2U * (1 + 2));
}

TEST(AttentionKernel, ALongHeadStaysBelowAQuarterMillionInstructions) {
  Workload w = make_kernel("attention", params({1, 1, 32768, 32768, 64, false}), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  EXPECT_LT(walker.instructions, 250'000U);
}

TEST(AttentionKernel, TheDiagonalIsMaskedAfterTheExponentials) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like()}) {
    Workload w = make_kernel("attention", params({1, 1, 1024, 1024, 64, true}), chip);
    Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
    walker.run();
    EXPECT_EQ(walker.count["gpsimd affine_select"], 8U + 1);  // a tile of 128 keys each, and one makes the identity
    EXPECT_EQ(walker.count["vector range_select"], 0U);
  }
}

TEST(AttentionPieces, CoverEveryPairThatTheMaskLeavesAndMaskTheRest) {
  for (const Shape& s : kShapes) {
    SCOPED_TRACE(fmt::format("{} heads {} x {}", s.heads, s.seq_q, s.seq_k));
    ParamReader reader(kernel_info("attention"), params(s));
    const kernel::AttentionProblem p = kernel::attention_problems(reader, test::trn2_like(), 1).front();
    const kernel::AttentionPlan plan = kernel::plan_attention(p, test::trn2_like());
    std::uint64_t seen = 0;
    for (const kernel::QueryTile& tile : plan.tiles) {
      for (std::uint64_t block = 0; block < tile.blocks; ++block) {
        for (const kernel::KeyPiece& piece : kernel::key_pieces(p, plan, tile, block)) {
          for (std::uint32_t row = 0; row < tile.rows(); ++row) {
            for (std::uint32_t n = 0; n < piece.tiles * piece.keys; ++n) {
              const std::uint64_t key = block * p.block + piece.first * p.row_tile + n;
              const bool visible = key < p.visible(tile.first + row % tile.count);
              seen += visible ? 1 : 0;
              EXPECT_TRUE(!visible || row >= piece.row);
              EXPECT_TRUE(visible || row < std::max(piece.masked, piece.row));
            }
          }
        }
      }
    }
    EXPECT_EQ(seen * p.units, s.heads * pairs(s));
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
