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

KernelParams shape(std::uint64_t rows, std::uint64_t cols, const std::string& dtype) {
  return {{"rows", std::to_string(rows)}, {"cols", std::to_string(cols)}, {"dtype", dtype}};
}

const std::vector<std::pair<std::uint64_t, std::uint64_t>> kShapes{{1, 1}, {127, 33}, {128, 512}, {129, 1}, {200, 700}, {130, 4097}};

TEST(RowKernels, FollowTheRulesForOddShapesAndSbufSizes) {
  for (const std::string name : {"vector_add", "softmax", "rmsnorm"}) {
    for (const auto& [rows, cols] : kShapes) {
      for (const double kib : {8.0, 24.0}) {
        SCOPED_TRACE(fmt::format("{} {} {} {}", name, rows, cols, kib));
        const ChipConfig chip = test::with_sbuf(test::trn2_like(), kib);
        Workload w = make_kernel(name, shape(rows, cols, "bf16"), chip);
        Walker walker(*w.programs.at(0), chip);
        walker.run();
        EXPECT_TRUE(walker.problems().empty()) << walker.report();
        EXPECT_EQ(walker.hbm_write_bytes, rows * cols * 2);
      }
    }
  }
}

TEST(RowKernels, UseOnlyThePartitionsThereAre) {
  ChipConfig chip = test::trn2_like();
  chip.sbuf.partitions = 32;
  for (const std::string name : {"vector_add", "softmax", "rmsnorm"}) {
    for (const auto& [rows, cols] : kShapes) {
      SCOPED_TRACE(fmt::format("{} {} {}", name, rows, cols));
      Workload w = make_kernel(name, shape(rows, cols, "bf16"), chip);
      Walker walker(*w.programs.at(0), chip);
      walker.run();
      EXPECT_TRUE(walker.problems().empty()) << walker.report();
      EXPECT_EQ(walker.hbm_write_bytes, rows * cols * 2);
    }
  }
}

TEST(RowKernels, VectorAddAdds) {
  Workload w = make_kernel("vector_add", shape(200, 3000, "fp32"), test::trn1_like());
  Walker walker(*w.programs.at(0), test::trn1_like());
  auto &x = walker.input(0), &y = walker.input(1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i), y[i] = static_cast<double>(i % 13);
  walker.run();
  ASSERT_TRUE(walker.problems().empty()) << walker.report();
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(walker.output(2)[i], x[i] + y[i]);
}

TEST(RowKernels, VectorAddMovesEachElementThreeTimes) {
  Workload w = make_kernel("vector_add", shape(300, 5000, "fp32"), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like());
  walker.run();
  EXPECT_EQ(walker.hbm_read_bytes, 2ULL * 300 * 5000 * 4);
  EXPECT_EQ(walker.hbm_write_bytes, 300ULL * 5000 * 4);
  EXPECT_EQ(w.programs[0]->info().flops, 300ULL * 5000);
}

TEST(RowKernels, ARowThatFitsIsReadOnce) {
  Workload w = make_kernel("softmax", shape(256, 8192, "bf16"), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like());
  walker.run();
  EXPECT_EQ(walker.hbm_read_bytes, 256ULL * 8192 * 2);
}

TEST(RowKernels, ARowThatDoesNotFitIsReadInPasses) {
  const ChipConfig chip = test::with_sbuf(test::trn2_like(), 16);
  Workload w = make_kernel("softmax", shape(128, 8192, "bf16"), chip);
  Walker walker(*w.programs.at(0), chip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  EXPECT_EQ(walker.hbm_read_bytes, 3ULL * 128 * 8192 * 2);
}

TEST(RowKernels, MoreSbufNeverReadsMore) {
  for (const std::string name : {"softmax", "rmsnorm"}) {
    std::uint64_t before = ~std::uint64_t{0};
    for (const double kib : {8.0, 16.0, 32.0, 64.0, 128.0, 224.0}) {
      const ChipConfig chip = test::with_sbuf(test::trn2_like(), kib);
      Workload w = make_kernel(name, shape(128, 6000, "bf16"), chip);
      Walker walker(*w.programs.at(0), chip);
      walker.run();
      EXPECT_LE(walker.read_bytes[0], before) << name << ' ' << kib;
      before = walker.read_bytes[0];
    }
  }
}

TEST(RowKernels, GammaIsLoadedOnceForRowsThatFit) {
  Workload w = make_kernel("rmsnorm", shape(512, 2048, "bf16"), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like());
  walker.run();
  EXPECT_EQ(walker.read_bytes[1], 128ULL * 2048 * 2);  // one row into every partition
}

TEST(RowKernels, CoresShareTheRows) {
  Workload w = make_kernel("softmax", shape(1000, 64, "bf16"), test::trn2_like(), 4);
  ASSERT_EQ(w.programs.size(), 4U);
  std::uint64_t written = 0;
  for (const auto& program : w.programs) {
    Walker walker(*program, test::trn2_like());
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    written += walker.hbm_write_bytes;
  }
  EXPECT_EQ(written, 1000ULL * 64 * 2);
}

TEST(RowKernels, TensorsLargerThanHbmAreRefusedWithTheirSizes) {
  try {
    make_kernel("softmax", shape(1 << 20, 1 << 16, "fp32"), test::trn2_like());
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_NE(std::string(e.what()).find("x 274877906944 bytes"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace trnsim
