// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/planner.hpp"

#include <gtest/gtest.h>

#include "support/forked.hpp"
#include "support/program_builder.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;

class NothingSettled : public Progress {
 public:
  [[nodiscard]] std::uint64_t settled(Actor) const override { return 0; }
};

/// A whole program planned on one chip; keeps the planner, which owns the copies.
class Planned {
 public:
  Planned(ProgramBuilder& builder, const std::string& chip)
      : config_(test::preset(chip)),
        program_(builder.take()),
        layout_(config_, {&program_->info()}),
        planner_(config_, *program_, 0, layout_, progress_) {
    for (Step step; planner_.next(step);) steps_.push_back(step);
  }
  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  const Step& operator[](std::size_t i) const { return steps_[i]; }

 private:
  ChipConfig config_;
  std::unique_ptr<Program> program_;
  HbmLayout layout_;
  NothingSettled progress_;
  Planner planner_;
  std::vector<Step> steps_;
};

Planned plan(ProgramBuilder& builder, const std::string& chip = "trn2") { return {builder, chip}; }

bool waits_for(const Step& step, Actor actor, std::uint64_t count, StallReason reason) {
  for (unsigned i = 0; i < step.wait_count; ++i) {
    if (step.waits[i].actor == actor && step.waits[i].count == count && step.waits[i].reason == static_cast<std::uint64_t>(reason))
      return true;
  }
  return false;
}

class PlannerTest : public ::testing::Test {
 protected:
  ProgramBuilder b;
  TensorId in = b.hbm("in", {128, 512}, DType::Bf16, TensorUse::Input);
  TensorId out = b.hbm("out", {128, 512}, DType::Bf16, TensorUse::Output);
};

TEST(PlannerAfterAnError, NothingFollows) {
  ProgramBuilder b;
  const TensorId x = b.sbuf(128, 1024);
  for (int i = 0; i < 9; ++i) b.psum(128, 2048);  // one more than there are banks
  const TensorId y = b.sbuf(128, 1024);
  b.add(Opcode::TensorCopy, EngineKind::Vector,
        {ProgramBuilder::on_chip(y, Buffer::Sbuf, 128, 512), ProgramBuilder::on_chip(x, Buffer::Sbuf, 128, 512)});
  b.add(Opcode::TensorCopy, EngineKind::Vector,
        {ProgramBuilder::on_chip(x, Buffer::Sbuf, 128, 512), ProgramBuilder::on_chip(y, Buffer::Sbuf, 128, 512)});
  const ChipConfig chip = test::preset("trn2");
  const std::unique_ptr<Program> program = b.take();
  const HbmLayout layout(chip, {&program->info()});
  const NothingSettled progress;
  Planner planner(chip, *program, 0, layout, progress);
  Step step;
  EXPECT_THROW((void)planner.next(step), ProgramError);
  EXPECT_FALSE(planner.next(step));
}

TEST_F(PlannerTest, AMatmulWaitsForTheLoadsOfItsOperands) {
  const TensorId weights = b.sbuf(128, 256), moving = b.sbuf(128, 1024), acc = b.psum(128, 2048);
  b.load(weights, in, 128, 128);
  b.load(moving, in, 128, 512);
  b.matmul(acc, weights, moving, 128, 128, 512);
  const auto steps = plan(b);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_TRUE(waits_for(steps[2], kFirstRing, 1, StallReason::WaitDma));  // LoadStationary
  EXPECT_TRUE(waits_for(steps[2], kFirstRing, 2, StallReason::WaitDma));  // MultiplyMoving
}

TEST_F(PlannerTest, AWaitAlreadyMadeIsNotRepeated) {
  const TensorId weights = b.sbuf(128, 256), moving = b.sbuf(128, 1024), acc = b.psum(128, 2048);
  b.load(weights, in, 128, 128);
  b.load(moving, in, 128, 512);
  b.matmul(acc, weights, moving, 128, 128, 512);
  b.matmul(acc, weights, moving, 128, 128, 512, DType::Bf16, true);
  EXPECT_EQ(plan(b)[3].wait_count, 0U);
}

TEST_F(PlannerTest, TheSameStationaryIsLoadedOnce) {
  const TensorId weights = b.sbuf(128, 256), moving = b.sbuf(128, 1024), acc = b.psum(128, 2048);
  b.matmul(acc, weights, moving, 128, 128, 512);
  b.matmul(acc, weights, moving, 128, 128, 512, DType::Bf16, true);
  const auto steps = plan(b);
  EXPECT_GT(steps[0].work.load_cycles, 0U);
  EXPECT_EQ(steps[1].work.load_cycles, 0U);
}

TEST_F(PlannerTest, AStationaryThatWasWrittenIsLoadedAgain) {
  const TensorId weights = b.sbuf(128, 256), moving = b.sbuf(128, 1024), acc = b.psum(128, 2048);
  b.matmul(acc, weights, moving, 128, 128, 512);
  b.load(weights, in, 128, 128);
  b.matmul(acc, weights, moving, 128, 128, 512, DType::Bf16, true);
  EXPECT_GT(plan(b)[2].work.load_cycles, 0U);
}

TEST_F(PlannerTest, AnotherStationaryInBetweenIsLoadedAgain) {
  const TensorId w1 = b.sbuf(128, 256), w2 = b.sbuf(128, 256), moving = b.sbuf(128, 1024), acc = b.psum(128, 2048);
  for (const TensorId w : {w1, w2, w1}) b.matmul(acc, w, moving, 128, 128, 512);
  const auto steps = plan(b);
  EXPECT_GT(steps[1].work.load_cycles, 0U);
  EXPECT_GT(steps[2].work.load_cycles, 0U);
}

TEST_F(PlannerTest, AReusedBufferWaitsForTheReadersOfTheOldTile) {
  const TensorId first = b.sbuf(128, 229'376);  // all of SBUF
  b.load(first, in, 128, 512);
  b.add(Opcode::TensorCopy, EngineKind::Vector,
        {ProgramBuilder::on_chip(first, Buffer::Sbuf, 128, 16), ProgramBuilder::on_chip(first, Buffer::Sbuf, 128, 16, DType::Bf16, 64)});
  b.release(first);
  const TensorId second = b.sbuf(128, 229'376);
  b.load(second, in, 128, 512);
  EXPECT_TRUE(waits_for(plan(b)[2], actor_of(EngineKind::Vector), 1, StallReason::WaitBuffer));
}

TEST_F(PlannerTest, AStoreWaitsForTheEngineThatMadeItsData) {
  const TensorId tile = b.sbuf(128, 1024);
  b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(tile, Buffer::Sbuf, 128, 512)});
  b.store(out, tile, 128, 512);
  EXPECT_TRUE(waits_for(plan(b)[1], actor_of(EngineKind::Vector), 1, StallReason::WaitEngine));
}

std::shared_ptr<const InstructionExtras> further(Role role, const Operand& operand) {
  InstructionExtras extras;
  extras.operands.push_back({role, operand});
  return std::make_shared<const InstructionExtras>(extras);
}

TEST_F(PlannerTest, AnIndexIsWaitedFor) {
  const TensorId rows = b.sbuf(128, 4), tile = b.sbuf(128, 1024);
  b.add(Opcode::Iota, EngineKind::GpSimd, {ProgramBuilder::on_chip(rows, Buffer::Sbuf, 128, 1, DType::Int32)});
  b.load(tile, in, 128, 512).extras = further(Role::SrcIndex, ProgramBuilder::on_chip(rows, Buffer::Sbuf, 128, 1, DType::Int32));
  EXPECT_TRUE(waits_for(plan(b)[1], actor_of(EngineKind::GpSimd), 1, StallReason::WaitEngine));
}

TEST_F(PlannerTest, AnIndexThatIsOverwrittenWaitsForItsReader) {
  const TensorId rows = b.sbuf(128, 4), tile = b.sbuf(128, 1024);
  const Operand index = ProgramBuilder::on_chip(rows, Buffer::Sbuf, 128, 1, DType::Int32);
  b.load(tile, in, 128, 512).extras = further(Role::SrcIndex, index);
  b.add(Opcode::Iota, EngineKind::GpSimd, {index});
  EXPECT_TRUE(waits_for(plan(b)[1], kFirstRing, 1, StallReason::WaitBuffer));
}

TEST_F(PlannerTest, AnIndexMayPickAnyPartOfItsTile) {
  const TensorId rows = b.sbuf(128, 4), tile = b.sbuf(128, 1024), to = b.sbuf(128, 64);
  const Operand index = ProgramBuilder::on_chip(rows, Buffer::Sbuf, 128, 1, DType::Int32);
  const auto fill = [&] {
    b.add(Opcode::Memset, EngineKind::GpSimd, {ProgramBuilder::on_chip(tile, Buffer::Sbuf, 128, 32, DType::Bf16, 512)});
  };
  const auto copy = [&]() -> Instruction& {
    return b.add(Opcode::TensorCopy, EngineKind::Vector,
                 {ProgramBuilder::on_chip(to, Buffer::Sbuf, 128, 32), ProgramBuilder::on_chip(tile, Buffer::Sbuf, 128, 32)});
  };
  fill();
  copy();
  copy().extras = further(Role::DataIndex, index);
  const auto steps = plan(b);
  EXPECT_EQ(steps[1].wait_count, 0U);
  EXPECT_TRUE(waits_for(steps[2], actor_of(EngineKind::GpSimd), 1, StallReason::WaitEngine));
}

TEST_F(PlannerTest, FurtherSourcesAndDestinationsOrder) {
  const TensorId tile = b.sbuf(128, 64), other = b.sbuf(128, 64);
  const auto whole = [](TensorId id) { return ProgramBuilder::on_chip(id, Buffer::Sbuf, 128, 32); };
  b.add(Opcode::Memset, EngineKind::GpSimd, {whole(other)});
  b.add(Opcode::TensorCopy, EngineKind::Vector, {whole(tile), whole(tile)}).extras = further(numbered(Role::Data, 3), whole(other));
  b.add(Opcode::TensorCopy, EngineKind::Scalar, {whole(tile), whole(tile)}).extras = further(numbered(Role::Dst, 2), whole(other));
  const auto steps = plan(b);
  EXPECT_TRUE(waits_for(steps[1], actor_of(EngineKind::GpSimd), 1, StallReason::WaitEngine));
  EXPECT_TRUE(waits_for(steps[2], actor_of(EngineKind::GpSimd), 1, StallReason::WaitBuffer));
}

TEST_F(PlannerTest, StepsOfPartitionsThatDoNotMeetDoNotWait) {
  const TensorId tile = b.sbuf(128, 64);
  const auto half = [&](std::uint16_t first) {
    Operand o = ProgramBuilder::on_chip(tile, Buffer::Sbuf, 32, 32);
    o.partition = first;
    o.partition_step = 2;
    return o;
  };
  b.add(Opcode::Memset, EngineKind::GpSimd, {half(0)});
  b.add(Opcode::Memset, EngineKind::Vector, {half(1)});
  b.add(Opcode::Memset, EngineKind::Vector, {half(2)});
  const auto steps = plan(b);
  EXPECT_EQ(steps[1].wait_count, 0U);
  EXPECT_EQ(steps[2].wait_count, 1U);
}

TEST_F(PlannerTest, DimensionsBeyondFourAreInstructionsOfTheirOwn) {
  const TensorId tile = b.sbuf(128, 16384);
  Operand four = ProgramBuilder::on_chip(tile, Buffer::Sbuf, 128, 1, DType::Fp32);
  four.rank = 4;
  four.free = {Dim{300, 4}, Dim{70, 4}, Dim{9, 4}, Dim{1, 8}};
  Operand five = four;
  five.rank = 5;
  five.free = {Dim{1500, 2}, Dim{300, 4}, Dim{70, 4}, Dim{9, 4}, Dim{1, 8}};
  b.add(Opcode::Memset, EngineKind::Vector, {four});
  b.add(Opcode::Memset, EngineKind::Vector, {five});
  const auto steps = plan(b);
  EXPECT_EQ(steps[1].cost.interval.value, 2 * steps[0].cost.interval.value);
  EXPECT_EQ(steps[1].cost.latency.value, steps[0].cost.interval.value + steps[0].cost.latency.value);
  EXPECT_EQ(steps[1].elements, 2 * steps[0].elements);
}

TEST_F(PlannerTest, LinesOfTheSourceAreNumberedAsTheyCome) {
  const TensorId tile = b.sbuf(128, 64);
  for (const std::uint32_t line : {7U, 7U, 0U, 9U, 7U}) {
    b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(tile, Buffer::Sbuf, 128, 32)}).at = {line, 1};
  }
  const auto steps = plan(b);
  const std::array<std::uint32_t, 5> expected{1, 1, 0, 2, 1};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(steps[i].source, expected[i]) << i;
}

TEST_F(PlannerTest, AnExplicitDependencyBecomesAWait) {
  const TensorId a = b.sbuf(128, 64), c = b.sbuf(128, 64);
  b.add(Opcode::Memset, EngineKind::GpSimd, {ProgramBuilder::on_chip(a, Buffer::Sbuf, 128, 32)}).id = 1;
  Instruction& later = b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(c, Buffer::Sbuf, 128, 32)});
  later.after_count = 1;
  later.after[0] = 1;
  EXPECT_TRUE(waits_for(plan(b)[1], actor_of(EngineKind::GpSimd), 1, StallReason::WaitEngine));
}

TEST_F(PlannerTest, AForwardDependencyIsLeftForTheRun) {
  const TensorId a = b.sbuf(128, 64);
  Instruction& first = b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(a, Buffer::Sbuf, 128, 32)});
  first.after_count = 1;
  first.after[0] = 5;
  const Planned planned = plan(b);
  ASSERT_EQ(planned[0].forward_count, 1U);
  EXPECT_EQ(planned[0].forward_ids[0], 5U);
}

TEST_F(PlannerTest, ACopyIsCutByThePartitionsOfItsOnChipSide) {
  const TensorId tile = b.sbuf(64, 1024);
  b.load(tile, in, 64, 512);
  const auto steps = plan(b);
  EXPECT_EQ(steps[0].transfer->rows, 64U);
  EXPECT_EQ(steps[0].transfer->row_bytes, 1024U);
}

TEST_F(PlannerTest, SoftwareDescriptorsAreTriggeredByGpSimd) {
  const TensorId tile = b.sbuf(64, 1024);
  b.load(tile, in, 64, 512).dge = DgeMode::Software;
  EXPECT_EQ(plan(b)[0].engine, EngineKind::GpSimd);
}

TEST_F(PlannerTest, TwoRingsOfOneEngineAreTwoActors) {
  const TensorId t1 = b.sbuf(128, 1024), t2 = b.sbuf(128, 1024);
  b.load(t1, in, 128, 512);
  b.load(t2, in, 128, 512).ring = 1;
  const auto steps = plan(b);
  EXPECT_EQ(steps[0].transfer->ring, 0U);
  EXPECT_EQ(steps[1].transfer->ring, 1U);
}

TEST_F(PlannerTest, TooManyRingsAreRefused) {
  const TensorId tile = b.sbuf(128, 1024);
  for (std::uint8_t ring = 0; ring < 17; ++ring) b.load(tile, in, 128, 512).ring = ring;
  EXPECT_THROW(plan(b), ProgramError);
}

TEST_F(PlannerTest, AnOperandInAReleasedTileIsRefused) {
  const TensorId tile = b.sbuf(128, 1024);
  b.release(tile);
  b.load(tile, in, 128, 512);
  EXPECT_THROW(plan(b), ProgramError);
}

TEST_F(PlannerTest, CapacityIsExactOnEachGeneration) {
  for (const auto& [chip, bytes] : {std::pair{"trn1", 196'608U}, {"trn2", 229'376U}, {"trn3", 262'144U}}) {
    ProgramBuilder fits, exceeds;
    fits.sbuf(128, bytes);
    EXPECT_NO_THROW(plan(fits, chip));
    exceeds.sbuf(128, bytes + 1);
    EXPECT_THROW(plan(exceeds, chip), ProgramError);
  }
}

TEST_F(PlannerTest, ArrayTilesOccupyTheirBlocksOnly) {
  const TensorId weights = b.sbuf(64, 128), moving = b.sbuf(64, 1024), acc = b.psum(64, 2048);
  Instruction& i = b.matmul(acc, weights, moving, 64, 64, 512);
  i.tile_row = 64;
  i.tile_rows = 64;
  i.tile_cols = 64;
  EXPECT_EQ(plan(b)[0].work.region, 0x3300);  // rows 2 and 3, columns 0 and 1
}

}  // namespace
}  // namespace trnsim
