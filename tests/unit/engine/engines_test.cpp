// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/forked.hpp"
#include "support/program_builder.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;
using test::simulate_ok;

constexpr auto S = Buffer::Sbuf, P = Buffer::Psum;

const EngineCounters& engine(const Snapshot& s, EngineKind kind) { return s.cores[0].engines[static_cast<std::size_t>(kind)]; }
std::uint64_t stall(const Snapshot& s, EngineKind kind, StallReason reason) {
  return engine(s, kind).stall_cycles[static_cast<std::size_t>(reason)];
}

/// Simulates what `fill` adds to an empty program.
Snapshot run(const ChipConfig& config, const std::function<void(ProgramBuilder&)>& fill) {
  return simulate_ok(config, [&] {
    ProgramBuilder b;
    fill(b);
    return b.workload();
  });
}

/// A copy of `columns` FP32 elements between two tiles of their own.
Instruction& copy(ProgramBuilder& b, EngineKind kind, std::uint32_t columns, DType dtype = DType::Fp32) {
  const TensorId from = b.sbuf(128, columns * 4), to = b.sbuf(128, columns * 4);
  return b.add(Opcode::TensorCopy, kind,
               {ProgramBuilder::on_chip(to, S, 128, columns, dtype), ProgramBuilder::on_chip(from, S, 128, columns, dtype)});
}

double cycles(const ChipConfig& c, double n) { return n / c.vector.clock_ghz; }

TEST(VectorEngine, OneInstructionLastsItsLatency) {
  const ChipConfig c = test::preset("trn2");
  const Snapshot s = run(c, [](ProgramBuilder& b) { copy(b, EngineKind::Vector, 512); });
  EXPECT_NEAR(to_ns(Time{s.end_fs}), cycles(c, 256 + c.vector.pipe_latency_cycles), 0.01);
}

TEST(VectorEngine, IndependentInstructionsFollowAtTheInterval) {
  const ChipConfig c = test::preset("trn2");
  const Snapshot s = run(c, [](ProgramBuilder& b) {
    for (int i = 0; i < 3; ++i) copy(b, EngineKind::Vector, 512);
  });
  const double interval = 256 + c.vector.issue_overhead_cycles;
  EXPECT_NEAR(to_ns(Time{s.end_fs}), cycles(c, 2 * interval + 256 + c.vector.pipe_latency_cycles), 0.01);
}

TEST(VectorEngine, ADependentInstructionWaitsForTheResultAndTheHop) {
  const ChipConfig c = test::preset("trn2");
  const Snapshot s = run(c, [](ProgramBuilder& b) {
    const TensorId t = b.sbuf(128, 4096), u = b.sbuf(128, 2048), v = b.sbuf(128, 2048);
    b.add(Opcode::TensorCopy, EngineKind::Vector,
          {ProgramBuilder::on_chip(u, S, 128, 512, DType::Fp32), ProgramBuilder::on_chip(t, S, 128, 512, DType::Fp32)});
    b.add(Opcode::TensorCopy, EngineKind::Vector,
          {ProgramBuilder::on_chip(v, S, 128, 512, DType::Fp32), ProgramBuilder::on_chip(u, S, 128, 512, DType::Fp32)});
  });
  const double one = cycles(c, 256 + c.vector.pipe_latency_cycles);
  const double exact = 2 * one + c.sequencer.semaphore_hop_ns;
  EXPECT_GE(to_ns(Time{s.end_fs}), exact - 0.01);                 // not before
  EXPECT_LE(to_ns(Time{s.end_fs}), exact + cycles(c, 1) + 0.01);  // on the next clock edge
  EXPECT_GT(stall(s, EngineKind::Vector, StallReason::WaitEngine), 0U);
}

TEST(VectorEngine, TheOverheadOfAnInstructionIsBookedAsIssue) {
  const ChipConfig c = test::preset("trn2");
  const Snapshot s = run(c, [](ProgramBuilder& b) { copy(b, EngineKind::Vector, 512); });
  EXPECT_EQ(engine(s, EngineKind::Vector).busy_cycles, 256U);
  EXPECT_EQ(stall(s, EngineKind::Vector, StallReason::Issue), c.vector.issue_overhead_cycles);
}

TEST(Engines, WorkAtTheSameTime) {
  const ChipConfig c = test::preset("trn2");
  const auto both = run(c, [](ProgramBuilder& b) { copy(b, EngineKind::Vector, 4096), copy(b, EngineKind::Scalar, 4096); });
  const auto slower = run(c, [](ProgramBuilder& b) { copy(b, EngineKind::Scalar, 4096); });
  EXPECT_EQ(both.end_fs, slower.end_fs);
}

TEST(Ports, Trainium1VectorAndGpSimdExcludeEachOtherOnSbuf) {
  const auto fill = [](ProgramBuilder& b) { copy(b, EngineKind::Vector, 4096), copy(b, EngineKind::GpSimd, 4096); };
  const Snapshot v2 = run(test::preset("trn1"), fill);
  EXPECT_GT(stall(v2, EngineKind::Vector, StallReason::PortConflict) + stall(v2, EngineKind::GpSimd, StallReason::PortConflict), 3000U);
  const Snapshot v3 = run(test::preset("trn2"), fill);
  EXPECT_EQ(stall(v3, EngineKind::Vector, StallReason::PortConflict) + stall(v3, EngineKind::GpSimd, StallReason::PortConflict), 0U);
}

/// Vector and Scalar read 2 KiB of each partition of one PSUM tile, each from its own offset.
Snapshot two_readers(const ChipConfig& chip, std::uint64_t scalar_offset, std::uint64_t vector_offset = 0) {
  return run(chip, [&](ProgramBuilder& b) {
    const TensorId psum = b.psum(128, static_cast<std::uint32_t>(chip.psum_bytes_per_partition())), x = b.sbuf(128, 2048),
                   y = b.sbuf(128, 2048);
    b.add(Opcode::TensorCopy, EngineKind::Vector,
          {ProgramBuilder::on_chip(x, S, 128, 512, DType::Fp32), ProgramBuilder::on_chip(psum, P, 128, 512, DType::Fp32, vector_offset)});
    b.add(Opcode::Activation, EngineKind::Scalar,
          {ProgramBuilder::on_chip(y, S, 128, 512, DType::Fp32), ProgramBuilder::on_chip(psum, P, 128, 512, DType::Fp32, scalar_offset)});
  });
}

TEST(Ports, VectorAndScalarOnOnePsumBankTakeTurns) {
  const Snapshot s = two_readers(test::preset("trn2"), 0);
  EXPECT_GT(stall(s, EngineKind::Scalar, StallReason::PsumBank) + stall(s, EngineKind::Vector, StallReason::PsumBank), 0U);
}

TEST(Ports, DifferentPsumBanksAreFree) {
  const Snapshot s = two_readers(test::preset("trn2"), 2048);
  EXPECT_EQ(stall(s, EngineKind::Scalar, StallReason::PsumBank) + stall(s, EngineKind::Vector, StallReason::PsumBank), 0U);
}

TEST(Ports, EveryPsumBankOfALargerPsumHasItsTurns) {
  const auto conflicts = [](const ChipConfig& chip, std::uint64_t scalar_bank, std::uint64_t vector_bank) {
    const Snapshot s =
        two_readers(chip, scalar_bank * chip.psum.bank_bytes_per_partition, vector_bank * chip.psum.bank_bytes_per_partition);
    return stall(s, EngineKind::Scalar, StallReason::PsumBank) + stall(s, EngineKind::Vector, StallReason::PsumBank);
  };
  for (const std::uint32_t banks : {9U, 16U, 64U}) {
    const ChipConfig chip = test::preset("trn2", {"psum.banks=" + std::to_string(banks)});
    EXPECT_GT(conflicts(chip, banks - 1, banks - 1), 0U) << banks;
    EXPECT_EQ(conflicts(chip, banks - 1, banks - 2), 0U) << banks;
  }
}

TEST(Ports, Trainium1VectorAndScalarExcludeEachOtherOnAllOfPsum) {
  const Snapshot s = two_readers(test::preset("trn1"), 2048);
  EXPECT_GT(stall(s, EngineKind::Scalar, StallReason::PortConflict) + stall(s, EngineKind::Vector, StallReason::PortConflict), 0U);
}

TEST(Ports, AVectorFastModeFallsBackWhileGpSimdStreams) {
  const ChipConfig c = test::preset("trn2");
  const auto vector_busy = [&](bool gpsimd) {
    const Snapshot s = run(c, [&](ProgramBuilder& b) {
      if (gpsimd) copy(b, EngineKind::GpSimd, 4096);
      b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(b.sbuf(128, 64), S, 128, 16, DType::Fp32)});  // GpSimd is first
      copy(b, EngineKind::Vector, 4096, DType::Bf16);
    });
    return engine(s, EngineKind::Vector).busy_cycles;
  };
  EXPECT_EQ(vector_busy(true) - vector_busy(false), 3072U);
}

Instruction& activate(ProgramBuilder& b, ActFn function) {
  Instruction& i = copy(b, EngineKind::Scalar, 128);
  i.op = Opcode::Activation;
  i.function = function;
  return i;
}

TEST(ScalarEngine, LoadsATableOncePerChangeOfTheFunctionSet) {
  const ChipConfig c = test::preset("trn2");
  const auto table_cycles = [&](const std::vector<ActFn>& functions) {
    const Snapshot s = run(c, [&](ProgramBuilder& b) {
      for (const ActFn f : functions) activate(b, f);
    });
    return stall(s, EngineKind::Scalar, StallReason::TableLoad);
  };
  const auto one = static_cast<std::uint64_t>(std::ceil(c.scalar.table_load_ns * c.scalar.clock_ghz));
  EXPECT_EQ(table_cycles({ActFn::Copy, ActFn::Square}), 0U);
  EXPECT_EQ(table_cycles({ActFn::Exp, ActFn::Exp, ActFn::Copy}), one);
  EXPECT_EQ(table_cycles({ActFn::Exp, ActFn::Sqrt, ActFn::Exp}), 3 * one);
}

TEST(ScalarEngine, ATableLoadRunsWhileTheDataAreStillOnTheirWay) {
  const ChipConfig c = test::preset("trn2");
  const auto end = [&](ActFn function) {
    return run(c,
               [&](ProgramBuilder& b) {
                 const TensorId in = b.hbm("in", {128, 128}, DType::Fp32, TensorUse::Input);
                 const TensorId x = b.sbuf(128, 512), y = b.sbuf(128, 512);
                 b.load(x, in, 128, 128, DType::Fp32);
                 b.add(Opcode::Activation, EngineKind::Scalar,
                       {ProgramBuilder::on_chip(y, S, 128, 128, DType::Fp32), ProgramBuilder::on_chip(x, S, 128, 128, DType::Fp32)})
                     .function = function;
               })
        .end_fs;
  };
  EXPECT_EQ(end(ActFn::Exp), end(ActFn::Copy));
}

Snapshot matmuls(const ChipConfig& c, int count, std::uint32_t m, std::uint32_t n, bool same_stationary, DType dtype = DType::Bf16) {
  return run(c, [&](ProgramBuilder& b) {
    const TensorId acc = b.psum(128, 2048), moving = b.sbuf(128, n * 4), w1 = b.sbuf(128, m * 4), w2 = b.sbuf(128, m * 4);
    for (int i = 0; i < count; ++i) b.matmul(acc, same_stationary || i % 2 == 0 ? w1 : w2, moving, 128, m, n, dtype, i > 0);
  });
}

/// Nanoseconds per matmul of a long stream.
double pitch(const ChipConfig& c, std::uint32_t m, std::uint32_t n, DType dtype = DType::Bf16) {
  const auto end = [&](int count) { return static_cast<double>(matmuls(c, count, m, n, false, dtype).end_fs) / 1e6; };
  return (end(2000) - end(1000)) / 1000;
}

TEST(TensorEngine, TheLoadOfTheNextStationaryHidesUnderTheMultiply) {
  const ChipConfig c = test::preset("trn2");
  EXPECT_NEAR(pitch(c, 128, 512), (512 + c.tensor.issue_overhead_cycles) / 2.4, 0.01);
}

TEST(TensorEngine, Fp32MatmulsFollowAtTheMeasuredPitch) {  // 2 × 1,029.5 cycles
  EXPECT_NEAR(pitch(test::preset("trn2"), 128, 512, DType::Fp32), 858.7, 858.7 * 0.01);
}

TEST(TensorEngine, AShortMovingOperandBeatsAShortStationaryOne) {  // matrix times vector on Trainium1
  const ChipConfig c = test::preset("trn1");
  const double short_moving = pitch(c, 128, 1), short_stationary = pitch(c, 1, 128);
  EXPECT_NEAR(short_moving * 2.8, 64, 1);
  EXPECT_NEAR(short_stationary / short_moving, 2.0, 0.1);
}

TEST(TensorEngine, TheSameStationaryIsLoadedOnce) {
  const Snapshot s = matmuls(test::preset("trn2"), 10, 128, 512, true);
  EXPECT_EQ(s.cores[0].tensor.loads, 1U);
  EXPECT_EQ(s.cores[0].tensor.loads_skipped, 9U);
}

TEST(TensorEngine, ThePowerRampIsBookedAsThrottle) {
  const Snapshot s = matmuls(test::preset("trn2"), 4, 128, 512, true);
  EXPECT_GE(stall(s, EngineKind::Tensor, StallReason::Throttle), 521U);
  const Snapshot v2 = matmuls(test::preset("trn1", {"tensor.throttle_sustained=1"}), 4, 128, 512, true);
  EXPECT_EQ(stall(v2, EngineKind::Tensor, StallReason::Throttle), 0U);
}

TEST(TensorEngine, TheLastingLimitIsBookedAsThrottle) {  // 512 columns at 7/8 take 586 cycles
  const Snapshot s = matmuls(test::preset("trn1"), 4, 128, 512, true);
  EXPECT_EQ(stall(s, EngineKind::Tensor, StallReason::Throttle), 4U * 74);
}

TEST(TensorEngine, MacsAreExact) {
  const Snapshot s = matmuls(test::preset("trn2"), 3, 100, 77, true);
  EXPECT_EQ(s.cores[0].tensor.macs[static_cast<std::size_t>(DType::Bf16)], 3ULL * 128 * 100 * 77);
}

Snapshot tiled(bool tiles) {
  const ChipConfig c = test::preset("trn2", {"tensor.throttle_start=1"});
  return run(c, [&](ProgramBuilder& b) {
    for (int i = 0; i < 64; ++i) {
      const TensorId acc = b.psum(64, 2048), w = b.sbuf(64, 128), x = b.sbuf(64, 1024);
      Instruction& mm = b.matmul(acc, w, x, 64, 64, 512);
      if (tiles) {
        mm.tile_rows = mm.tile_cols = 64;
        mm.tile_row = static_cast<std::uint8_t>(64 * (i % 2));
        mm.tile_col = static_cast<std::uint8_t>(64 * (i / 2 % 2));
      }
      b.release(acc), b.release(w), b.release(x);
    }
  });
}

TEST(TensorEngine, FourArrayTilesWorkAtTheSameTime) {
  const double ratio = static_cast<double>(tiled(false).end_fs) / static_cast<double>(tiled(true).end_fs);
  EXPECT_GT(ratio, 3.0);
  EXPECT_LE(ratio, 4.0);
}

TEST(TensorEngine, BackgroundTransposesOverlapWithMultiplies) {
  const auto end = [](bool background) {
    const ChipConfig c =
        test::preset("trn3", {std::string("tensor.background_transpose=") + (background ? "true" : "false"), "tensor.throttle_start=1"});
    return run(c,
               [](ProgramBuilder& b) {
                 const TensorId acc = b.psum(128, 2048), flipped = b.psum(128, 256), w = b.sbuf(128, 256), x = b.sbuf(128, 256),
                                d = b.sbuf(128, 256);
                 for (int i = 0; i < 200; ++i) {
                   b.matmul(acc, w, x, 128, 128, 128);
                   b.add(Opcode::NcTranspose, EngineKind::Tensor,
                         {ProgramBuilder::on_chip(flipped, P, 128, 128), ProgramBuilder::on_chip(d, S, 128, 128)});
                 }
               })
        .end_fs;
  };
  const double gain = static_cast<double>(end(false)) / static_cast<double>(end(true));
  EXPECT_GT(gain, 1.6);
  EXPECT_LE(gain, 2.0);
}

}  // namespace
}  // namespace trnsim
