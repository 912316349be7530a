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

KernelParams params(std::uint64_t bytes, std::uint64_t bytes_per_partition, const std::string& from, const std::string& to) {
  return {{"bytes", std::to_string(bytes)}, {"bytes_per_partition", std::to_string(bytes_per_partition)}, {"from", from}, {"to", to}};
}

TEST(CopyKernel, MovesExactlyTheBytes) {
  for (const std::string from : {"hbm", "sbuf"}) {
    for (const std::string to : {"hbm", "sbuf"}) {
      for (const std::uint64_t bytes : {1ULL, 127ULL, 128ULL, 129ULL, 65536ULL, 100'001ULL}) {
        for (const std::uint64_t row : {1ULL, 4ULL, 100ULL, 2048ULL}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", from, to, bytes, row));
          Workload w = make_kernel("copy", params(bytes, row, from, to), test::trn2_like());
          Walker walker(*w.programs.at(0), test::trn2_like());
          walker.unwritten_allowed = from == "sbuf";
          walker.run();
          EXPECT_TRUE(walker.problems().empty()) << walker.report();
          EXPECT_EQ(walker.hbm_read_bytes, from == "hbm" ? bytes : 0);
          EXPECT_EQ(walker.hbm_write_bytes, to == "hbm" ? bytes : 0);
        }
      }
    }
  }
}

TEST(CopyKernel, UsesOnlyThePartitionsThereAre) {
  ChipConfig chip = test::trn2_like();
  chip.sbuf.partitions = 32;
  for (const std::uint64_t bytes : {1ULL, 31ULL, 33ULL, 100'001ULL}) {
    Workload w = make_kernel("copy", params(bytes, 100, "hbm", "sbuf"), chip);
    Walker walker(*w.programs.at(0), chip);
    walker.run();
    EXPECT_TRUE(walker.problems().empty()) << walker.report();
    EXPECT_EQ(walker.hbm_read_bytes, bytes);
  }
}

TEST(CopyKernel, KeepsTheOrderOfTheBytes) {
  Workload w = make_kernel("copy", params(70'003, 256, "hbm", "hbm"), test::trn2_like());
  Walker walker(*w.programs.at(0), test::trn2_like());
  for (std::size_t i = 0; i < walker.input(0).size(); ++i) walker.input(0)[i] = static_cast<double>(i);
  walker.run();
  for (std::size_t i = 0; i < 70'003; ++i) ASSERT_EQ(walker.output(1)[i], static_cast<double>(i));
}

TEST(CopyKernel, SpreadsCopiesOverTheRings) {
  KernelParams p = params(1 << 20, 2048, "hbm", "sbuf");
  p["dma_queues"] = "3";
  Workload w = make_kernel("copy", p, test::trn2_like());
  unsigned copies = 0;
  while (const Record* r = w.programs[0]->next()) {
    if (r->kind == Record::Kind::Instruction) {
      EXPECT_EQ(r->instruction.ring, copies++ % 3);
    }
  }
  EXPECT_EQ(copies, 4U);
}

TEST(CopyKernel, OneRingIsTheDefaultRing) {
  Workload w = make_kernel("copy", params(4096, 32, "hbm", "sbuf"), test::trn2_like());
  while (const Record* r = w.programs[0]->next()) {
    if (r->kind == Record::Kind::Instruction) {
      EXPECT_EQ(r->instruction.ring, kDefaultRing);
    }
  }
}

TEST(CopyKernel, RowsThatDoNotFitSbufAreRefusedWithTheSizes) {
  try {
    make_kernel("copy", params(64 << 20, 300'000, "hbm", "sbuf"), test::trn2_like());
    FAIL();
  } catch (const WorkloadError& e) {
    EXPECT_NE(std::string(e.what()).find("300000 bytes per partition of SBUF, available 229376"), std::string::npos) << e.what();
  }
}

TEST(CopyKernel, OneTileMayFillSbufToTheLastByte) {
  EXPECT_NO_THROW(make_kernel("copy", params(64 << 20, 229'376, "hbm", "sbuf"), test::trn2_like()));
  EXPECT_THROW(make_kernel("copy", params(64 << 20, 229'377, "hbm", "sbuf"), test::trn2_like()), WorkloadError);
}

TEST(CopyKernel, ZeroBytesAreRefused) { EXPECT_THROW(make_kernel("copy", params(0, 32, "hbm", "sbuf"), test::trn2_like()), WorkloadError); }

TEST(CopyKernel, CoresShareTheBytes) {
  Workload w = make_kernel("copy", params(1'000'000, 2048, "hbm", "sbuf"), test::trn2_like(), 3);
  std::uint64_t total = 0;
  for (const auto& program : w.programs) {
    Walker walker(*program, test::trn2_like());
    walker.run();
    total += walker.hbm_read_bytes;
  }
  EXPECT_EQ(total, 1'000'000U);
}

TEST(CopyKernel, TakesTheRingWithTheFewestBytes) {
  KernelParams p = params((1 << 20) + 128 * 64, 2048, "hbm", "sbuf");  // a short copy at the end
  p["dma_queues"] = "2";
  Workload w = make_kernel("copy", p, test::trn2_like());
  std::uint64_t bytes[2] = {};
  while (const Record* r = w.programs[0]->next()) {
    if (r->kind != Record::Kind::Instruction) continue;
    EXPECT_LE(bytes[r->instruction.ring], bytes[1 - r->instruction.ring]);
    bytes[r->instruction.ring] += r->instruction.operands[0].bytes();
  }
  EXPECT_EQ(bytes[0] + bytes[1], (1U << 20) + 128 * 64);
}

TEST(CopyKernel, TakesTheDescriptorsAskedForIfTheChipHasThem) {
  KernelParams p = params(4096, 32, "hbm", "sbuf");
  p["dge"] = "static";
  Workload w = make_kernel("copy", p, test::trn2_like());
  while (const Record* r = w.programs[0]->next()) {
    if (r->kind == Record::Kind::Instruction) {
      EXPECT_EQ(r->instruction.dge, DgeMode::Static);
    }
  }
  ChipConfig chip = test::trn2_like();
  chip.dma.static_mode.available = false;
  try {
    make_kernel("copy", p, chip);
    FAIL();
  } catch (const WorkloadError& error) {
    EXPECT_NE(std::string(error.what()).find("parameter dge=static is not allowed; allowed: default"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace trnsim
