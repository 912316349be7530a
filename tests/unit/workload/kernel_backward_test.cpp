// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "trnsim/error.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/kernel_walker.hpp"

namespace trnsim {
namespace {

using test::Walker;

enum : TensorId { kQuery, kKey, kValue, kOutput, kOutputGradient, kSums, kQueryGradient, kKeyGradient, kValueGradient, kKeySum };

struct Shape {
  std::uint64_t heads, kv_heads, seq_q, seq_k, head_dim;
  bool causal;

  [[nodiscard]] std::string text() const {
    return fmt::format("{} heads on {}, {} x {} of {}{}", heads, kv_heads, seq_q, seq_k, head_dim, causal ? " causal" : "");
  }
};

KernelParams params(const Shape& s, const std::string& dtype = "bf16") {
  return {{"heads", std::to_string(s.heads)},
          {"kv_heads", std::to_string(s.kv_heads)},
          {"seq_q", std::to_string(s.seq_q)},
          {"seq_k", std::to_string(s.seq_k)},
          {"head_dim", std::to_string(s.head_dim)},
          {"causal", s.causal ? "true" : "false"},
          {"dtype", dtype},
          {"pass", "backward"}};
}

std::uint64_t pairs(const Shape& s) {
  std::uint64_t n = 0;
  for (std::uint64_t q = 0; q < s.seq_q; ++q) {
    for (std::uint64_t k = 0; k < s.seq_k; ++k) n += !s.causal || k + s.seq_q <= q + s.seq_k ? 1 : 0;
  }
  return n;
}

/// A chip whose SBUF holds the queries of one range only in part.
ChipConfig narrow(ChipConfig chip) { return test::with_sbuf(std::move(chip), 64); }

const std::vector<Shape> kShapes{{1, 1, 1, 1, 1, false},       {2, 1, 3, 130, 64, true},    {4, 2, 130, 257, 32, true},
                                 {1, 1, 129, 33, 16, true},    {6, 2, 1, 1100, 64, true},   {2, 2, 260, 600, 8, false},
                                 {3, 1, 128, 1024, 128, true}, {1, 1, 1100, 520, 16, true}, {10, 2, 40, 513, 24, false}};

TEST(AttentionBackward, FollowsTheRulesOnEveryGeneration) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like(), test::trn3_like()}) {
    for (const Shape& s : kShapes) {
      for (const std::string dtype : {"bf16", "fp32"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", chip.name, s.text(), dtype));
        Workload w = make_kernel("attention", params(s, dtype), chip);
        Walker walker(*w.programs.at(0), chip);
        walker.run();
        EXPECT_TRUE(walker.problems().empty()) << walker.report();
        EXPECT_GE(walker.macs, w.programs[0]->info().macs);
      }
    }
  }
}

TEST(AttentionBackward, UsefulWorkIsTwoAndAHalfTimesTheForwardPass) {
  for (const Shape& s : kShapes) {
    KernelParams forward = params(s);
    forward["pass"] = "forward";
    const ProgramInfo there = make_kernel("attention", forward, test::trn2_like()).programs[0]->info();
    const ProgramInfo back = make_kernel("attention", params(s), test::trn2_like()).programs[0]->info();
    EXPECT_EQ(back.macs, s.heads * pairs(s) * 5 * s.head_dim) << s.text();
    EXPECT_EQ(2 * back.macs, 5 * there.macs) << s.text();
    EXPECT_EQ(back.flops, 2 * back.macs);
  }
}

TEST(AttentionBackward, WithoutAMaskEveryMultiplyIsUseful) {
  for (const Shape& s : {Shape{4, 2, 200, 1300, 64, false}, Shape{6, 2, 20, 130, 64, false}}) {
    Workload w = make_kernel("attention", params(s), test::trn2_like());
    Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
    walker.run();
    EXPECT_EQ(walker.macs, w.programs[0]->info().macs) << s.text();
  }
}

TEST(AttentionBackward, EveryTensorMovesOnceWhereTheQueriesFit) {
  for (const Shape& s : {Shape{8, 2, 512, 2048, 64, false}, Shape{3, 3, 700, 900, 128, true}}) {
    Workload w = make_kernel("attention", params(s), test::trn2_like());
    Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
    walker.run();
    const std::uint64_t queries = s.heads * s.seq_q * s.head_dim * 2, keys = s.kv_heads * s.seq_k * s.head_dim * 2;
    for (const TensorId t : {kQuery, kOutput, kOutputGradient}) EXPECT_EQ(walker.read_bytes[t], queries) << s.text() << ' ' << t;
    for (const TensorId t : {kKey, kValue}) EXPECT_EQ(walker.read_bytes[t], keys) << s.text() << ' ' << t;
    EXPECT_EQ(walker.read_bytes[kSums], s.heads * s.seq_q * 4);
    EXPECT_EQ(walker.hbm_write_bytes, queries + 2 * keys);
  }
}

TEST(AttentionBackward, QueriesThatDoNotFitPassInRangesWithSumsInHbm) {
  const Shape s{2, 1, 4096, 1024, 128, false};
  const ChipConfig chip = narrow(test::trn2_like());
  Workload w = make_kernel("attention", params(s), chip);
  ASSERT_GT(w.programs[0]->info().tensors.size(), kKeySum);
  Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  const std::uint64_t ranges = walker.read_bytes[kKey] / (1024 * 128 * 2);
  EXPECT_GT(ranges, 1U);
  EXPECT_EQ(walker.read_bytes[kQuery], 2ULL * 4096 * 128 * 2);
  EXPECT_EQ(walker.read_bytes[kKeySum], (ranges - 1) * 1024 * 128 * 4);
}

TEST(AttentionBackward, CausalRangesFollowTheRules) {
  const ChipConfig chip = narrow(test::trn2_like());
  for (const Shape& s : {Shape{1, 1, 2900, 2900, 128, true}, Shape{5, 1, 1400, 700, 128, true}, Shape{4, 2, 1300, 3000, 128, true}}) {
    Workload w = make_kernel("attention", params(s), chip);
    ASSERT_GT(w.programs[0]->info().tensors.size(), kKeySum) << s.text();
    Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << s.text() << walker.report();
  }
}

/// Gradients with P = q·k and dS = dO·v, which is what the walker makes of the element-wise steps.
struct Expected {
  std::vector<double> query, key, value;
};

struct Numbers {
  Shape s;
  std::vector<double> query, key, value, output;  ///< qT, kT, v, dO as stored.

  [[nodiscard]] double q(std::uint64_t head, std::uint64_t i, std::uint64_t d) const {
    return query[(head * s.head_dim + d) * s.seq_q + i];
  }
  [[nodiscard]] double k(std::uint64_t kv, std::uint64_t j, std::uint64_t d) const { return key[(kv * s.head_dim + d) * s.seq_k + j]; }

  [[nodiscard]] Expected gradients() const {
    Expected e{std::vector<double>(query.size()), std::vector<double>(key.size()), std::vector<double>(value.size())};
    for (std::uint64_t head = 0; head < s.heads; ++head) {
      const std::uint64_t kv = head / (s.heads / s.kv_heads);
      for (std::uint64_t i = 0; i < s.seq_q; ++i) {
        for (std::uint64_t j = 0; j < s.seq_k; ++j) add(e, head, kv, i, j);
      }
    }
    return e;
  }

 private:
  void add(Expected& e, std::uint64_t head, std::uint64_t kv, std::uint64_t i, std::uint64_t j) const {
    const std::uint64_t row = (head * s.seq_q + i) * s.head_dim, column = (kv * s.seq_k + j) * s.head_dim;
    double score = 0, product = 0;
    for (std::uint64_t d = 0; d < s.head_dim; ++d) {
      score += q(head, i, d) * k(kv, j, d);
      product += output[row + d] * value[column + d];
    }
    for (std::uint64_t d = 0; d < s.head_dim; ++d) {
      e.query[row + d] += product * k(kv, j, d);
      e.key[column + d] += product * q(head, i, d);
      e.value[column + d] += score * output[row + d];
    }
  }
};

std::vector<double> small_numbers(std::vector<double>& cells, std::uint64_t seed) {
  for (double& c : cells) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    c = static_cast<double>(seed >> 61) - 3;
  }
  return cells;
}

void expect_gradients(const Shape& s, const ChipConfig& chip) {
  SCOPED_TRACE(s.text());
  Workload w = make_kernel("attention", params(s), chip);
  Walker walker(*w.programs.at(0), chip);
  const Numbers n{s, small_numbers(walker.input(kQuery), 1), small_numbers(walker.input(kKey), 2), small_numbers(walker.input(kValue), 3),
                  small_numbers(walker.input(kOutputGradient), 4)};
  walker.run();
  ASSERT_TRUE(walker.problems().empty()) << walker.report();
  const Expected e = n.gradients();
  EXPECT_EQ(walker.output(kQueryGradient), e.query);
  EXPECT_EQ(walker.output(kKeyGradient), e.key);
  EXPECT_EQ(walker.output(kValueGradient), e.value);
}

TEST(AttentionBackward, GradientsAreSummedOverTheRightHeadsAndKeys) {
  for (const Shape& s : {Shape{1, 1, 300, 700, 16, false}, Shape{6, 2, 130, 200, 8, false}, Shape{4, 1, 20, 600, 8, false},
                         Shape{1, 1, 5, 3, 128, false}, Shape{2, 2, 900, 129, 8, false}}) {
    expect_gradients(s, test::trn2_like());
  }
}

TEST(AttentionBackward, RangesOfQueriesGiveTheSameGradients) {
  expect_gradients({1, 1, 2600, 600, 16, false}, test::with_sbuf(test::trn2_like(), 30));
}

TEST(AttentionBackward, FullyMaskedBlocksAreSkipped) {
  const auto executed = [](bool causal) {
    Workload w = make_kernel("attention", params({1, 1, 4096, 4096, 64, causal}), test::trn2_like());
    Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
    walker.run();
    return static_cast<double>(walker.macs);
  };
  EXPECT_LT(executed(true), 0.53 * executed(false));
}

TEST(AttentionBackward, OnlyTheDiagonalIsMasked) {
  Workload w = make_kernel("attention", params({1, 1, 1024, 1024, 64, true}), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like(), Walker::Numbers::Skip);
  walker.run();
  EXPECT_EQ(walker.count["gpsimd affine_select"], 1U + 8);       // one makes the identity
  EXPECT_EQ(walker.count["scalar activation"], 8U + 2 + 8 + 4);  // turned queries and keys; exponentials of two blocks
}

TEST(AttentionBackward, LongHeadsFitTheSbufOfEveryChip) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like(), test::trn3_like()}) {
    for (const Shape& s : {Shape{1, 1, 8192, 8192, 128, true}, Shape{1, 1, 32768, 32768, 128, true}, Shape{4, 1, 16384, 512, 64, false}}) {
      SCOPED_TRACE(chip.name + ' ' + s.text());
      Workload w = make_kernel("attention", params(s), chip);
      Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
      walker.run();
      EXPECT_TRUE(walker.problems().empty()) << walker.report();
      EXPECT_LE(walker.sbuf_peak, chip.sbuf_bytes_per_partition());
    }
  }
}

TEST(AttentionBackward, CoresShareKvHeads) {
  const Shape s{8, 4, 300, 300, 32, true};
  Workload w = make_kernel("attention", params(s), test::trn2_like(), 4);
  std::uint64_t macs = 0;
  for (const auto& program : w.programs) {
    macs += program->info().macs;
    Walker walker(*program, test::trn2_like());
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
  }
  EXPECT_EQ(macs, 8 * pairs(s) * 5 * 32);
}

TEST(AttentionBackward, QueriesOfOneKvHeadAreNotSharedByCores) {
  try {
    make_kernel("attention", params({2, 1, 1024, 1024, 64, false}), test::trn2_like(), 2);
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_NE(std::string(e.what()).find("2 cores, but only 1 KV heads to share"), std::string::npos) << e.what();
  }
}

TEST(AttentionBackward, AChipWithTooFewPsumBanksIsNamed) {
  ChipConfig chip = test::trn2_like();
  chip.psum.banks = 4;
  try {
    make_kernel("attention", params({1, 1, 512, 512, 128, false}), chip);
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_NE(std::string(e.what()).find("of the backward pass take 6 PSUM banks"), std::string::npos) << e.what();
  }
}

RC_GTEST_PROP(KernelLaws, AnyBackwardPassFollowsTheRules, ()) {
  Shape s{1,
          *rc::gen::inRange<std::uint64_t>(1, 3),
          *rc::gen::inRange<std::uint64_t>(1, 400),
          *rc::gen::inRange<std::uint64_t>(1, 700),
          *rc::gen::inRange<std::uint64_t>(1, 129),
          *rc::gen::arbitrary<bool>()};
  s.heads = s.kv_heads * *rc::gen::inRange<std::uint64_t>(1, 4);
  const ChipConfig chip = *rc::gen::element(test::trn1_like(), test::trn2_like(), test::trn3_like());
  Workload w = make_kernel("attention", params(s), chip);
  Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
  walker.run();
  if (!walker.problems().empty()) RC_FAIL(s.text() + '\n' + walker.report());
  RC_ASSERT(walker.macs >= w.programs[0]->info().macs);
}

}  // namespace
}  // namespace trnsim
