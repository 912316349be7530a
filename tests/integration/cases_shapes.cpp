// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Shapes: every positive one runs at its true size and counts its work exactly; others are refused.
#include <gtest/gtest.h>

#include "support/run_result.hpp"

namespace trnsim {
namespace {

using test::kernel_result;
using test::kernel_snapshot;
using test::preset;

std::string shape(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return "m=" + std::to_string(m) + ",n=" + std::to_string(n) + ",k=" + std::to_string(k);
}

/// Message of the refusal; fails the test if the kernel is made.
std::string refusal(const std::string& params, const std::vector<std::string>& set = {}) {
  try {
    make_kernel("matmul", parse_params({params}), preset("trn2", set));
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::BadInput);
    return error.what();
  }
  ADD_FAILURE() << params << " is not refused";
  return {};
}

TEST(Shapes, SizesThatAreNotPositiveAreRefusedWithTheirName) {
  for (const char* bad : {"m=0,n=64,k=64", "m=-1,n=64,k=64", "m=64,n=0,k=64", "m=64,n=64,k=-128", "m=64,n=64,k=64,batch=0"}) {
    const std::string text = refusal(bad);
    EXPECT_NE(text.find("allowed: an integer from 1 to "), std::string::npos) << text;
  }
}

TEST(Shapes, ImpossibleChipsAreRefusedWithKeyAndRange) {
  for (const char* bad : {"dma.engines=0", "hbm.stack_gb_per_s=-820", "tensor.clock_ghz=0", "sbuf.kib_per_partition=-1", "hbm.stacks=0"}) {
    try {
      preset("trn2", {bad});
      ADD_FAILURE() << bad;
    } catch (const ConfigError& error) {
      const std::string key = std::string(bad).substr(0, std::string(bad).find('='));
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  }
}

class MatmulShapes : public testing::TestWithParam<const char*> {};

TEST_P(MatmulShapes, EveryEdgeCountsItsWorkExactly) {
  const ChipConfig chip = preset("trn2");
  const std::string schedule = std::string(",schedule=") + GetParam();
  const std::uint64_t sizes[]{1, 2, 31, 33, 128, 129};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      const std::uint64_t m = sizes[i], n = sizes[j], k = sizes[(i + j) % 6];
      const Snapshot snapshot = kernel_snapshot(chip, "matmul", shape(m, n, k) + schedule);
      EXPECT_EQ(test::macs(snapshot), m * n * k) << shape(m, n, k);
      const std::uint64_t least = m * n * k / (128 * 128);
      EXPECT_GE(test::engine(snapshot, EngineKind::Tensor).elapsed_cycles, least) << shape(m, n, k);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, MatmulShapes, testing::Values("optimized", "naive", "hoisted", "blocked"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Shapes, TimeDoesNotFallWithK) {
  std::uint64_t before = 0;
  for (const std::uint64_t k : {1U, 127U, 128U, 129U, 255U, 256U, 257U}) {
    const Snapshot now = kernel_snapshot(preset("trn2"), "matmul", shape(128, 128, k));
    EXPECT_EQ(test::macs(now), 128U * 128 * k);
    EXPECT_GE(now.end_fs, before) << k;
    before = now.end_fs;
  }
}

TEST(Shapes, OneRowMoreThanTheArrayTakesASecondPass) {
  const auto cycles = [](std::uint64_t k) { return test::kernel_snapshot(preset("trn2"), "matmul", shape(128, 128, k)); };
  const Snapshot more = cycles(129), two = cycles(256);
  EXPECT_GE(more.cores[0].tensor.array_cycles, 2 * 128U);
  EXPECT_LE(more.end_fs, two.end_fs);
}

TEST(Shapes, ASmallProductIsNotPaddedToTheTile) {
  const Result result = kernel_result(preset("trn2"), "matmul", shape(5, 2, 2));
  EXPECT_EQ(result.macs, 20U);
  EXPECT_EQ(test::macs(result.snapshot), 20U);
  EXPECT_EQ(test::hbm_bytes(result.snapshot), 2U * (5 * 2 + 2 * 2 + 5 * 2));
}

TEST(Shapes, TheSmallestProductRuns) {
  const Result result = kernel_result(preset("trn2"), "matmul", shape(1, 1, 1));
  EXPECT_EQ(result.macs, 1U);
  EXPECT_GT(result.time_ns, 0);
}

TEST(Shapes, BatchTakesAtMostAsLongAsSeparateRuns) {
  const ChipConfig chip = preset("trn2");
  const Result one = kernel_result(chip, "matmul", shape(256, 512, 256));
  for (const unsigned batch : {2U, 8U}) {
    const Result many = kernel_result(chip, "matmul", shape(256, 512, 256) + ",batch=" + std::to_string(batch));
    EXPECT_EQ(many.macs, batch * one.macs);
    EXPECT_EQ(test::macs(many.snapshot), batch * test::macs(one.snapshot));
    EXPECT_EQ(test::hbm_bytes(many.snapshot), batch * test::hbm_bytes(one.snapshot));
    EXPECT_LE(many.time_ns, batch * one.time_ns);
    EXPECT_GE(many.time_ns, one.time_ns);
    EXPECT_EQ(many.context.programs.at(0).params.at("batch"), std::to_string(batch));
  }
}

TEST(Shapes, WorkOfTheLargestCubeIsExact) {
  const Workload work = make_kernel("matmul", parse_params({"m=65536,n=65536,k=65536"}), preset("trn2"));
  EXPECT_EQ(work.programs.at(0)->info().macs, std::uint64_t{1} << 48);
}

TEST(Shapes, TensorsThatExceedHbmAreRefusedWithTheSizes) {
  const std::string text = refusal(shape(65536, 65536, 65536) + ",dtype=fp32", {"hbm.gib_per_stack=1"});
  for (const char* part : {"HBM", "51539607552", "4294967296", "lhsT 17179869184"}) EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Types, TrafficFollowsTheSizeOfTheElement) {
  const auto read = [](const std::string& dtype) {
    const Snapshot snapshot = kernel_snapshot(preset("trn2"), "matmul", "m=512,n=512,k=512,dtype=" + dtype);
    return snapshot.hbm.at(0).read_bytes;
  };
  EXPECT_EQ(read("bf16"), 2 * read("fp8_e4m3"));
  EXPECT_EQ(read("fp32"), 4 * read("fp8_e4m3"));
}

}  // namespace
}  // namespace trnsim
