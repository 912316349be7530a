// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/critical_path.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kRing0 = kEngineCount;

PathRef ref(EngineKind engine, std::uint64_t number) { return {number, static_cast<std::uint64_t>(engine)}; }
PathRef copy_ref(std::uint64_t number) { return {number, kRing0}; }

PathInstruction ran(std::uint64_t start, std::uint64_t free, std::uint64_t visible, PathRef cause = {}) {
  PathInstruction done;
  done.ahead_fs = done.start_fs = start;
  done.free_fs = free;
  done.visible_fs = visible;
  done.cause = cause;
  return done;
}

class CriticalPathTest : public ::testing::Test {
 protected:
  CriticalPathTest() { run_.cores.emplace_back(); }
  CoreRecord& core() { return run_.cores.front(); }
  /// Time of a part.
  static std::uint64_t of(const CriticalPath& path, PathPart part) { return path.fs[static_cast<std::size_t>(part)]; }
  CriticalPath walk(std::uint64_t end) {
    CriticalPath path = critical_path(run_, end);
    EXPECT_EQ(path.length_fs, end);
    EXPECT_EQ(std::accumulate(path.fs.begin(), path.fs.end(), std::uint64_t{0}), end);
    std::uint64_t segments = 0;
    for (const PathSegment& s : path.segments) segments += s.fs;
    EXPECT_EQ(segments, end);
    return path;
  }
  RunRecord run_;
};

TEST_F(CriticalPathTest, ARunWithoutInstructionsHasNoPath) {
  EXPECT_EQ(critical_path({}, 0).length_fs, 0U);
  EXPECT_EQ(walk(0).steps, 0U);
}

TEST_F(CriticalPathTest, InstructionsOfOneEngineFollowEachOtherWithoutTheirLatency) {
  core().add(EngineKind::Vector, ran(0, 100, 150));
  core().add(EngineKind::Vector, ran(100, 200, 250, ref(EngineKind::Vector, 1)));
  const CriticalPath path = walk(250);
  EXPECT_EQ(of(path, PathPart::VectorWork), 200U);
  EXPECT_EQ(of(path, PathPart::VectorLatency), 50U);
  EXPECT_EQ(path.steps, 2U);
}

TEST_F(CriticalPathTest, ADependentInstructionPaysLatencyAndHop) {
  core().add(EngineKind::Tensor, ran(0, 100, 150));
  core().add(EngineKind::Scalar, ran(180, 300, 320, ref(EngineKind::Tensor, 1)));
  const CriticalPath path = walk(320);
  EXPECT_EQ(of(path, PathPart::TensorMultiply), 100U);
  EXPECT_EQ(of(path, PathPart::TensorLatency), 50U);
  EXPECT_EQ(of(path, PathPart::Synchronisation), 30U);
  EXPECT_EQ(of(path, PathPart::ScalarWork), 120U);
  EXPECT_EQ(of(path, PathPart::ScalarLatency), 20U);
}

TEST_F(CriticalPathTest, WhatEndsEarlierIsNotOnIt) {
  core().add(EngineKind::GpSimd, ran(0, 90, 90));
  core().add(EngineKind::Vector, ran(0, 100, 100));
  const CriticalPath path = walk(100);
  EXPECT_EQ(of(path, PathPart::GpSimdWork), 0U);
  EXPECT_EQ(of(path, PathPart::VectorWork), 100U);
}

TEST_F(CriticalPathTest, AnExposedLoadIsAPartOfItsOwn) {
  core().add(EngineKind::Tensor, ran(0, 100, 150));
  PathInstruction next = ran(140, 200, 260, ref(EngineKind::Tensor, 1));
  next.ahead = Ahead::TensorLoad;
  next.ahead_fs = 60;  // begins while the first one multiplies
  core().add(EngineKind::Tensor, next);
  const CriticalPath path = walk(260);
  EXPECT_EQ(of(path, PathPart::TensorLoad), 80U);
  EXPECT_EQ(of(path, PathPart::TensorMultiply), 60U + 60U);
}

TEST_F(CriticalPathTest, ATableLoadIsAPartOfItsOwn) {
  PathInstruction first = ran(1000, 1100, 1150);
  first.ahead = Ahead::TableLoad;
  first.ahead_fs = 0;
  core().add(EngineKind::Scalar, first);
  const CriticalPath path = walk(1150);
  EXPECT_EQ(of(path, PathPart::TableLoad), 1000U);
}

TEST_F(CriticalPathTest, AQuickInstructionBehindASlowOneIsSeenAfterIt) {
  core().add(EngineKind::Vector, ran(0, 10, 500));
  core().add(EngineKind::Vector, ran(10, 20, 30, ref(EngineKind::Vector, 1)));
  core().add(EngineKind::Scalar, ran(530, 600, 600, ref(EngineKind::Vector, 2)));
  const CriticalPath path = walk(600);
  EXPECT_EQ(of(path, PathPart::VectorLatency), 490U);
  EXPECT_EQ(of(path, PathPart::Synchronisation), 30U);
}

/// A copy triggered at 10 by the first instruction of Sync.
PathCopy copied(std::uint64_t front, std::uint64_t available, std::uint64_t begun, std::uint64_t data, std::uint64_t usable) {
  PathCopy copy;
  copy.front_fs = front;
  copy.available_fs = available;
  copy.begun_fs = begun;
  copy.data_fs = data;
  copy.usable_fs = usable;
  copy.trigger = ref(EngineKind::Sync, 1);
  return copy;
}

TEST_F(CriticalPathTest, ACopyHasItsStages) {
  core().add(EngineKind::Sync, ran(10, 20, 20));
  core().copy_at(0, 1) = copied(10, 110, 110, 400, 450);
  core().copy_at(0, 1).held_fs = 90;
  core().add(EngineKind::Vector, ran(455, 500, 500, copy_ref(1)));
  const CriticalPath path = walk(500);
  EXPECT_EQ(of(path, PathPart::DmaStart), 100U);
  EXPECT_EQ(of(path, PathPart::DmaTransfer), 200U);
  EXPECT_EQ(of(path, PathPart::Hbm), 90U);
  EXPECT_EQ(of(path, PathPart::DmaCompletion), 50U);
  EXPECT_EQ(of(path, PathPart::Synchronisation), 5U);
  EXPECT_EQ(of(path, PathPart::Other), 10U) << "before the first instruction";
}

TEST_F(CriticalPathTest, ACopyBehindOthersInItsRingPaysTheIssueInterval) {
  core().add(EngineKind::Sync, ran(0, 5, 5));
  core().add(EngineKind::Sync, ran(5, 10, 10, ref(EngineKind::Sync, 1)));
  core().copy_at(0, 1) = copied(0, 100, 100, 150, 170);
  core().copy_at(0, 2) = copied(600, 700, 700, 750, 770);
  core().copy_at(0, 2).behind_another = true;
  core().copy_at(0, 2).trigger = ref(EngineKind::Sync, 2);
  const CriticalPath path = walk(770);
  EXPECT_EQ(of(path, PathPart::DmaIssue), 600U);
  EXPECT_EQ(of(path, PathPart::DmaStart), 100U);
}

TEST_F(CriticalPathTest, ACopyThatWaitsForTheDmaEnginesFollowsTheOneTheyMove) {
  core().add(EngineKind::Sync, ran(0, 5, 5));
  core().add(EngineKind::Sync, ran(5, 10, 10, ref(EngineKind::Sync, 1)));
  core().copy_at(0, 1) = copied(0, 100, 100, 1000, 1020);
  core().copy_at(0, 2) = copied(5, 105, 1000, 2000, 2020);
  core().copy_at(0, 2).served_before = copy_ref(1);
  const CriticalPath path = walk(2020);
  EXPECT_EQ(of(path, PathPart::DmaTransfer), 1900U);
  EXPECT_EQ(of(path, PathPart::DmaCompletion), 20U) << "only that of the last copy";
  EXPECT_EQ(of(path, PathPart::DmaStart), 100U);
}

TEST_F(CriticalPathTest, CopiesThatTakeTurnsOnDifferentEnginesDoNotGoInCircles) {
  core().add(EngineKind::Sync, ran(0, 5, 5));
  core().copy_at(0, 1) = copied(0, 50, 100, 900, 950);
  core().copy_at(1, 1) = copied(0, 50, 120, 1000, 1050);
  core().copy_at(0, 1).served_before = {1, kRing0 + 1};
  core().copy_at(1, 1).served_before = copy_ref(1);
  const CriticalPath path = walk(1050);
  EXPECT_EQ(of(path, PathPart::DmaTransfer), 950U);
  EXPECT_EQ(of(path, PathPart::DmaStart), 50U);
}

TEST_F(CriticalPathTest, AQuickCopyCompletesBehindTheSlowOneOfItsRing) {
  core().add(EngineKind::Sync, ran(0, 5, 5));
  core().copy_at(0, 1) = copied(0, 100, 100, 1000, 1050);
  core().copy_at(0, 2) = copied(0, 100, 100, 200, 1050);
  core().add(EngineKind::Vector, ran(1050, 1100, 1100, copy_ref(2)));
  const CriticalPath path = walk(1100);
  EXPECT_EQ(of(path, PathPart::DmaTransfer), 900U);
}

TEST_F(CriticalPathTest, ATriggerAtAFullRingWaitsForBytesNotForACompletion) {
  core().add(EngineKind::Sync, ran(0, 5, 5));
  PathInstruction second = ran(400, 405, 405, copy_ref(1));
  second.ahead = Ahead::RingFull;
  core().add(EngineKind::Sync, second);
  core().copy_at(0, 1) = copied(0, 100, 100, 400, 900);
  core().copy_at(0, 2) = copied(400, 500, 500, 1000, 1500);
  core().copy_at(0, 2).trigger = ref(EngineKind::Sync, 2);
  const CriticalPath path = walk(1500);
  EXPECT_EQ(of(path, PathPart::DmaTransfer), 300U + 500U);
  EXPECT_EQ(of(path, PathPart::DmaCompletion), 500U);
}

TEST_F(CriticalPathTest, SegmentsAreGroupedByOpcodeAndLineTheLongestFirst) {
  core().sources = {{}, {7, 0}};
  core().files = {"kernel.py"};
  for (std::uint64_t i = 0; i < 4; ++i) {
    PathInstruction done = ran(i * 100, i * 100 + 100, i * 100 + 100, i == 0 ? PathRef{} : ref(EngineKind::Vector, i));
    done.op = i == 3 ? Opcode::TensorCopy : Opcode::TensorTensor;
    done.source = i == 3 ? 0 : 1;
    core().add(EngineKind::Vector, done);
  }
  const CriticalPath path = walk(400);
  ASSERT_EQ(path.segments.size(), 2U);
  EXPECT_EQ(path.segments[0].opcode, "tensor_tensor");
  EXPECT_EQ(path.segments[0].count, 3U);
  EXPECT_EQ(path.segments[0].file, "kernel.py");
  EXPECT_EQ(path.segments[0].line, 7U);
  EXPECT_EQ(path.segments[1].fs, 100U);
  EXPECT_EQ(path.segments[1].line, 0U);
}

TEST_F(CriticalPathTest, TheCoreThatEndsLastIsTheOneWalked) {
  run_.cores.emplace_back();
  run_.cores[0].add(EngineKind::Vector, ran(0, 100, 100));
  run_.cores[1].add(EngineKind::Scalar, ran(0, 200, 200));
  EXPECT_EQ(of(walk(200), PathPart::ScalarWork), 200U);
}

TEST_F(CriticalPathTest, EveryPartHasANameAMeaningAndAGroup) {
  for (std::size_t i = 0; i < kPathPartCount; ++i) {
    const auto part = static_cast<PathPart>(i);
    EXPECT_FALSE(name_of(part).empty());
    EXPECT_FALSE(meaning_of(part).empty());
    EXPECT_FALSE(group_of(part).empty());
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(name_of(part), name_of(static_cast<PathPart>(j)));
  }
}

TEST_F(CriticalPathTest, OverlapCountsWhatEnginesAndCopiesShare) {
  core().add(EngineKind::Sync, ran(0, 1000, 1000));  // Sync computes nothing
  core().add(EngineKind::Vector, ran(100, 200, 250));
  core().add(EngineKind::Scalar, ran(150, 300, 350));
  core().copy_at(0, 1) = copied(50, 60, 60, 180, 190);
  core().copy_at(0, 2) = copied(280, 290, 290, 400, 410);
  const Overlap overlap = overlap_of(run_);
  EXPECT_EQ(overlap.compute_fs, 200U);
  EXPECT_EQ(overlap.dma_fs, 130U + 120U);
  EXPECT_EQ(overlap.both_fs, 80U + 20U);
}

TEST_F(CriticalPathTest, ATriggerIsNoComputation) {
  PathInstruction trigger = ran(0, 100, 100);
  trigger.op = Opcode::DmaCopy;
  core().add(EngineKind::Scalar, trigger);
  EXPECT_EQ(overlap_of(run_).compute_fs, 0U);
}

}  // namespace
}  // namespace trnsim
