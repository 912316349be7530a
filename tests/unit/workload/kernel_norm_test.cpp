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

KernelParams params(const std::string& list) { return parse_params({list}); }
KernelParams norm(std::uint64_t rows, std::uint64_t cols, const std::string& dtype) {
  return params(fmt::format("rows={},cols={},dtype={}", rows, cols, dtype));
}

/// One port for Vector and GpSimd; Vector takes two cycles for FP32, one for BF16.
ChipConfig shared_port() {
  ChipConfig chip = test::trn1_like();
  chip.sequencer.vector_gpsimd_share_sbuf = true;
  chip.vector.tensor_tensor_sbuf = 2;
  chip.vector.tensor_tensor_16bit = 1;
  chip.gpsimd.two_input = 2;
  return chip;
}
/// Both engines at a time; the 16-bit rate of Vector only while GpSimd rests.
ChipConfig shared_bus() {
  ChipConfig chip = test::trn2_like();
  chip.sequencer.fast_modes_share_gpsimd_bus = true;
  chip.sequencer.vector_gpsimd_share_sbuf = false;
  chip.vector.clock_ghz = 0.96;
  chip.vector.tensor_tensor_sbuf = 1;
  chip.vector.tensor_tensor_16bit = 0.5;
  chip.gpsimd.clock_ghz = 1.2;
  chip.gpsimd.two_input = 2;
  return chip;
}

std::vector<ChipConfig> chips() { return {test::trn1_like(), test::trn2_like(), test::trn3_like()}; }

/// Walks the program of one core and fails with what breaks the rules.
Walker walked(const std::string& kernel, const KernelParams& given, const ChipConfig& chip) {
  Workload w = make_kernel(kernel, given, chip);
  Walker walker(*w.programs.at(0), chip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  return walker;
}

std::string message(const std::string& kernel, const std::string& list, unsigned cores = 1) {
  try {
    make_kernel(kernel, params(list), test::trn2_like(), cores);
  } catch (const WorkloadError& e) {
    return e.what();
  }
  return "";
}

const std::vector<std::pair<std::uint64_t, std::uint64_t>> kShapes{{1, 1}, {127, 33}, {128, 512}, {129, 1}, {130, 700}, {140, 1025}};

TEST(LayerNorm, FollowsTheRulesForOddShapesAndSbufSizes) {
  for (const auto& [rows, cols] : kShapes) {
    for (const double kib : {8.0, 16.0, 64.0}) {
      for (const ChipConfig& chip : chips()) {
        SCOPED_TRACE(fmt::format("{} {} {} {}", rows, cols, kib, chip.name));
        EXPECT_EQ(walked("layernorm", norm(rows, cols, "bf16"), test::with_sbuf(chip, kib)).hbm_write_bytes, rows * cols * 2);
      }
    }
  }
}

TEST(LayerNorm, UsesOnlyThePartitionsThereAre) {
  ChipConfig chip = test::trn2_like();
  chip.sbuf.partitions = 32;
  EXPECT_EQ(walked("layernorm", norm(130, 700, "fp32"), chip).hbm_write_bytes, 130ULL * 700 * 4);
}

TEST(LayerNorm, ReadsARowThatFitsOnceAndGammaAndBetaOnceIntoEveryPartition) {
  const Walker walker = walked("layernorm", norm(129, 2048, "fp32"), test::trn2_like());
  EXPECT_EQ(walker.read_bytes.at(0), 129ULL * 2048 * 4);
  EXPECT_EQ(walker.read_bytes.at(1), 128ULL * 2048 * 4);
  EXPECT_EQ(walker.read_bytes.at(2), 128ULL * 2048 * 4);
  EXPECT_EQ(walker.hbm_write_bytes, 129ULL * 2048 * 4);
}

TEST(LayerNorm, ReadsARowThatDoesNotFitTwice) {
  EXPECT_EQ(walked("layernorm", norm(128, 9000, "bf16"), test::with_sbuf(test::trn2_like(), 32)).read_bytes.at(0), 2ULL * 128 * 9000 * 2);
}

TEST(LayerNorm, MoreSbufNeverReadsMore) {
  std::uint64_t before = ~std::uint64_t{0};
  for (const double kib : {8.0, 16.0, 32.0, 64.0, 128.0, 224.0}) {
    const std::uint64_t read = walked("layernorm", norm(32, 6000, "bf16"), test::with_sbuf(test::trn2_like(), kib)).read_bytes.at(0);
    EXPECT_LE(read, before) << kib;
    before = read;
  }
}

TEST(LayerNorm, TheWidestRowsRunInPieces) {
  Workload w = make_kernel("layernorm", norm(1, 16777216, "fp32"), test::trn1_like());
  Walker walker(*w.programs.at(0), test::trn1_like(), Walker::Numbers::Skip);
  walker.run();
  EXPECT_TRUE(walker.problems().empty()) << walker.report();
  EXPECT_EQ(walker.hbm_write_bytes, 16777216ULL * 4);
}

TEST(LayerNorm, TakesStatisticsOfAtMost512ColumnsAndNormalisesPieceByPiece) {
  const Walker walker = walked("layernorm", norm(129, 8192, "fp32"), shared_bus());
  EXPECT_EQ(walker.count.at("vector bn_stats"), 2U * 16);
  EXPECT_EQ(walker.count.at("vector bn_aggr"), 2U);
  EXPECT_EQ(walker.count.at("scalar activation"), 2U * 4);  // pieces of 8 KiB
  EXPECT_EQ(walker.count.at("vector tensor_tensor"), 2U * 4);
  EXPECT_EQ(walker.count.at("gpsimd tensor_tensor"), 2U * 4);
}

TEST(LayerNorm, GpSimdAddsBetaOnlyWhereThatIsFaster) {
  const Walker wide = walked("layernorm", norm(128, 512, "fp32"), shared_bus());
  EXPECT_EQ(wide.count.count("gpsimd tensor_tensor"), 1U);
  const Walker narrow = walked("layernorm", norm(128, 512, "bf16"), shared_port());
  EXPECT_EQ(narrow.count.count("gpsimd tensor_tensor"), 0U);
}

TEST(LayerNorm, CountsSevenOperationsPerElementAndNoMultiplyAccumulates) {
  const Workload w = make_kernel("layernorm", norm(100, 300, "bf16"), test::trn2_like());
  EXPECT_EQ(w.programs[0]->info().flops, 7ULL * 100 * 300);
  EXPECT_EQ(w.programs[0]->info().macs, 0U);
}

TEST(LayerNorm, CoresShareTheRows) {
  Workload w = make_kernel("layernorm", norm(1000, 64, "bf16"), test::trn2_like(), 4);
  std::uint64_t written = 0;
  for (const auto& program : w.programs) {
    Walker walker(*program, test::trn2_like());
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    written += walker.hbm_write_bytes;
  }
  EXPECT_EQ(written, 1000ULL * 64 * 2);
}

const std::vector<std::string> kRopes{"seq=1,head_dim=2", "seq=127,heads=3,head_dim=6", "seq=130,heads=9,head_dim=64,batch=2",
                                      "seq=300,heads=2,head_dim=128,dtype=fp32", "seq=2,heads=1,head_dim=1024,batch=3"};

TEST(Rope, FollowsTheRulesForOddShapesAndSbufSizes) {
  for (const std::string& list : kRopes) {
    for (const double kib : {24.0, 64.0, 192.0}) {
      for (const ChipConfig& chip : chips()) {
        SCOPED_TRACE(fmt::format("{} {} {}", list, kib, chip.name));
        walked("rope", params(list), test::with_sbuf(chip, kib));
      }
    }
  }
}

TEST(Rope, RotatesTheHalvesOfEveryHead) {
  constexpr std::uint64_t kBatch = 2, kSeq = 130, kHeads = 5, kDim = 6;
  Workload w = make_kernel("rope", params("batch=2,seq=130,heads=5,head_dim=6,dtype=fp32"), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like());
  auto &x = walker.input(0), &c = walker.input(1), &s = walker.input(2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 101);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<double>(i % 7), s[i] = static_cast<double>(i % 5);
  const auto in = x, cosine = c, sine = s;
  walker.run();
  ASSERT_TRUE(walker.problems().empty()) << walker.report();
  for (std::uint64_t row = 0; row < kBatch * kSeq * kHeads; ++row) {
    for (std::uint64_t d = 0; d < kDim / 2; ++d) {
      const std::uint64_t low = row * kDim + d, high = low + kDim / 2, at = row / kHeads % kSeq * (kDim / 2) + d;
      ASSERT_EQ(walker.output(3)[low], in[low] * cosine[at] - in[high] * sine[at]) << row << ' ' << d;
      ASSERT_EQ(walker.output(3)[high], in[high] * cosine[at] + in[low] * sine[at]) << row << ' ' << d;
    }
  }
}

TEST(Rope, LoadsTheTablesOnceForAllHeadsAndSequences) {
  const Walker walker = walked("rope", params("batch=3,seq=256,heads=10,head_dim=128"), test::trn2_like());
  EXPECT_EQ(walker.read_bytes.at(0), 3ULL * 256 * 10 * 128 * 2);
  EXPECT_EQ(walker.read_bytes.at(1), 256ULL * 64 * 2);
  EXPECT_EQ(walker.read_bytes.at(2), 256ULL * 64 * 2);
  EXPECT_EQ(walker.hbm_write_bytes, 3ULL * 256 * 10 * 128 * 2);
}

TEST(Rope, GivesGpSimdAShareWhereTheEnginesWorkSideBySide) {
  const Walker wide = walked("rope", params("seq=128,heads=8,dtype=fp32"), shared_bus());
  EXPECT_EQ(wide.count.at("gpsimd tensor_tensor"), 2U);
  EXPECT_EQ(wide.count.at("vector tensor_tensor"), 4U);
  const Walker narrow = walked("rope", params("seq=128,heads=8,dtype=bf16"), shared_bus());  // the 16-bit rate would be lost
  EXPECT_EQ(narrow.count.at("vector tensor_tensor"), 6U);
}

TEST(Rope, CountsThreeOperationsPerElement) {
  const Workload w = make_kernel("rope", params("batch=2,seq=9,heads=3,head_dim=64"), test::trn2_like());
  EXPECT_EQ(w.programs[0]->info().flops, 3ULL * 2 * 9 * 3 * 64);
}

TEST(Rope, CoresShareTheTokens) {
  Workload w = make_kernel("rope", params("seq=1000,heads=4,batch=2"), test::trn2_like(), 4);
  std::uint64_t written = 0;
  for (const auto& program : w.programs) {
    Walker walker(*program, test::trn2_like());
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    written += walker.hbm_write_bytes;
  }
  EXPECT_EQ(written, 2ULL * 1000 * 4 * 128 * 2);
}

TEST(Rope, AnOddHeadDimensionIsRefused) {
  EXPECT_NE(message("rope", "seq=16,head_dim=65").find("head_dim=65: allowed are even numbers"), std::string::npos);
}

TEST(Rope, AHeadTooWideForSbufNamesTheBuffers) {
  try {
    make_kernel("rope", params("seq=128,head_dim=1024,dtype=fp32"), test::with_sbuf(test::trn2_like(), 8));
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_NE(std::string(e.what()).find("kernel rope: its buffers take"), std::string::npos) << e.what();
  }
}

const std::vector<std::pair<std::uint64_t, std::uint64_t>> kParameters{{1, 1}, {1, 127}, {3, 43}, {1, 1000}, {3, 2049}, {40, 1025}};

TEST(AdamW, FollowsTheRulesForOddShapesAndSbufSizes) {
  for (const auto& [rows, cols] : kParameters) {
    for (const std::string dtype : {"fp32", "bf16"}) {
      for (const double kib : {8.0, 24.0, 192.0}) {
        for (const ChipConfig& chip : chips()) {
          SCOPED_TRACE(fmt::format("{} {} {} {} {}", rows, cols, dtype, kib, chip.name));
          walked("adamw", norm(rows, cols, dtype), test::with_sbuf(chip, kib));
        }
      }
    }
  }
}

TEST(AdamW, ReadsFourTensorsAndWritesThree) {
  const Walker wide = walked("adamw", norm(60, 2049, "fp32"), test::trn2_like());
  EXPECT_EQ(wide.hbm_read_bytes, 16ULL * 60 * 2049);
  EXPECT_EQ(wide.hbm_write_bytes, 12ULL * 60 * 2049);
  const Walker narrow = walked("adamw", norm(60, 2049, "bf16"), test::trn2_like());
  EXPECT_EQ(narrow.hbm_read_bytes, 12ULL * 60 * 2049);
  EXPECT_EQ(narrow.hbm_write_bytes, 10ULL * 60 * 2049);
}

TEST(AdamW, SpreadsTheWorkOverThreeEngines) {
  const Walker walker = walked("adamw", norm(128, 2049, "fp32"), test::trn2_like());
  EXPECT_EQ(walker.count.at("scalar activation"), 2U * 4);
  EXPECT_EQ(walker.count.at("vector scalar_tensor_tensor"), 2U * 3);
  EXPECT_EQ(walker.count.at("gpsimd tensor_tensor"), 2U);
}

TEST(AdamW, TheShapeDoesNotMatterOnlyTheNumberOfElements) {
  EXPECT_EQ(walked("adamw", norm(256, 300, "fp32"), test::trn2_like()).instructions,
            walked("adamw", norm(300, 256, "fp32"), test::trn2_like()).instructions);
}

TEST(AdamW, CountsFourteenOperationsPerElement) {
  const Workload w = make_kernel("adamw", norm(7, 11, "fp32"), test::trn2_like());
  EXPECT_EQ(w.programs[0]->info().flops, 14ULL * 77);
}

TEST(AdamW, CoresShareTheElements) {
  Workload w = make_kernel("adamw", norm(100, 777, "bf16"), test::trn2_like(), 8);
  std::uint64_t written = 0;
  for (const auto& program : w.programs) {
    Walker walker(*program, test::trn2_like());
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    written += walker.hbm_write_bytes;
  }
  EXPECT_EQ(written, 10ULL * 100 * 777);
}

TEST(NormKernels, MoreCoresThanPartsAreRefused) {
  EXPECT_NE(message("layernorm", "rows=2,cols=8", 4).find("4 cores, but only 2 rows to share"), std::string::npos);
  EXPECT_NE(message("rope", "seq=2", 4).find("4 cores, but only 2 tokens of a sequence to share"), std::string::npos);
  EXPECT_NE(message("adamw", "rows=1,cols=3", 4).find("4 cores, but only 3 elements to share"), std::string::npos);
}

TEST(NormKernels, TensorsLargerThanHbmAreRefusedWithTheirSizes) {
  EXPECT_NE(message("adamw", "rows=1048576,cols=65536").find("m 274877906944 bytes"), std::string::npos);
  EXPECT_NE(message("layernorm", "rows=1048576,cols=65536,dtype=fp32").find("x 274877906944 bytes"), std::string::npos);
  EXPECT_NE(message("rope", "seq=1048576,heads=1024").find("x 274877906944 bytes"), std::string::npos);
}

TEST(NormKernels, TypesOfIntegersAreRefused) {
  for (const std::string kernel : {"layernorm", "adamw"})
    EXPECT_NE(message(kernel, "rows=2,cols=8,dtype=int8").find("fp32"), std::string::npos) << kernel;
}

}  // namespace
}  // namespace trnsim
