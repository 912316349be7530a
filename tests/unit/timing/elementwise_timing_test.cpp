// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/elementwise_timing.hpp"

#include <gtest/gtest.h>

#include "support/forked.hpp"
#include "support/program_builder.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;

Operand at(Buffer buffer, std::uint32_t columns, DType dtype) { return ProgramBuilder::on_chip(1, buffer, 128, columns, dtype); }

Instruction make(Opcode op, const std::vector<Operand>& operands, EngineKind engine = EngineKind::Vector) {
  Instruction i;
  i.op = op;
  i.engine = engine;
  for (std::size_t k = 0; k < operands.size(); ++k) i.operands[k] = operands[k];
  return i;
}

class VectorModes : public ::testing::Test {
 protected:
  static VectorConfig config() { return test::preset("trn2").vector; }
  /// Streaming time: latency without the fixed part.
  static std::uint64_t work(const Instruction& i) { return VectorTiming(config()).cost(i).latency.value - config().pipe_latency_cycles; }
  static constexpr auto S = Buffer::Sbuf, P = Buffer::Psum;
  static constexpr auto b16 = DType::Bf16, f32 = DType::Fp32;
};

TEST_F(VectorModes, SixteenBitCopyInSbufRunsFourTimesAsFast) {
  EXPECT_EQ(work(make(Opcode::TensorCopy, {at(S, 4096, b16), at(S, 4096, b16)})), 1024U);
}

TEST_F(VectorModes, StridedSixteenBitCopyRunsTwiceAsFast) {
  Operand strided = at(S, 4096, b16);
  strided.free[0].stride = 2;
  EXPECT_EQ(work(make(Opcode::TensorCopy, {at(S, 4096, b16), strided})), 2048U);
}

TEST_F(VectorModes, SixteenBitCopyFromPsumRunsTwiceAsFast) {
  EXPECT_EQ(work(make(Opcode::TensorCopy, {at(S, 4096, b16), at(P, 4096, b16)})), 2048U);
}

TEST_F(VectorModes, Fp32CopyFromPsumRunsAtOneElementPerCycle) {
  EXPECT_EQ(work(make(Opcode::TensorCopy, {at(S, 512, b16), at(P, 512, f32)})), 512U);
}

TEST_F(VectorModes, Fp32CopyInSbufUsesTheWidePath) { EXPECT_EQ(work(make(Opcode::TensorCopy, {at(S, 512, f32), at(S, 512, f32)})), 256U); }

TEST_F(VectorModes, TwoSixteenBitInputsRunTwiceAsFast) {
  EXPECT_EQ(work(make(Opcode::TensorTensor, {at(S, 512, b16), at(S, 512, b16), at(S, 512, b16)})), 256U);
}

TEST_F(VectorModes, OneInputInPsumStreamsAtOneElementPerCycle) {
  EXPECT_EQ(work(make(Opcode::TensorTensor, {at(S, 512, f32), at(S, 512, f32), at(P, 512, f32)})), 512U);
}

TEST_F(VectorModes, AFastModeSaysWhatItCostsWithoutTheBus) {
  const EngineCost cost = VectorTiming(config()).cost(make(Opcode::TensorCopy, {at(S, 4096, b16), at(S, 4096, b16)}));
  EXPECT_TRUE(cost.fast);
  EXPECT_EQ((cost.slow_interval - cost.interval).value, 3072U);
}

TEST_F(VectorModes, IndependentIntervalMatchesTheProfile) {  // 603 ns for 512 columns, PSUM and SBUF
  const EngineCost cost = VectorTiming(config()).cost(make(Opcode::TensorTensor, {at(S, 512, f32), at(S, 512, f32), at(P, 512, f32)}));
  EXPECT_NEAR(static_cast<double>(cost.interval.value) / 0.96, 603, 603 * 0.02);
}

TEST_F(VectorModes, TheInstructionFloorHolds) {
  const EngineCost cost = VectorTiming(config()).cost(make(Opcode::TensorCopy, {at(S, 1, f32), at(S, 1, f32)}));
  EXPECT_GE(cost.interval.value, config().min_interval_cycles);
}

TEST_F(VectorModes, ARunTimeAddressCostsTheDynamicFloor) {
  Instruction i = make(Opcode::TensorCopy, {at(S, 8, f32), at(S, 8, f32)});
  i.dynamic_address = true;
  EXPECT_EQ(VectorTiming(config()).cost(i).interval.value, config().dynamic_interval_cycles);
}

TEST_F(VectorModes, AScalarOperandFromMemoryCostsItsFetch) {
  Instruction i = make(Opcode::TensorScalar, {at(S, 512, f32), at(S, 512, f32)});
  const auto plain = VectorTiming(config()).cost(i).latency;
  i.operands[2] = at(S, 1, f32);
  EXPECT_EQ((VectorTiming(config()).cost(i).latency - plain).value, config().operand_read_cycles);
}

TEST(VectorTrainium1, TwoFp32InputsTakeTwoCyclesPerElement) {  // profile: 14,977 ns for 8,192 columns
  const VectorTiming timing(test::preset("trn1").vector);
  const EngineCost cost = timing.cost(make(Opcode::TensorTensor, {at(Buffer::Sbuf, 8192, DType::Fp32), at(Buffer::Sbuf, 8192, DType::Fp32),
                                                                  at(Buffer::Sbuf, 8192, DType::Fp32)}));
  EXPECT_NEAR(static_cast<double>(cost.latency.value) / 1.12, 14'977, 14'977 * 0.02);
}

TEST(VectorTrainium1, ALongStrideHalvesTheRate) {
  const VectorTiming timing(test::preset("trn1").vector);
  Instruction i = make(Opcode::TensorCopy, {at(Buffer::Sbuf, 1024, DType::Fp32), at(Buffer::Sbuf, 1024, DType::Fp32)});
  const auto dense = timing.cost(i).latency;
  i.operands[1].free[0].stride = 4;  // 16 bytes
  EXPECT_EQ((timing.cost(i).latency - dense).value, 1024U);
  i.operands[1].free[0].stride = 3;
  EXPECT_EQ(timing.cost(i).latency, dense);
}

Instruction activation(std::uint32_t columns, Buffer from = Buffer::Sbuf) {
  return make(Opcode::Activation,
              {at(Buffer::Sbuf, columns, DType::Fp32), at(from, columns, DType::Fp32), at(Buffer::Sbuf, 1, DType::Fp32)},
              EngineKind::Scalar);
}

TEST(ScalarTrainium2, ExponentialWithBiasMatchesTheProfile) {
  const ScalarTiming timing(test::preset("trn2").scalar);
  EXPECT_NEAR(static_cast<double>(timing.cost(activation(4096)).latency.value) / 1.2, 3711, 3711 * 0.02);
  EXPECT_NEAR(static_cast<double>(timing.cost(activation(128)).latency.value) / 1.2, 400, 400 * 0.02);
}

TEST(ScalarTrainium2, AccumulatorReadOutCostsASecondInstruction) {
  const ScalarConfig config = test::preset("trn2").scalar;
  const ScalarTiming timing(config);
  Instruction i = activation(1024);
  const auto plain = timing.cost(i).interval;
  i.reduce = true;
  EXPECT_EQ((timing.cost(i).interval - plain).value, config.accumulator_read_interval_cycles);
}

TEST(ScalarTrainium2, PsumSourceAnswersSooner) {
  const ScalarTiming timing(test::preset("trn2").scalar);
  EXPECT_LT(timing.cost(activation(512, Buffer::Psum)).latency, timing.cost(activation(512)).latency);
}

TEST(ScalarTrainium1, OneElementLasts159Nanoseconds) {
  const ScalarTiming timing(test::preset("trn1").scalar);
  Instruction i = activation(1);
  i.operands[2] = Operand{};
  EXPECT_NEAR(static_cast<double>(timing.cost(i).latency.value) / 1.4, 159, 159 * 0.02);
}

TEST(GpSimd, StartsWithItsStartCost) {
  GpSimdConfig config;
  const Instruction i = make(Opcode::Iota, {at(Buffer::Sbuf, 512, DType::Fp32)}, EngineKind::GpSimd);
  EXPECT_EQ(GpSimdTiming(config).cost(i).interval.value, config.start_cycles + 512U);
}

TEST(GpSimd, TwoInputsShareOnePort) {
  GpSimdConfig config;
  const Instruction i = make(
      Opcode::TensorTensor, {at(Buffer::Sbuf, 512, DType::Int32), at(Buffer::Sbuf, 512, DType::Int32), at(Buffer::Sbuf, 512, DType::Int32)},
      EngineKind::GpSimd);
  EXPECT_EQ(GpSimdTiming(config).cost(i).interval.value, config.start_cycles + 1024U);
}

TEST(Factor, RoundsProductsUp) {
  EXPECT_EQ(Factor(0.25).times(5), 2U);
  EXPECT_EQ(Factor(0.25).times(4), 1U);
  EXPECT_EQ(Factor(2).times(7), 14U);
}

}  // namespace
}  // namespace trnsim
