// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/fields.hpp"
#include "trnsim/error.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

double value(const std::vector<std::pair<std::string, double>>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == name; });
  if (found != list.end()) return found->second;
  ADD_FAILURE() << name;
  return -1;
}

class Verdict : public ::testing::Test {
 protected:
  ChipConfig chip = hand_made::chip("trn2");
  Snapshot run = hand_made::idle_run(chip, 100 * kFsPerUs);
  [[nodiscard]] Bottleneck verdict() const { return make_result(chip, run, hand_made::matmul_context(0)).bottleneck; }
  [[nodiscard]] bool says(const std::string& words) const { return verdict().sentence.find(words) != std::string::npos; }

  void busy(EngineKind kind, double share) {
    EngineCounters& e = hand_made::engine(run, kind);
    e.busy_cycles = static_cast<std::uint64_t>(share * static_cast<double>(e.elapsed_cycles));
    e.idle_cycles = 0;
    e.stall_cycles = {};
    e.stall_cycles[static_cast<std::size_t>(StallReason::WaitEngine)] = e.elapsed_cycles - e.busy_cycles;
    e.instructions = 100;
  }
  /// A copy at this share of the rate that the engines of one core sustain.
  void copy(double share, std::uint64_t transfers, std::uint64_t descriptors) {
    const auto bytes = static_cast<std::uint64_t>(share * 368 * 100000);
    hand_made::add_copy(run, bytes / 1024 * 1024, transfers, descriptors);
    run.cores[0].dma.engine_busy_fs = static_cast<std::uint64_t>(share * 16 * 100) * kFsPerUs;
  }
};

TEST_F(Verdict, ABusyArrayLimitsAndHbmHasSlack) {
  run = hand_made::matmul_run(chip, 1000, 1 << 20);
  EXPECT_EQ(verdict().resource, "tensor array");
  EXPECT_NEAR(value(verdict().shares, "tensor array"), 1, 1e-9);
  EXPECT_NEAR(value(verdict().bounds_ns, "tensor array"), 213333.333, 1);
  EXPECT_TRUE(says("100.0 %")) << verdict().sentence;
  EXPECT_TRUE(says("slack of 99.3 %")) << verdict().sentence;
}

TEST_F(Verdict, ShortMatmulsAreTheInstructionsFault) {
  busy(EngineKind::Tensor, 0.95);
  run.cores[0].tensor.array_cycles = hand_made::engine(run, EngineKind::Tensor).elapsed_cycles / 4;
  EXPECT_EQ(verdict().resource, "tensor instructions");
  EXPECT_TRUE(says("the array has data only 25.0 %")) << verdict().sentence;
}

TEST_F(Verdict, ABusyVectorEngineIsNamed) {
  busy(EngineKind::Vector, 0.9);
  EXPECT_EQ(verdict().resource, "vector");
  EXPECT_TRUE(says("vector engine limits: it is busy 90.0 %")) << verdict().sentence;
  EXPECT_TRUE(says("HBM is not used")) << verdict().sentence;
}

TEST_F(Verdict, TheWorkThatTheLimitingEngineDoesMostIsNamedWithItsShare) {
  busy(EngineKind::Scalar, 0.9);
  EngineCounters& e = hand_made::engine(run, EngineKind::Scalar);
  e.op_cycles[static_cast<std::size_t>(Opcode::Activation)] = 900;
  e.function_cycles[static_cast<std::size_t>(ActFn::Exp)] = 700;
  e.function_cycles[static_cast<std::size_t>(ActFn::Square)] = 200;
  e.op_cycles[static_cast<std::size_t>(Opcode::TensorCopy)] = 100;
  EXPECT_TRUE(says("it is busy 90.0 % of the time; activation exp is 70.0 % of that")) << verdict().sentence;
  e.op_cycles[static_cast<std::size_t>(Opcode::TensorCopy)] = 1100;
  EXPECT_TRUE(says("; tensor_copy is 55.0 % of that")) << verdict().sentence;
}

TEST_F(Verdict, LongCopiesAreLimitedByTheDmaEngines) {
  copy(0.95, 10, 1000);
  EXPECT_EQ(verdict().resource, "DMA engines");
  EXPECT_TRUE(says("95.0 % of what they sustain")) << verdict().sentence;
}

TEST_F(Verdict, SmallCopiesHeldBackByTheRingsAreDescriptorOverhead) {
  copy(0.05, 160, 20480);
  run.cores[0].dma.issue_limited_fs = 93 * kFsPerUs;
  EXPECT_EQ(verdict().resource, "DMA issue");
  EXPECT_TRUE(says("descriptor overhead")) << verdict().sentence;
  EXPECT_TRUE(says("93.0 %")) << verdict().sentence;
  EXPECT_TRUE(says("B per descriptor")) << verdict().sentence;
}

TEST_F(Verdict, EnginesBusyWithDescriptorsAreDescriptorOverhead) {
  chip.dma.descriptor_ns = 40;
  copy(0.05, 400, 38000);
  run.cores[0].dma.engine_busy_fs = 16 * 100 * kFsPerUs;
  EXPECT_EQ(verdict().resource, "DMA engines");
  EXPECT_TRUE(says("Descriptor overhead")) << verdict().sentence;
}

TEST_F(Verdict, AFullStackIsNamedBeforeTheDmaEngines) {
  chip.hbm.stack_gb_per_s = 300;
  copy(0.8, 10, 1000);  // 294 of 300 GB/s
  EXPECT_EQ(verdict().resource, "HBM bandwidth");
  EXPECT_TRUE(says("of the peak of the stacks in use")) << verdict().sentence;
}

TEST_F(Verdict, WithoutABusyResourceItIsLatency) {
  busy(EngineKind::Vector, 0.2);
  busy(EngineKind::Scalar, 0.1);
  EXPECT_EQ(verdict().resource, "latency");
  EXPECT_TRUE(says("vector is in use most with 20.0 %")) << verdict().sentence;
  EXPECT_TRUE(says("vector stalls 80.0 % on wait_engine")) << verdict().sentence;
}

TEST_F(Verdict, SharesLieBetweenZeroAndOneAndNameEveryResource) {
  busy(EngineKind::Vector, 0.7);
  copy(0.5, 10, 1000);
  const Bottleneck b = verdict();
  std::vector<std::string> names;
  for (const auto& [name, share] : b.shares) {
    EXPECT_GE(share, 0) << name;
    EXPECT_LE(share, 1) << name;
    names.push_back(name);
  }
  std::vector<std::string> expected = resource_names();
  expected.emplace_back("latency");
  EXPECT_EQ(names, expected);
  EXPECT_NE(std::find(names.begin(), names.end(), b.resource), names.end());
}

TEST_F(Verdict, NoBoundExceedsTheTime) {
  busy(EngineKind::Scalar, 1.0);
  copy(1.0, 10, 1000);
  for (const auto& [name, bound] : verdict().bounds_ns) EXPECT_LE(bound, 100000 * 1.001) << name;
}

TEST_F(Verdict, TheBusiestCoreDecides) {
  run = hand_made::idle_run(chip, 100 * kFsPerUs, 2);
  EngineCounters& second = hand_made::engine(run, EngineKind::Vector, 1);
  second.busy_cycles = second.elapsed_cycles;
  second.idle_cycles = 0;
  EXPECT_NEAR(value(verdict().shares, "vector"), 1, 1e-9);
}

TEST_F(Verdict, AResourceInUseLongerThanTheRunIsAFault) {
  run.cores[0].dma.issue_limited_fs = 101 * kFsPerUs;
  EXPECT_THROW((void)verdict(), InternalError);
}

TEST_F(Verdict, WorkBookedBeyondTheEndOfAStoppedRunIsCut) {
  run.cores[0].dma.issue_limited_fs = 250 * kFsPerUs;
  run.truncated = "--max-time 100us reached";
  EXPECT_EQ(value(verdict().shares, "DMA issue"), 1);
  EXPECT_TRUE(says("busy 100.0 % of the time")) << verdict().sentence;
}

TEST_F(Verdict, NothingRanHasNoBottleneck) {
  run = hand_made::idle_run(chip, 0);
  EXPECT_EQ(verdict().resource, "none");
}

}  // namespace
}  // namespace trnsim
