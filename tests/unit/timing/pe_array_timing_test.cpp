// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/pe_array_timing.hpp"

#include <gtest/gtest.h>

namespace trnsim {
namespace {

TensorConfig trainium2() {
  TensorConfig config;
  config.issue_overhead_cycles = 9;
  config.transpose_mode = true;
  return config;
}

MatmulShape shape(std::uint32_t stationary, std::uint32_t moving, DType dtype = DType::Bf16) {
  MatmulShape s;
  s.rows = 128;
  s.stationary = stationary;
  s.moving = moving;
  s.dtype = dtype;
  return s;
}

TEST(PeArrayTiming, OneMovingColumnTakesOneCycleAndTheOverhead) {
  EXPECT_EQ(PeArrayTiming(trainium2()).interval(shape(128, 512)).value, 521U);
}

TEST(PeArrayTiming, ShortMovingOperandsCostTheFloor) {
  const PeArrayTiming timing(trainium2());
  EXPECT_EQ(timing.interval(shape(128, 64)).value, 64U + 9U);
  EXPECT_EQ(timing.interval(shape(128, 1)).value, 64U + 9U);
  EXPECT_EQ(timing.interval(shape(128, 65)).value, 65U + 9U);
}

TEST(PeArrayTiming, Fp32TakesFourPassesInTwoInstructions) {
  EXPECT_EQ(PeArrayTiming(trainium2()).interval(shape(128, 512, DType::Fp32)).value, 4U * 512 + 2 * 9);
}

TEST(PeArrayTiming, AnOneZeroHintHalvesFp32) {
  MatmulShape s = shape(128, 512, DType::Fp32);
  s.onezero = true;
  EXPECT_EQ(PeArrayTiming(trainium2()).streaming(s).value, 2U * 512);
}

TEST(PeArrayTiming, TransposeModeHalvesFp32OnlyWhereItExists) {
  MatmulShape s = shape(128, 128, DType::Fp32);
  s.transpose = true;
  EXPECT_EQ(PeArrayTiming(trainium2()).streaming(s).value, 256U);
  TensorConfig trainium1 = trainium2();
  trainium1.transpose_mode = false;
  EXPECT_EQ(PeArrayTiming(trainium1).streaming(s).value, 512U);
}

TEST(PeArrayTiming, Fp32TransposeOf128ColumnsLasts272Nanoseconds) {  // profile of Trainium2, kernel optimisation guide
  MatmulShape s = shape(128, 128, DType::Fp32);
  s.transpose = true;
  EXPECT_NEAR(static_cast<double>(PeArrayTiming(trainium2()).latency(s).value) / 2.4, 272, 272 * 0.03);
}

TEST(PeArrayTiming, EightBitAndDoubleRowCostAsMuchAsSixteenBit) {
  const PeArrayTiming timing(trainium2());
  MatmulShape s = shape(128, 512, DType::Fp8E4M3);
  EXPECT_EQ(timing.interval(s), timing.interval(shape(128, 512)));
  s.double_row = true;
  EXPECT_EQ(timing.interval(s), timing.interval(shape(128, 512)));
}

TEST(PeArrayTiming, FastLoadTakesAQuarterOfTheColumns) {
  const PeArrayTiming timing(trainium2());
  EXPECT_EQ(timing.load(shape(128, 512)).value, 32U);
  EXPECT_EQ(timing.load(shape(127, 512)).value, 32U);
  EXPECT_EQ(timing.load(shape(65, 512)).value, 17U);
}

TEST(PeArrayTiming, ATinyLoadCostsTheMinimum) { EXPECT_EQ(PeArrayTiming(trainium2()).load(shape(1, 512)).value, 16U); }

TEST(PeArrayTiming, AnFp32LoadTakesFourTimesAsLong) {
  EXPECT_EQ(PeArrayTiming(trainium2()).load(shape(128, 512, DType::Fp32)).value, 128U);
}

}  // namespace
}  // namespace trnsim
