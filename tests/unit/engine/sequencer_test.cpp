// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Instructions that an engine's queue runs itself, exchanges between two cores, and sums by DMA, in whole runs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/forked.hpp"
#include "support/program_builder.hpp"
#include "trnsim/result.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;
using test::simulate_ok;

constexpr auto S = Buffer::Sbuf;

double end_ns(const ChipConfig& config, const std::function<void(ProgramBuilder&)>& fill) {
  const Snapshot s = simulate_ok(config, [&] {
    ProgramBuilder b;
    fill(b);
    return b.workload();
  });
  return to_ns(Time{s.end_fs});
}

const ChipConfig& trn2() {
  static const ChipConfig config = test::preset("trn2");
  return config;
}

/// Cycles of 1.2 GHz that a time takes, as time.
double whole_cycles(double ns) { return std::ceil(ns * 1.2 - 1e-6) / 1.2; }

TEST(Sequencer, CoreBarrierHoldsItsQueueForTheRoundTrip) {
  const double hop = trn2().sequencer.semaphore_hop_ns;
  const double once = end_ns(trn2(), [](ProgramBuilder& b) { b.add(Opcode::CoreBarrier, EngineKind::GpSimd, {}); });
  EXPECT_GE(once, 1000);
  EXPECT_LE(once, 1001 + hop);
  const double twice = end_ns(trn2(), [](ProgramBuilder& b) {
    b.add(Opcode::CoreBarrier, EngineKind::GpSimd, {});
    b.add(Opcode::CoreBarrier, EngineKind::GpSimd, {});
  });
  EXPECT_NEAR(twice - once, whole_cycles(1000), 0.01);
}

TEST(Sequencer, WorkOfTheSameEngineWaitsForItAndThatOfOthersDoesNot) {
  const auto with = [](EngineKind engine) {
    return end_ns(trn2(), [engine](ProgramBuilder& b) {
      b.add(Opcode::CoreBarrier, EngineKind::Vector, {});
      const TensorId t = b.sbuf(128, 65536);
      b.add(Opcode::Memset, engine, {ProgramBuilder::on_chip(t, S, 128, 4096, DType::Fp32)});
    });
  };
  const double memset_ns = end_ns(trn2(), [](ProgramBuilder& b) {
    const TensorId t = b.sbuf(128, 65536);
    b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(t, S, 128, 4096, DType::Fp32)});
  });
  EXPECT_NEAR(with(EngineKind::Vector), memset_ns + 1000, 3);
  EXPECT_LT(with(EngineKind::GpSimd), memset_ns + 900);
}

TEST(Sequencer, RegistersCostAControlInstructionOrTheFetchOfTheirValue) {
  const auto operand = [](ProgramBuilder& b) { return ProgramBuilder::on_chip(b.sbuf(1, 4), S, 1, 1, DType::Uint32); };
  const auto lasting = [](Opcode op, const std::function<std::vector<Operand>(ProgramBuilder&)>& operands) {
    const auto run = [&](int n) {
      return end_ns(trn2(), [&](ProgramBuilder& b) {
        for (int k = 0; k < n; ++k) b.add(op, EngineKind::Sync, operands(b));
      });
    };
    return run(3) - run(2);
  };
  EXPECT_NEAR(lasting(Opcode::RegisterMove, [](ProgramBuilder&) { return std::vector<Operand>{}; }), whole_cycles(9), 0.01);
  EXPECT_NEAR(lasting(Opcode::RegisterStore, [&](ProgramBuilder& b) { return std::vector{operand(b)}; }), whole_cycles(9), 0.01);
  EXPECT_NEAR(lasting(Opcode::RegisterLoad, [&](ProgramBuilder& b) { return std::vector{operand(b)}; }), 600 / 1.2, 0.01);
  EXPECT_NEAR(lasting(Opcode::RegisterAlloc, [](ProgramBuilder&) { return std::vector<Operand>{}; }), 0, 0.01);
}

/// A move of 128 rows of 1 KiB within SBUF.
double move_ns(Opcode op, EngineKind engine) {
  return end_ns(trn2(), [&](ProgramBuilder& b) {
    const TensorId to = b.sbuf(128, 1024), from = b.sbuf(128, 1024);
    b.add(op, engine, {ProgramBuilder::on_chip(to, S, 128, 256, DType::Fp32), ProgramBuilder::on_chip(from, S, 128, 256, DType::Fp32)});
  });
}

TEST(Sendrecv, IsACopyWithinSbufAfterTheHandshake) {
  EXPECT_NEAR(move_ns(Opcode::Sendrecv, EngineKind::Sync), move_ns(Opcode::DmaCopy, EngineKind::Sync) + 1000, 0.01);
}

TEST(Sendrecv, ByGpSimdTakesItsOwnDma) {
  const double expected = (150 + 131072 / 153.0 * 1.2 + trn2().gpsimd.pipe_latency_cycles) / 1.2;
  EXPECT_NEAR(move_ns(Opcode::Sendrecv, EngineKind::GpSimd), expected, trn2().sequencer.semaphore_hop_ns + 3);
}

/// Adds tiles of `kib` KiB a partition up.
double sum_ns(const ChipConfig& config, unsigned sources, std::uint32_t kib) {
  return end_ns(config, [&](ProgramBuilder& b) {
    const auto tile = [&] { return ProgramBuilder::on_chip(b.sbuf(128, kib * 1024), S, 128, kib * 256, DType::Fp32); };
    const Operand to = tile(), from = tile();
    auto extras = std::make_shared<InstructionExtras>();
    for (unsigned k = 2; k <= sources; ++k) extras->operands.push_back({numbered(Role::Src, k), tile()});
    Instruction& i = b.add(Opcode::DmaCompute, EngineKind::Sync, {to, from});
    if (sources > 1) i.extras = extras;
  });
}

TEST(DmaCompute, CountsTheBytesOfAllSourcesAtHalfTheRate) {
  const double bytes_per_engine = 128.0 * 16 * 1024 / 16;
  const double copy = sum_ns(trn2(), 1, 16);
  EXPECT_NEAR(sum_ns(trn2(), 2, 16) - copy, bytes_per_engine / 23 * (2 / 0.5 - 1), 200);
  EXPECT_NEAR(sum_ns(trn2(), 4, 16) - sum_ns(trn2(), 2, 16), bytes_per_engine / 23 * (2 / 0.5), 200);
}

TEST(DmaCompute, ReadsEverySourceInHbm) {
  const Snapshot s = simulate_ok(trn2(), [] {
    ProgramBuilder b;
    const TensorId x = b.hbm("x", {128, 256}, DType::Fp32, TensorUse::Input), y = b.hbm("y", {128, 256}, DType::Fp32, TensorUse::Input);
    const TensorId z = b.hbm("z", {128, 256}, DType::Fp32, TensorUse::Output);
    const auto all = [](TensorId id) { return ProgramBuilder::in_hbm(id, 128, 256, 1024, DType::Fp32); };
    auto extras = std::make_shared<InstructionExtras>();
    extras->operands.push_back({Role::Src2, all(y)});
    b.add(Opcode::DmaCompute, EngineKind::Sync, {all(z), all(x)}).extras = extras;
    return b.workload();
  });
  EXPECT_EQ(s.cores[0].dma.hbm_read_bytes, 2U * 128 * 1024);
  EXPECT_EQ(s.cores[0].dma.hbm_write_bytes, 128U * 1024);
  EXPECT_NO_THROW(check_accounts(s));
}

TEST(Charges, AResultNamesTheAssumedNumbersOfTheInstructionsItRan) {
  const auto assumed = [](Opcode op) {
    ProgramBuilder b;
    const auto tile = [&] { return ProgramBuilder::on_chip(b.sbuf(128, 1024), S, 128, 256, DType::Uint32); };
    const Snapshot s = simulate_ok(trn2(), [&] {
      std::vector<Operand> operands;
      for (std::size_t k = 0; k < info(op).operands.size(); ++k) operands.push_back(tile());
      b.add(op, info(op).default_engine, operands);
      return b.workload();
    });
    const auto& charges = s.cores[0].engines[static_cast<std::size_t>(EngineKind::GpSimd)].charges;
    return charges[static_cast<std::size_t>(Charge::GpSimdGather)];
  };
  EXPECT_EQ(assumed(Opcode::NcNGather), 1U);
  EXPECT_EQ(assumed(Opcode::SequenceBounds), 0U);
}

}  // namespace
}  // namespace trnsim
