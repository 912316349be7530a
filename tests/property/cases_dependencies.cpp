// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// A consumer starts after its producer: seen through time, for every pair of producer and consumer.
#include <gtest/gtest.h>

#include "support/program_builder.hpp"
#include "support/run_result.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;

enum class Work { Load, Vector, Scalar, GpSimd, Matmul, Store };
constexpr std::array kNames{"load", "vector", "scalar", "gpsimd", "matmul", "store"};

/// Two tiles of each memory, and one instruction of a kind from one tile into another.
class Pair {
 public:
  Pair() {
    in_ = b_.hbm("in", {128, 512}, DType::Bf16, TensorUse::Input);
    out_ = b_.hbm("out", {128, 512}, DType::Bf16, TensorUse::Output);
    for (TensorId& tile : sbuf_) tile = b_.sbuf(128, 1024);
    psum_ = b_.psum(128, 2048);
  }

  void produce(Work work, std::size_t to) { add(work, 3, to); }
  void consume(Work work, std::size_t from) { add(work, from, 2); }

  Snapshot run(const ChipConfig& chip) {
    // The child that simulates takes its own copy of the builder's program.
    return test::simulate_ok(chip, [&] { return b_.workload(); });
  }

 private:
  [[nodiscard]] Operand tile(std::size_t which) const { return ProgramBuilder::on_chip(sbuf_.at(which), Buffer::Sbuf, 128, 512); }

  void add(Work work, std::size_t from, std::size_t to) {
    switch (work) {
      case Work::Load: b_.load(sbuf_.at(to), in_, 128, 512); break;
      case Work::Store: b_.store(out_, sbuf_.at(from), 128, 512); break;
      case Work::Vector: b_.add(Opcode::TensorScalar, EngineKind::Vector, {tile(to), tile(from)}); break;
      case Work::Scalar: b_.add(Opcode::Activation, EngineKind::Scalar, {tile(to), tile(from)}).function = ActFn::Copy; break;
      case Work::GpSimd: b_.add(Opcode::TensorScalar, EngineKind::GpSimd, {tile(to), tile(from)}); break;
      case Work::Matmul: b_.matmul(psum_, sbuf_.at(4), sbuf_.at(from), 128, 128, 512); break;
    }
  }

  ProgramBuilder b_;
  TensorId in_ = 0, out_ = 0, psum_ = 0;
  std::array<TensorId, 5> sbuf_{};
};

using Case = std::tuple<const char*, Work, Work>;

class Dependencies : public testing::TestWithParam<Case> {};

TEST_P(Dependencies, ConsumerOfTheResultEndsLaterThanOneOfOtherData) {
  const auto& [name, producer, consumer] = GetParam();
  const ChipConfig chip = test::preset(name);
  Pair dependent, independent, alone;
  dependent.produce(producer, 0);
  dependent.consume(consumer, 0);
  independent.produce(producer, 0);
  independent.consume(consumer, 1);
  alone.produce(producer, 0);
  const Snapshot later = dependent.run(chip), sooner = independent.run(chip), first = alone.run(chip);
  EXPECT_GT(later.end_fs, sooner.end_fs);
  EXPECT_GE(later.end_fs, first.end_fs + from_ns(chip.sequencer.semaphore_hop_ns).value);
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [chip, producer, consumer] = info.param;
  return std::string(chip) + "_" + kNames[static_cast<std::size_t>(producer)] + "_" + kNames[static_cast<std::size_t>(consumer)];
}

INSTANTIATE_TEST_SUITE_P(All, Dependencies,
                         testing::Combine(testing::Values("trn1", "trn2", "trn3"),
                                          testing::Values(Work::Load, Work::Vector, Work::Scalar, Work::GpSimd),
                                          testing::Values(Work::Vector, Work::Scalar, Work::GpSimd, Work::Matmul, Work::Store)),
                         case_name);

TEST(ForwardDependencies, EveryListedInstructionIsWaitedFor) {
  // The Vector instruction comes first in the program and names two loads behind it; the slow one is listed first.
  const ChipConfig chip = test::preset("trn2");
  const auto run = [&](std::vector<std::uint64_t> after) {
    ProgramBuilder b;
    const TensorId in = b.hbm("in", {128, 16384}, DType::Bf16, TensorUse::Input);
    const TensorId big = b.sbuf(128, 32768), small = b.sbuf(128, 64), other = b.sbuf(128, 1024);
    Instruction& fill = b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(other, Buffer::Sbuf, 128, 512)});
    fill.id = 1;
    fill.after_count = static_cast<std::uint8_t>(after.size());
    std::copy(after.begin(), after.end(), fill.after.begin());
    Instruction& slow = b.load(big, in, 128, 16384);
    slow.id = 2;
    Instruction& fast = b.load(small, in, 128, 32);
    fast.id = 3;
    fast.ring = 1;
    return test::simulate_ok(chip, [&] { return b.workload(); }).end_fs;
  };
  EXPECT_GT(run({2}), run({3}));
  EXPECT_EQ(run({2, 3}), run({2}));
  EXPECT_EQ(run({3, 2}), run({2}));
}

TEST(ForwardDependencies, MayReachAcrossAnyNumberOfInstructions) {
  const ChipConfig chip = test::preset("trn2");
  ProgramBuilder b;
  const TensorId in = b.hbm("in", {128, 512}, DType::Bf16, TensorUse::Input);
  const TensorId loaded = b.sbuf(128, 1024), other = b.sbuf(128, 16);
  constexpr std::uint64_t kBetween = 20'000;
  for (std::uint64_t i = 0; i < kBetween; ++i) {
    Instruction& fill = b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(other, Buffer::Sbuf, 128, 1)});
    if (i > 0) continue;
    fill.after_count = 1;
    fill.after[0] = 1;
  }
  b.load(loaded, in, 128, 512).id = 1;
  EXPECT_EQ(test::simulate_ok(chip, [&] { return b.workload(); }).instructions, kBetween + 1);
}

}  // namespace
}  // namespace trnsim
