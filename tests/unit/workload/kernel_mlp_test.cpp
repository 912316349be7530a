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

struct Shape {
  std::uint64_t tokens, hidden, ffn;
  bool gated;
  std::string dtype = "bf16";

  [[nodiscard]] std::uint64_t matrices() const { return gated ? 3 : 2; }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} tokens, {} x {}, {}{}", tokens, hidden, ffn, dtype, gated ? " gated" : "");
  }
};

KernelParams params(const Shape& s) {
  return {{"tokens", std::to_string(s.tokens)},
          {"hidden", std::to_string(s.hidden)},
          {"ffn", std::to_string(s.ffn)},
          {"dtype", s.dtype},
          {"gated", s.gated ? "true" : "false"}};
}

const std::vector<Shape> kShapes{{1, 1, 1, true},       {1, 300, 700, true},  {7, 130, 129, false},  {130, 257, 300, true},
                                 {520, 33, 200, false}, {600, 128, 65, true}, {2, 1300, 2100, false}};

TEST(MlpKernel, FollowsTheRulesOnEveryGeneration) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like(), test::trn3_like()}) {
    for (Shape s : kShapes) {
      for (const std::string dtype : {"bf16", "fp32", "fp8_e4m3"}) {
        s.dtype = dtype;
        SCOPED_TRACE(chip.name + ' ' + s.text());
        Workload w = make_kernel("mlp", params(s), chip);
        Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
        walker.run();
        EXPECT_TRUE(walker.problems().empty()) << walker.report();
        const ProgramInfo& info = w.programs[0]->info();
        EXPECT_EQ(info.macs, s.tokens * s.hidden * s.ffn * s.matrices());
        EXPECT_EQ(info.flops, 2 * info.macs);
        EXPECT_EQ(walker.macs, info.macs);
      }
    }
  }
}

TEST(MlpKernel, TakesFp8TwoRowsAtATime) {
  const auto matmuls = [](const std::string& dtype) {
    Workload w = make_kernel("mlp", params({64, 1024, 2048, true, dtype}), test::trn2_like());
    EXPECT_EQ(w.programs[0]->info().double_row, dtype != "bf16");
    Walker walker(*w.programs[0], test::trn2_like(), Walker::Numbers::Skip);
    walker.run();
    return walker.count["tensor nc_matmul"];
  };
  EXPECT_EQ(2 * matmuls("fp8_e4m3"), matmuls("bf16"));
}

TEST(MlpKernel, AFewTokensMoveEverythingOnce) {
  for (const Shape& s : {Shape{1, 512, 1500, true}, Shape{512, 640, 1024, true}, Shape{300, 700, 900, false}}) {
    Workload w = make_kernel("mlp", params(s), test::trn2_like());
    Walker walker(*w.programs[0], test::trn2_like(), Walker::Numbers::Skip);
    walker.run();
    EXPECT_EQ(walker.hbm_read_bytes, 2 * (s.tokens * s.hidden + s.matrices() * s.hidden * s.ffn)) << s.text();
    EXPECT_EQ(walker.hbm_write_bytes, 2 * s.tokens * s.hidden) << s.text();
  }
}

TEST(MlpKernel, WeightsComeOncePerBlockOfTokens) {
  const Shape s{1500, 300, 500, true};
  Workload w = make_kernel("mlp", params(s), test::trn2_like());
  Walker walker(*w.programs[0], test::trn2_like(), Walker::Numbers::Skip);
  walker.run();
  EXPECT_EQ(walker.read_bytes[0], 2 * s.tokens * s.hidden);
  for (const TensorId weights : {1, 2, 3}) EXPECT_EQ(walker.read_bytes[weights], 3 * 2 * s.hidden * s.ffn) << weights;
}

TEST(MlpKernel, ASmallerSbufTakesSmallerBlocksUntilOneTokenDoesNotFit) {
  std::uint64_t before = 0;
  for (const double kib : {200.0, 80.0, 40.0}) {
    const ChipConfig chip = test::with_sbuf(test::trn2_like(), kib);
    Workload w = make_kernel("mlp", params({512, 2048, 8192, true}), chip);
    Walker walker(*w.programs[0], chip, Walker::Numbers::Skip);
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    EXPECT_GT(walker.read_bytes[1], before);
    before = walker.read_bytes[1];
  }
  try {
    make_kernel("mlp", params({512, 2048, 8192, true}), test::with_sbuf(test::trn2_like(), 4));
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_NE(std::string(e.what()).find("kernel mlp: its buffers take"), std::string::npos) << e.what();
  }
}

std::vector<double> small_numbers(std::vector<double>& cells, std::uint64_t seed) {
  for (double& c : cells) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    c = static_cast<double>(seed >> 61) - 3;
  }
  return cells;
}

/// weights[K, M]ᵀ × input[K, N].
std::vector<double> product(const std::vector<double>& weights, const std::vector<double>& input, std::uint64_t k, std::uint64_t n) {
  const std::uint64_t m = weights.size() / k;
  std::vector<double> out(m * n, 0.0);
  for (std::uint64_t i = 0; i < k; ++i) {
    for (std::uint64_t r = 0; r < m; ++r) {
      for (std::uint64_t c = 0; c < n; ++c) out[r * n + c] += weights[i * m + r] * input[i * n + c];
    }
  }
  return out;
}

TEST(MlpKernel, MultipliesWhatItSays) {
  for (const std::string dtype : {"bf16", "fp8_e4m3"}) {
    for (Shape s : {Shape{3, 300, 520, true}, Shape{530, 40, 140, true}, Shape{9, 515, 777, false}, Shape{1, 260, 2500, true}}) {
      s.dtype = dtype;
      SCOPED_TRACE(s.text());
      Workload w = make_kernel("mlp", params(s), test::trn2_like());
      Walker walker(*w.programs[0], test::trn2_like());
      const std::vector<double> x = small_numbers(walker.input(0), 1);
      std::vector<double> h = product(small_numbers(walker.input(1), 2), x, s.hidden, s.tokens);
      if (s.gated) {
        const std::vector<double> up = product(small_numbers(walker.input(2), 3), x, s.hidden, s.tokens);
        for (std::size_t i = 0; i < h.size(); ++i) h[i] *= up[i];
      }
      const TensorId down = s.gated ? 3 : 2;
      const std::vector<double> expected = product(small_numbers(walker.input(down), 4), h, s.ffn, s.tokens);
      walker.run();
      EXPECT_TRUE(walker.problems().empty()) << walker.report();
      EXPECT_EQ(walker.output(down + 1), expected);
    }
  }
}

TEST(MlpKernel, CoresShareTheTokens) {
  const Shape s{1001, 256, 384, true};
  Workload w = make_kernel("mlp", params(s), test::trn2_like(), 4);
  std::uint64_t macs = 0, written = 0;
  for (const auto& program : w.programs) {
    macs += program->info().macs;
    Walker walker(*program, test::trn2_like(), Walker::Numbers::Skip);
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    written += walker.hbm_write_bytes;
  }
  EXPECT_EQ(macs, s.tokens * s.hidden * s.ffn * 3);
  EXPECT_EQ(written, 2 * s.tokens * s.hidden);
}

std::string refusal(KernelParams given, unsigned cores = 1) {
  try {
    make_kernel("mlp", given, test::trn2_like(), cores);
  } catch (const WorkloadError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(MlpKernel, SaysWhatItDoesNotTake) {
  KernelParams p = params({1, 64, 64, true});
  EXPECT_NE(refusal(p, 2).find("2 cores, but only 1 tokens to share"), std::string::npos);
  p["activation"] = "swish";
  EXPECT_NE(refusal(p).find("silu"), std::string::npos) << refusal(p);
  p["activation"] = "silu";
  p["dtype"] = "mxfp8";
  EXPECT_NE(refusal(p).find("mxfp8"), std::string::npos) << refusal(p);
  p.erase("ffn");
  EXPECT_NE(refusal(p).find("ffn"), std::string::npos) << refusal(p);
  EXPECT_NE(refusal(params({1, 4194304, 4194304, true})).find("bytes of HBM"), std::string::npos);
}

RC_GTEST_PROP(KernelLaws, AnyMlpFollowsTheRules, ()) {
  const Shape s{*rc::gen::inRange<std::uint64_t>(1, 1200), *rc::gen::inRange<std::uint64_t>(1, 800),
                *rc::gen::inRange<std::uint64_t>(1, 1500), *rc::gen::arbitrary<bool>(),
                *rc::gen::element<std::string>("bf16", "fp16", "fp32", "fp8_e4m3", "fp8_e5m2")};
  const ChipConfig chip = *rc::gen::element(test::trn1_like(), test::trn2_like(), test::trn3_like());
  Workload w = make_kernel("mlp", params(s), chip);
  Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
  walker.run();
  if (!walker.problems().empty()) RC_FAIL(s.text() + '\n' + walker.report());
  RC_ASSERT(walker.macs == w.programs[0]->info().macs);
}

}  // namespace
}  // namespace trnsim
