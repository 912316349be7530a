// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/run_recorder.hpp"

#include <gtest/gtest.h>

#include <array>

namespace trnsim {
namespace {

class RunRecorderTest : public ::testing::Test {
 protected:
  RunRecorderTest() {
    info_.files = {"kernel.py"};
    recorder_.begin(ChipConfig{}, {&info_});
  }

  const CoreRecord& core() const { return recorder_.record().cores.front(); }

  static ExecutedInstruction ran(EngineKind engine, std::uint64_t number, std::uint64_t start, std::uint64_t free, StartedBy cause = {}) {
    ExecutedInstruction done;
    done.engine = engine;
    done.number = number;
    done.start = Time{start};
    done.free = done.visible = Time{free};
    done.cause = cause;
    return done;
  }
  const PathInstruction& kept(EngineKind engine, std::uint64_t number) const {
    return *core().instruction({number, static_cast<std::uint64_t>(engine)});
  }

  ProgramInfo info_;
  RunRecorder recorder_;
};

TEST_F(RunRecorderTest, AnInstructionPointsToWhatItWaitedFor) {
  recorder_.executed(ran(EngineKind::Tensor, 1, 0, 100));
  recorder_.executed(ran(EngineKind::Vector, 1, 130, 200, {StartCause::Result, static_cast<std::uint8_t>(EngineKind::Tensor), 1}));
  EXPECT_EQ(kept(EngineKind::Tensor, 1).cause.number, 0U);
  const PathInstruction& second = kept(EngineKind::Vector, 1);
  EXPECT_EQ(second.cause.actor, static_cast<std::uint64_t>(EngineKind::Tensor));
  EXPECT_EQ(second.cause.number, 1U);
  EXPECT_EQ(second.ahead, Ahead::None);
}

TEST_F(RunRecorderTest, ARingFollowsTheEngines) {
  recorder_.executed(ran(EngineKind::Vector, 1, 130, 200, {StartCause::Copy, 2, 7}));
  EXPECT_EQ(kept(EngineKind::Vector, 1).cause.actor, kEngineCount + 2);
  EXPECT_EQ(kept(EngineKind::Vector, 1).cause.number, 7U);
}

TEST_F(RunRecorderTest, AFullRingIsToldFromACompletion) {
  recorder_.executed(ran(EngineKind::Sync, 1, 130, 200, {StartCause::RingRoom, 0, 7}));
  EXPECT_EQ(kept(EngineKind::Sync, 1).ahead, Ahead::RingFull);
}

TEST_F(RunRecorderTest, ALoadThatHoldsTheMultiplyBackIsKeptWithItsBegin) {
  ExecutedInstruction done = ran(EngineKind::Tensor, 1, 90, 200, {StartCause::LoadCopy, 0, 3});
  done.load_from = Time{60};
  done.load_until = Time{90};
  recorder_.executed(done);
  EXPECT_EQ(kept(EngineKind::Tensor, 1).ahead, Ahead::TensorLoad);
  EXPECT_EQ(kept(EngineKind::Tensor, 1).ahead_fs, 60U);
  EXPECT_EQ(kept(EngineKind::Tensor, 1).cause.actor, kEngineCount);
}

TEST_F(RunRecorderTest, ATableLoadCountsOnlyWhenTheStartFollowsIt) {
  const std::array<ObservedInterval, 2> intervals{ObservedInterval{false, StallReason::TableLoad, Cycles{10}, Time{0}, Time{50}},
                                                  ObservedInterval{true, StallReason::Issue, Cycles{10}, Time{50}, Time{100}}};
  ExecutedInstruction done =
      ran(EngineKind::Scalar, 1, 50, 100, {StartCause::EngineFree, static_cast<std::uint8_t>(EngineKind::Scalar), 0});
  done.intervals = intervals;
  recorder_.executed(done);
  EXPECT_EQ(kept(EngineKind::Scalar, 1).ahead, Ahead::TableLoad);
  EXPECT_EQ(kept(EngineKind::Scalar, 1).ahead_fs, 0U);
  done = ran(EngineKind::Scalar, 2, 80, 100, {StartCause::Result, static_cast<std::uint8_t>(EngineKind::Vector), 1});
  done.intervals = intervals;
  recorder_.executed(done);
  EXPECT_EQ(kept(EngineKind::Scalar, 2).ahead, Ahead::None);
}

TEST_F(RunRecorderTest, WhatDidNotStartIsLeftOut) {
  ExecutedInstruction done = ran(EngineKind::Vector, 1, 0, 0);
  done.started = false;
  recorder_.executed(done);
  EXPECT_TRUE(core().engines()[static_cast<std::size_t>(EngineKind::Vector)].empty());
}

TEST_F(RunRecorderTest, ACopyIsThatOfTheDmaEngineThatEndsLast) {
  TriggeredCopy triggered;
  triggered.copy = 1;
  triggered.triggered = Time{5};
  triggered.front = Time{10};
  triggered.available = Time{100};
  recorder_.triggered(triggered);
  const auto chunk = [](std::uint32_t engine, std::uint64_t from, std::uint64_t busy, std::uint64_t next) {
    MovedChunk moved;
    moved.engine = engine;
    moved.copy = 1;
    moved.from = Time{from};
    moved.engine_time = Time{busy};
    moved.next = Time{next};
    return moved;
  };
  const auto part = [](std::uint32_t engine, std::uint64_t last) {
    MovedPart moved;
    moved.engine = engine;
    moved.copy = 1;
    moved.last_data = Time{last};
    return moved;
  };
  recorder_.moved(chunk(0, 100, 50, 150));
  recorder_.moved(chunk(1, 120, 50, 190));  // held back by 20
  recorder_.moved(part(0, 150));
  recorder_.moved(chunk(1, 190, 50, 240));
  recorder_.moved(part(1, 270));  // the data arrive 30 later
  CompletedCopy completed;
  completed.copy = 1;
  completed.last_data = Time{270};
  completed.usable = Time{300};
  recorder_.completed(completed);
  const PathCopy& copy = *core().copy({1, kEngineCount});
  EXPECT_TRUE(copy.behind_another);
  EXPECT_EQ(copy.begun_fs, 120U);
  EXPECT_EQ(copy.data_fs, 270U);
  EXPECT_EQ(copy.held_fs, 50U);
  EXPECT_EQ(copy.usable_fs, 300U);
  EXPECT_EQ(copy.served_before.number, 0U);
}

TEST_F(RunRecorderTest, TheCopyThatAnEngineMovedBeforeIsKept) {
  MovedChunk chunk;
  chunk.ring = 3;
  chunk.copy = 1;
  recorder_.moved(chunk);
  chunk.ring = 0;
  recorder_.moved(chunk);
  MovedPart part;
  part.copy = 1;
  recorder_.moved(part);
  const PathCopy& copy = *core().copy({1, kEngineCount});
  EXPECT_EQ(copy.served_before.actor, kEngineCount + 3);
  EXPECT_EQ(copy.served_before.number, 1U);
}

TEST_F(RunRecorderTest, PlacesInTheSourceFollowTheInstructionsInOrder) {
  Instruction instruction;
  PlannedInstruction planned;
  for (const std::uint32_t line : {4U, 9U, 4U}) {
    instruction.at = {line, 0};
    recorder_.planned(planned, instruction);
  }
  for (std::uint64_t i = 1; i <= 3; ++i) recorder_.executed(ran(planned.engine, i, i, i + 1));
  EXPECT_EQ(core().sources[kept(planned.engine, 1).source].line, 4U);
  EXPECT_EQ(core().sources[kept(planned.engine, 2).source].line, 9U);
  EXPECT_EQ(kept(planned.engine, 3).source, kept(planned.engine, 1).source);
  EXPECT_EQ(core().files.front(), "kernel.py");
}

}  // namespace
}  // namespace trnsim
