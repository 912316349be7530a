// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "trnsim/error.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/kernel_walker.hpp"

namespace trnsim {
namespace {

using test::Walker;

KernelParams shape(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return {{"m", std::to_string(m)}, {"n", std::to_string(n)}, {"k", std::to_string(k)}};
}

KernelParams with(KernelParams params, const KernelParams& more) {
  for (const auto& [key, value] : more) params[key] = value;
  return params;
}

/// lhsT[K,M]ᵀ × rhs[K,N] of small integers, which doubles add exactly.
void expect_product(const KernelParams& params, const ChipConfig& chip) {
  SCOPED_TRACE(fmt::format("{} {} {} {} {} {}", chip.name, params.contains("schedule") ? params.at("schedule") : "", params.at("m"),
                           params.at("n"), params.at("k"), chip.sbuf.kib_per_partition));
  Workload w = make_kernel("matmul", params, chip);
  Program& program = *w.programs.at(0);
  const auto& tensors = program.info().tensors;
  const std::size_t rank = tensors[0].shape.size();
  const std::uint64_t batch = rank == 3 ? tensors[0].shape[0] : 1, k = tensors[0].shape[rank - 2], stored = tensors[0].shape[rank - 1],
                      m = tensors[2].shape[rank - 2], n = tensors[1].shape[rank - 1];
  Walker walker(program, chip);
  auto &a = walker.input(0), &b = walker.input(1);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 2;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 5) - 1;
  walker.run();
  ASSERT_TRUE(walker.problems().empty()) << walker.report();
  for (std::uint64_t p = 0; p < batch; ++p) {
    for (std::uint64_t r = 0; r < m; ++r) {
      std::vector<double> row(n, 0.0);
      for (std::uint64_t i = 0; i < k; ++i) {
        const double x = a[(p * k + i) * stored + r];
        for (std::uint64_t c = 0; c < n; ++c) row[c] += x * b[(p * k + i) * n + c];
      }
      for (std::uint64_t c = 0; c < n; ++c) ASSERT_EQ(walker.output(2)[(p * m + r) * n + c], row[c]) << p << ' ' << r << ' ' << c;
    }
  }
}

const std::vector<std::string> kSchedules{"naive", "hoisted", "blocked", "optimized"};

TEST(MatmulKernel, ComputesTheProductForEveryShapeAroundTheTiles) {
  const std::vector<std::uint64_t> extents{1, 2, 31, 32, 33, 128, 129};
  for (const std::string& schedule : kSchedules) {
    for (const auto m : extents) {
      for (const auto n : extents) {
        for (const auto k : extents) expect_product(with(shape(m, n, k), {{"schedule", schedule}}), test::trn2_like());
      }
    }
  }
}

TEST(MatmulKernel, ComputesTheProductOnEveryGenerationAndSbufSize) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like(), test::trn3_like()}) {
    for (const double kib : {8.0, 24.0, chip.sbuf.kib_per_partition}) {
      for (const std::string& schedule : kSchedules) {
        expect_product(with(shape(150, 1100, 290), {{"schedule", schedule}}), test::with_sbuf(chip, kib));
        expect_product(with(shape(130, 520, 129), {{"schedule", schedule}, {"batch", "2"}}), test::with_sbuf(chip, kib));
      }
    }
  }
}

TEST(MatmulKernel, ComputesTheProductWithEveryNumberOfBuffers) {
  for (const char* buffers : {"1", "2", "3", "4", "9"}) {
    for (const std::string& schedule : kSchedules)
      expect_product(with(shape(140, 1030, 270), {{"schedule", schedule}, {"buffers", buffers}}), test::trn2_like());
  }
}

TEST(MatmulKernel, ComputesTheProductInEveryTypeThatTrn3Has) {
  for (const std::string dtype : {"fp32", "tf32", "fp16", "fp8_e4m3", "fp8_e5m2", "mxfp8", "mxfp4"}) {
    for (const std::uint64_t k : {5, 255, 256, 300, 385}) {
      for (const std::string& schedule : kSchedules) {
        expect_product(with(shape(33, 140, k), {{"dtype", dtype}, {"schedule", schedule}}), test::with_sbuf(test::trn3_like(), 16));
      }
    }
  }
}

struct Traffic {
  std::uint64_t read = 0, written = 0, macs = 0, useful = 0;
};

Traffic traffic(const KernelParams& params, const ChipConfig& chip) {
  Workload w = make_kernel("matmul", params, chip);
  Walker walker(*w.programs.at(0), chip, Walker::Numbers::Skip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  return {walker.hbm_read_bytes, walker.hbm_write_bytes, walker.macs, w.programs[0]->info().macs};
}

TEST(MatmulKernel, AProductThatFitsMovesEachOperandOnce) {
  const Traffic t = traffic(shape(256, 256, 256), test::trn2_like());
  EXPECT_EQ(t.read + t.written, 393'216U);
}

TEST(MatmulKernel, BytesScaleWithTheType) {
  const auto fp8 = traffic(with(shape(512, 512, 512), {{"dtype", "fp8_e4m3"}}), test::trn2_like());
  const auto bf16 = traffic(shape(512, 512, 512), test::trn2_like());
  const auto fp32 = traffic(with(shape(512, 512, 512), {{"dtype", "fp32"}}), test::trn2_like());
  EXPECT_EQ(bf16.read, 2 * fp8.read);
  EXPECT_EQ(fp32.read, 4 * fp8.read);
}

TEST(MatmulKernel, OnlyUsefulMacsAreCounted) {
  for (const std::uint64_t k : {1, 127, 128, 129, 255, 256, 257}) {
    const Traffic t = traffic(shape(128, 128, k), test::trn2_like());
    EXPECT_EQ(t.useful, 128 * 128 * k);
    EXPECT_EQ(t.macs, t.useful);
  }
  EXPECT_EQ(traffic(shape(5, 2, 2), test::trn2_like()).useful, 20U);
}

TEST(MatmulKernel, MacsOfMxTypesLeaveThePaddingOut) {
  const Traffic t = traffic(with(shape(3, 5, 7), {{"dtype", "mxfp8"}}), test::trn3_like());
  EXPECT_EQ(t.useful, 3U * 5 * 7);
  EXPECT_GT(t.macs, t.useful);
}

TEST(MatmulKernel, TheLargestProductIsCountedInClosedForm) {
  const Workload w = make_kernel("matmul", shape(65536, 65536, 65536), test::trn2_like());
  EXPECT_EQ(w.programs[0]->info().macs, std::uint64_t{1} << 48);
  EXPECT_EQ(w.programs[0]->info().flops, std::uint64_t{1} << 49);
  EXPECT_GT(w.programs[0]->info().instructions, 33'554'432U);
}

TEST(MatmulKernel, ABatchDoublesMacsAndBytes) {
  const Traffic one = traffic(shape(130, 600, 300), test::trn2_like());
  const Traffic two = traffic(with(shape(130, 600, 300), {{"batch", "2"}}), test::trn2_like());
  EXPECT_EQ(two.useful, 2 * one.useful);
  EXPECT_EQ(two.read, 2 * one.read);
  EXPECT_EQ(two.written, 2 * one.written);
}

TEST(MatmulKernel, MoreSbufNeverMovesMoreBytes) {
  for (const auto& [m, n, k] : {std::tuple{2048, 2048, 2048}, {1000, 3000, 700}, {4096, 512, 4096}, {128, 5000, 3000}}) {
    std::uint64_t before = ~std::uint64_t{0}, first = 0;
    for (const double kib : {8.0, 10.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0, 192.0, 224.0, 512.0}) {
      const Traffic t = traffic(shape(m, n, k), test::with_sbuf(test::trn2_like(), kib));
      EXPECT_LE(t.read, before) << m << ' ' << n << ' ' << k << ' ' << kib;
      before = t.read;
      if (first == 0) first = t.read;
    }
    EXPECT_LT(before, first);
  }
}

TEST(MatmulKernel, LargeShapesAreCompleteOnEveryChip) {
  for (const ChipConfig& chip : {test::trn1_like(), test::trn2_like(), test::trn3_like()}) {
    const Traffic t = traffic(shape(1111, 2222, 3333), chip);
    EXPECT_EQ(t.macs, 1111ULL * 2222 * 3333);
    EXPECT_EQ(t.written, 1111ULL * 2222 * 2);
  }
}

TEST(MatmulKernel, NaiveLoadsBothTilesForEveryMultiply) {
  const Traffic t = traffic(with(shape(256, 1024, 384), {{"schedule", "naive"}}), test::trn2_like());
  EXPECT_EQ(t.read, 2ULL * 2 * 3 * (128 * 128 + 128 * 512) * 2);
}

TEST(MatmulKernel, HoistedLoadsTheStationaryOperandOnce) {
  const Traffic t = traffic(with(shape(256, 1024, 384), {{"schedule", "hoisted"}}), test::trn2_like());
  EXPECT_EQ(t.read, (256ULL * 384 + 2 * 1024 * 384) * 2);
}

TEST(MatmulKernel, BlockedHalvesTheMovingTraffic) {
  const Traffic t = traffic(with(shape(512, 2048, 384), {{"schedule", "blocked"}}), test::trn2_like());
  EXPECT_EQ(t.read, (512ULL * 384 + 2 * 2048 * 384) * 2);
}

TEST(MatmulKernel, CoresShareTheRowsOfM) {
  Workload w = make_kernel("matmul", shape(1000, 300, 200), test::trn2_like(), 3);
  std::uint64_t macs = 0, rows = 0;
  for (std::size_t core = 0; core < 3; ++core) {
    Walker walker(*w.programs[core], test::trn2_like());
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    macs += w.programs[core]->info().macs;
    rows += w.programs[core]->info().tensors[2].shape[0];
    EXPECT_EQ(w.programs[core]->info().tensors[1].name, "rhs");
    EXPECT_EQ(w.programs[core]->info().tensors[0].name, fmt::format("lhsT.{}", core));
  }
  EXPECT_EQ(macs, 1000ULL * 300 * 200);
  EXPECT_EQ(rows, 1000U);
}

TEST(MatmulKernel, SbufTooSmallForTheSmallestBlockIsRefusedWithTheSizes) {
  try {
    make_kernel("matmul", shape(4096, 4096, 4096), test::with_sbuf(test::trn2_like(), 0.5));
    FAIL();
  } catch (const WorkloadError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("available 512 on trn2"), std::string::npos) << text;
    EXPECT_NE(text.find("lhsT 1 x 256 B"), std::string::npos) << text;
  }
}

TEST(MatmulKernel, TensorsLargerThanHbmAreRefusedWithTheSizes) {
  try {
    make_kernel("matmul", with(shape(65536, 65536, 65536), {{"batch", "8"}}), test::trn2_like());
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_NE(std::string(e.what()).find("rhs 68719476736 bytes"), std::string::npos) << e.what();
  }
}

TEST(MatmulKernel, DescriptionNamesLoopsBuffersAndTotals) {
  const std::string text = describe_kernel("matmul", shape(4096, 4096, 4096), test::trn2_like());
  for (const std::string part :
       {"loops:", "n block", "k block", "m block", "lhsT", "rhs", "stage", "psum", "of 229376 bytes per partition"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  }
}

}  // namespace
}  // namespace trnsim
