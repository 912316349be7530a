// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/spilling.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/program_builder.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;

ChipConfig small_chip() {
  std::vector<std::string> warnings;
  return load_chip("trn2", {{"sbuf.kib_per_partition=1"}, false}, warnings);
}

/// What a program hands out, in words: "tile 1", "release 1", "out 1", "in 1", "use 2 1".
std::vector<std::string> words(Program& program) {
  std::vector<std::string> all;
  while (const Record* record = program.next()) {
    if (record->kind == Record::Kind::Tile) all.push_back("tile " + std::to_string(record->tile));
    if (record->kind == Record::Kind::Release) all.push_back("release " + std::to_string(record->tile));
    if (record->kind != Record::Kind::Instruction) continue;
    const Operand &to = record->instruction.operands[0], &from = record->instruction.operands[1];
    if (record->instruction.op != Opcode::DmaCopy) {
      all.push_back("use " + std::to_string(to.tensor) + " " + std::to_string(from.tensor));
    } else {
      all.push_back(to.buffer == Buffer::Hbm ? "out " + std::to_string(from.tensor) : "in " + std::to_string(to.tensor));
    }
  }
  return all;
}

/// Copies between tiles of 128 partitions × 400 bytes, of which two fit.
class Spilling : public ::testing::Test {
 protected:
  TensorId tile() { return builder_.sbuf(128, 400); }
  void copy(TensorId to, TensorId from) {
    builder_.add(Opcode::TensorCopy, EngineKind::Vector,
                 {ProgramBuilder::on_chip(to, Buffer::Sbuf, 128, 200), ProgramBuilder::on_chip(from, Buffer::Sbuf, 128, 200)});
  }
  void write(TensorId to) { builder_.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(to, Buffer::Sbuf, 128, 200)}); }
  SpillingProgram program() { return {small_chip(), 0, builder_.take()}; }

  ProgramBuilder builder_;
};

TEST_F(Spilling, WhatFitsIsLeftAsItIs) {
  const TensorId a = tile(), b = tile();
  copy(b, a);
  SpillingProgram spilling = program();
  EXPECT_EQ(words(spilling), (std::vector<std::string>{"tile 0", "tile 1", "use 1 0"}));
  EXPECT_EQ(spilling.counts().stored_bytes, 0U);
}

TEST_F(Spilling, TheTileUsedLongestAgoMakesRoom) {
  const TensorId a = tile(), b = tile();
  write(a);
  write(b);
  write(a);
  tile();
  SpillingProgram spilling = program();
  EXPECT_EQ(words(spilling), (std::vector<std::string>{"tile 0", "tile 1", "use 0 4294967295", "use 1 4294967295", "use 0 4294967295",
                                                       "out 1", "release 1", "tile 2"}));
  EXPECT_EQ(spilling.counts().stored_bytes, 128U * 400);
}

TEST_F(Spilling, ASpilledTileComesBackBeforeItsUse) {
  const TensorId a = tile(), b = tile();
  write(a);
  write(b);
  const TensorId c = tile();
  copy(c, a);
  SpillingProgram spilling = program();
  const auto all = words(spilling);
  // c takes the place of a, then a that of b: the operands of an instruction are in SBUF together.
  EXPECT_EQ(std::vector<std::string>(all.begin() + 4, all.end()),
            (std::vector<std::string>{"out 0", "release 0", "tile 2", "out 1", "release 1", "tile 0", "in 0", "use 2 0"}));
  EXPECT_EQ(spilling.counts().stored_bytes, 2U * 128 * 400);
  EXPECT_EQ(spilling.counts().reloaded_bytes, 128U * 400);
}

TEST_F(Spilling, AnUnchangedTileIsNotStoredAgain) {
  const TensorId a = tile(), b = tile();
  write(a);
  write(b);
  const TensorId c = tile();  // a goes
  write(c);
  copy(c, a);  // b goes, a comes back
  copy(c, b);  // a goes as it is in HBM, b comes back
  SpillingProgram spilling = program();
  words(spilling);
  EXPECT_EQ(spilling.counts().stored_bytes, 2U * 128 * 400);
  EXPECT_EQ(spilling.counts().reloaded_bytes, 2U * 128 * 400);
}

TEST_F(Spilling, ATileWithoutContentsMovesNothing) {
  tile();
  tile();
  tile();
  SpillingProgram spilling = program();
  EXPECT_EQ(words(spilling), (std::vector<std::string>{"tile 0", "tile 1", "release 0", "tile 2"}));
}

TEST_F(Spilling, AReleasedTileGivesItsPlaceInHbmToAnother) {
  const TensorId a = tile(), b = tile();
  write(a);
  write(b);
  tile();  // a goes
  builder_.release(a);
  write(2);
  tile();  // b goes
  auto spilling = program();
  std::vector<std::uint64_t> offsets;
  while (const Record* record = spilling.next()) {
    const Operand& to = record->instruction.operands[0];
    if (record->kind == Record::Kind::Instruction && to.buffer == Buffer::Hbm) offsets.push_back(to.offset);
  }
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 0}));
}

TEST_F(Spilling, TilesWithAnAddressStayAndAreNamedWhenNothingFits) {
  builder_.tile(Buffer::Sbuf, 128, 400, 0);
  builder_.tile(Buffer::Sbuf, 128, 400, 400);
  tile();
  SpillingProgram spilling = program();
  try {
    words(spilling);
    FAIL() << "placed";
  } catch (const ProgramError& error) {
    EXPECT_NE(std::string(error.what()).find("t0 (400 B)"), std::string::npos) << error.what();
  }
}

TEST_F(Spilling, TilesOnOtherPartitionsStay) {
  const TensorId low = builder_.tile(Buffer::Sbuf, 32, 600, -1, 0);
  const TensorId high = builder_.tile(Buffer::Sbuf, 32, 600, -1, 32);
  write(low);
  write(high);
  builder_.tile(Buffer::Sbuf, 32, 600, -1, 32);
  SpillingProgram spilling = program();
  const auto all = words(spilling);
  EXPECT_EQ(std::vector<std::string>(all.end() - 3, all.end()), (std::vector<std::string>{"out 1", "release 1", "tile 2"}));
}

/// Whatever the uses are, the tiles in SBUF never overlap, and an instruction finds its operands there.
RC_GTEST_PROP(SpillingLaw, OperandsAreResidentAndTilesApart, ()) {
  const auto sizes = *rc::gen::container<std::vector<std::uint32_t>>(8, rc::gen::inRange(1U, 340U));
  const auto uses = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8));
  ProgramBuilder builder;
  for (const std::uint32_t size : sizes) builder.sbuf(128, size);
  for (const int use : uses) {
    const auto other = static_cast<TensorId>((use * 5 + 3) % 8);
    builder.add(
        Opcode::TensorCopy, EngineKind::Vector,
        {ProgramBuilder::on_chip(static_cast<TensorId>(use), Buffer::Sbuf, 128, 1), ProgramBuilder::on_chip(other, Buffer::Sbuf, 128, 1)});
  }
  SpillingProgram spilling(small_chip(), 0, builder.take());
  std::map<TensorId, std::pair<std::int64_t, std::int64_t>> resident;
  std::size_t seen = 0;
  while (const Record* record = spilling.next()) {
    if (record->kind == Record::Kind::Release) RC_ASSERT(resident.erase(record->tile) == 1U);
    if (record->kind == Record::Kind::Tile) {
      const auto lo = record->tensor.address, hi = lo + record->tensor.bytes_per_partition;
      RC_ASSERT(lo >= 0 && hi <= 1024);
      for (const auto& [id, range] : resident) RC_ASSERT(hi <= range.first || range.second <= lo);
      RC_ASSERT(resident.emplace(record->tile, std::pair(lo, hi)).second);
    }
    if (record->kind != Record::Kind::Instruction) continue;
    for (const Operand& operand : record->instruction.operands) {
      if (operand.present() && operand.buffer == Buffer::Sbuf) RC_ASSERT(resident.contains(operand.tensor));
    }
    seen += record->instruction.op == Opcode::TensorCopy ? 1 : 0;
  }
  RC_ASSERT(seen == uses.size());
}

}  // namespace
}  // namespace trnsim
