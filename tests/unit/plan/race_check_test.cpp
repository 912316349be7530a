// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Races of small programs: each kind with its wait, and without.
#include <gtest/gtest.h>

#include "support/program_builder.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"
#include "trnsim/races.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;

constexpr std::uint32_t kColumns = 64;  ///< Of a tile: 128 bytes in BF16.

const ChipConfig& chip() {
  static const ChipConfig config = [] {
    std::vector<std::string> warnings;
    return load_chip("trn2", {}, warnings);
  }();
  return config;
}

class Races : public ::testing::Test {
 protected:
  RaceReport report(bool explicit_waits = true, std::size_t most = 20) {
    const auto program = builder.take();
    return find_races(*program, chip(), {explicit_waits, most});
  }
  /// The only race.
  Race race(bool explicit_waits = true) {
    const RaceReport found = report(explicit_waits);
    EXPECT_EQ(found.found, 1U);
    return found.races.empty() ? Race{} : found.races.front();
  }

  static Operand part(TensorId tile, std::uint32_t first, std::uint32_t columns, std::uint32_t partitions = 128) {
    return ProgramBuilder::on_chip(tile, Buffer::Sbuf, partitions, columns, DType::Bf16, first * std::uint64_t{2});
  }
  static Operand all(TensorId tile) { return part(tile, 0, kColumns); }
  Instruction& fill(const Operand& dst, EngineKind engine = EngineKind::Vector) { return builder.add(Opcode::Memset, engine, {dst}); }
  Instruction& copy(const Operand& dst, const Operand& src, EngineKind engine = EngineKind::Vector) {
    return builder.add(Opcode::TensorCopy, engine, {dst, src});
  }
  TensorId tile() { return builder.sbuf(128, 2 * kColumns); }
  TensorId tile_at(std::int64_t address) { return builder.tile(Buffer::Sbuf, 128, 2 * kColumns, address); }

  /// The later of two instructions waits for the earlier one.
  static void wait(Instruction& later, std::uint64_t id) { later.after[later.after_count++] = id; }

  ProgramBuilder builder;
};

TEST_F(Races, ReadThatDoesNotWaitForAnotherEnginesWrite) {
  const TensorId x = tile(), y = tile();
  fill(all(x));
  copy(all(y), all(x), EngineKind::Scalar);
  const Race found = race();
  EXPECT_EQ(found.kind, RaceKind::ReadBeforeWrite);
  EXPECT_EQ(found.first.line, 1U);
  EXPECT_EQ(found.second.line, 2U);
  EXPECT_EQ(found.wait_line, 1U);
  EXPECT_EQ(found.second.operand, "tile 't0' (sbuf), partitions 0-127, bytes 0-127");
}

TEST_F(Races, ReadThatWaits) {
  const TensorId x = tile(), y = tile();
  fill(all(x)).id = 1;
  wait(copy(all(y), all(x), EngineKind::Scalar), 1);
  EXPECT_EQ(report().found, 0U);
}

TEST_F(Races, WriteThatDoesNotWaitForAnotherEnginesRead) {
  const TensorId x = tile(), y = tile();
  fill(all(x), EngineKind::GpSimd).id = 1;
  wait(copy(all(y), all(x), EngineKind::Scalar), 1);
  fill(all(x), EngineKind::GpSimd);
  const Race found = race();
  EXPECT_EQ(found.kind, RaceKind::WriteAfterRead);
  EXPECT_EQ(found.first.line, 2U);
  EXPECT_EQ(found.second.line, 3U);
}

TEST_F(Races, WriteThatWaitsForTheRead) {
  const TensorId x = tile(), y = tile();
  fill(all(x), EngineKind::GpSimd).id = 1;
  Instruction& reader = copy(all(y), all(x), EngineKind::Scalar);
  wait(reader, 1);
  reader.id = 2;
  wait(fill(all(x), EngineKind::GpSimd), 2);
  EXPECT_EQ(report().found, 0U);
}

TEST_F(Races, TwoWritesOfOnePlace) {
  const TensorId x = tile();
  fill(part(x, 0, 33));
  fill(part(x, 32, 32), EngineKind::GpSimd);
  EXPECT_EQ(race().kind, RaceKind::OverlappingWrites);
}

TEST_F(Races, WritesSideBySideAreNone) {
  const TensorId x = tile();
  fill(part(x, 0, 32));
  fill(part(x, 32, 32), EngineKind::GpSimd);
  EXPECT_EQ(report().found, 0U);
}

TEST_F(Races, PatternsThatInterleaveAreNone) {
  const TensorId x = tile();
  Operand even = part(x, 0, 32), odd = part(x, 1, 32);
  even.free[0].stride = odd.free[0].stride = 2;
  fill(even);
  fill(odd, EngineKind::GpSimd);
  EXPECT_EQ(report().found, 0U);
}

TEST_F(Races, AnEngineFollowsItself) {
  const TensorId x = tile(), y = tile();
  fill(all(x));
  copy(all(y), all(x));
  fill(all(x));
  EXPECT_EQ(report().found, 0U);
}

TEST_F(Races, WaitsReachThroughOtherEngines) {
  const TensorId x = tile(), y = tile(), z = tile();
  fill(all(x)).id = 1;
  Instruction& between = copy(all(y), all(x), EngineKind::Scalar);
  wait(between, 1);
  between.id = 2;
  wait(copy(all(z), all(x), EngineKind::GpSimd), 2);
  EXPECT_EQ(report().found, 0U);
}

TEST_F(Races, WhatAnEngineDidBeforeIsKnownToo) {
  const TensorId x = tile(), y = tile(), z = tile();
  fill(all(x));
  fill(all(y)).id = 1;
  wait(copy(all(z), all(y), EngineKind::Scalar), 1);
  copy(all(z), all(x), EngineKind::Scalar);
  EXPECT_EQ(report().found, 0U);
}

TEST_F(Races, AnEngineDoesNotWaitForTheCopyItTriggered) {
  const TensorId a = builder.hbm("a", {128, kColumns}, DType::Bf16, TensorUse::Input);
  const TensorId x = tile(), y = tile();
  builder.load(x, a, 128, kColumns).engine = EngineKind::Scalar;
  copy(all(y), all(x), EngineKind::Scalar);
  EXPECT_EQ(race().kind, RaceKind::ReadBeforeWrite);
}

TEST_F(Races, CopiesOfARingCompleteInOrderButDoNotWaitForEachOther) {
  const TensorId a = builder.hbm("a", {128, kColumns}, DType::Bf16, TensorUse::Input);
  const TensorId b = builder.hbm("b", {128, kColumns});
  const TensorId x = tile();
  builder.load(x, a, 128, kColumns);
  builder.load(x, a, 128, kColumns);  // the second one ends last
  EXPECT_EQ(find_races(*builder.take(), chip(), {true, 20}).found, 0U);

  ProgramBuilder other;
  const TensorId c = other.hbm("a", {128, kColumns}, DType::Bf16, TensorUse::Input);
  const TensorId d = other.hbm("b", {128, kColumns});
  const TensorId y = other.sbuf(128, 2 * kColumns);
  other.load(y, c, 128, kColumns);
  other.store(d, y, 128, kColumns);
  const RaceReport found = find_races(*other.take(), chip(), {true, 20});
  ASSERT_EQ(found.found, 1U);
  EXPECT_EQ(found.races[0].kind, RaceKind::ReadBeforeWrite);
  EXPECT_NE(b, a);
}

TEST_F(Races, TwoQueuesWriteOneTensor) {
  const TensorId a = builder.hbm("a", {128, kColumns}, DType::Bf16, TensorUse::Output);
  const TensorId x = tile();
  fill(all(x)).id = 1;
  wait(builder.store(a, x, 128, kColumns), 1);
  Instruction& second = builder.store(a, x, 128, kColumns);
  wait(second, 1);
  second.ring = 1;
  const Race found = race();
  EXPECT_EQ(found.kind, RaceKind::OverlappingWrites);
  EXPECT_EQ(found.second.operand, "tensor 'a' (hbm), bytes 0-16383");
}

TEST_F(Races, ALaterLineMayBeWaitedFor) {
  const TensorId x = tile(), y = tile();
  Instruction& reader = copy(all(y), all(x), EngineKind::Scalar);
  wait(reader, 1);
  fill(all(x)).id = 1;
  const auto program = builder.take();
  test::ListProgram again;
  again.info_ = program->info_;
  again.records = program->records;
  EXPECT_EQ(find_races(*program, chip(), {true, 20}).found, 0U);
  EXPECT_EQ(find_races(again, chip(), {false, 20}).found, 0U);
}

TEST_F(Races, EnginesThatWaitForEachOtherAreRefused) {
  const TensorId x = tile(), y = tile();
  fill(all(x));
  wait(fill(all(x), EngineKind::GpSimd), 2);
  wait(fill(all(y)), 1);
  fill(all(y), EngineKind::GpSimd).id = 1;
  fill(all(y)).id = 2;
  EXPECT_THROW(report(), ProgramError);
}

TEST_F(Races, FixedTilesThatFollowEachOther) {
  const TensorId x = tile_at(0), y = tile();
  fill(all(x)).id = 1;
  wait(copy(all(y), all(x), EngineKind::Scalar), 1);
  builder.release(x);
  const TensorId z = tile_at(0);
  fill(all(z));
  const Race found = race();
  EXPECT_EQ(found.kind, RaceKind::WriteAfterRead);
  EXPECT_EQ(found.first.line, 2U);
}

TEST_F(Races, TileThatIsOverwrittenThroughAnother) {
  const TensorId x = tile_at(0), y = tile();
  fill(all(x));
  const TensorId z = tile_at(64);
  fill(all(z));
  copy(all(y), all(x));
  const Race found = race(false);
  EXPECT_EQ(found.kind, RaceKind::Overwritten);
  EXPECT_EQ(found.first.line, 2U);
  EXPECT_EQ(found.second.line, 3U);
}

TEST_F(Races, TilesSideBySideAreNotOverwritten) {
  const TensorId x = tile_at(0), y = tile();
  fill(all(x));
  const TensorId z = tile_at(128);
  fill(all(z));
  copy(all(y), all(x));
  EXPECT_EQ(report(false).found, 0U);
}

TEST_F(Races, OneTileMayBeAViewOfAnother) {
  const TensorId x = tile_at(0), view = tile_at(0), y = tile();
  fill(all(x));
  copy(all(y), all(view));
  EXPECT_EQ(report(false).found, 0U);
}

TEST_F(Races, ReadOfATileNobodyWrote) {
  const TensorId x = tile(), y = tile();
  copy(all(y), all(x));
  const Race found = race(false);
  EXPECT_EQ(found.kind, RaceKind::NeverWritten);
  EXPECT_EQ(found.second.line, 1U);
  EXPECT_EQ(found.detail, "the first in partition 0, byte 0");
}

TEST_F(Races, ReadOfMoreThanWasWritten) {
  const TensorId x = tile(), y = tile();
  fill(part(x, 0, 40));
  copy(all(y), all(x));
  EXPECT_EQ(race(false).detail, "the first in partition 0, byte 80");
}

TEST_F(Races, ReadOfMorePartitionsThanWereWritten) {
  const TensorId x = tile(), y = tile();
  fill(part(x, 0, kColumns, 96));
  copy(all(y), all(x));
  EXPECT_EQ(race(false).detail, "the first in partition 96, byte 0");
}

TEST_F(Races, PartsThatMakeUpATile) {
  const TensorId x = tile(), y = tile();
  Operand even = part(x, 0, 32), odd = part(x, 1, 32);
  even.free[0].stride = odd.free[0].stride = 2;
  fill(even);
  fill(odd);
  copy(all(y), all(x));
  EXPECT_EQ(report(false).found, 0U);
}

TEST_F(Races, ATileOfTheSamePlaceStartsEmpty) {
  const TensorId x = tile_at(0);
  fill(all(x));
  builder.release(x);
  const TensorId z = tile_at(0), y = tile();
  copy(all(y), all(z));
  EXPECT_EQ(race(false).kind, RaceKind::NeverWritten);
}

TEST_F(Races, AccumulatingReadsPsum) {
  const TensorId w = builder.sbuf(128, 256), m = builder.sbuf(128, 1024), acc = builder.psum(128, 2048);
  fill(part(w, 0, 128));
  fill(part(m, 0, 512));
  builder.matmul(acc, w, m, 128, 128, 512, DType::Bf16, true);
  EXPECT_EQ(race(false).second.line, 3U);
}

TEST_F(Races, AllAreCountedAndSomeDescribed) {
  const TensorId x = tile(), y = tile();
  for (int k = 0; k < 8; ++k) {
    fill(all(x));
    copy(all(y), all(x), EngineKind::Scalar);
  }
  const RaceReport found = report(true, 3);
  EXPECT_EQ(found.races.size(), 3U);
  EXPECT_GT(found.found, 8U);
  EXPECT_TRUE(found.complete);
}

}  // namespace
}  // namespace trnsim
