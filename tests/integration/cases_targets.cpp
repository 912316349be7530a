// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Kernel times against measured ones (docs/validation.md explains what is left), and the rates of streams.
#include <gtest/gtest.h>

#include "support/program_builder.hpp"
#include "support/run_result.hpp"

namespace trnsim {
namespace {

using test::kernel_ns;
using test::preset;

constexpr double kUs = 1e3, kMs = 1e6;

/// |value − target| ≤ share × target.
void expect_within(double share, double target, double value) { EXPECT_NEAR(value, target, share * target); }

TEST(MeasuredKernels, OptimizedMatmulOnTrn2RunsCloseToTheArrayBound) {
  const double ns = kernel_ns(preset("trn2"), "matmul", "m=4096,n=4096,k=4096,dtype=bf16,schedule=optimized");
  EXPECT_GE(ns, 1748 * kUs - 500);  // 32 × 8 × 32 × 512 cycles at 2.4 GHz
  EXPECT_LE(ns, 1900 * kUs);
}

TEST(MeasuredKernels, NaiveMatmulOnTrn2) {
  expect_within(0.20, 8602 * kUs, kernel_ns(preset("trn2"), "matmul", "m=4096,n=4096,k=4096,schedule=naive"));
}

TEST(MeasuredKernels, NaiveMatmulOnTrn1) {
  expect_within(0.25, 51.8 * kMs, kernel_ns(preset("trn1"), "matmul", "m=4096,n=8192,k=8192,schedule=naive"));
}

TEST(MeasuredKernels, HoistedMatmulOnTrn1) {
  expect_within(0.25, 42.96 * kMs, kernel_ns(preset("trn1"), "matmul", "m=4096,n=8192,k=8192,schedule=hoisted"));
}

TEST(MeasuredKernels, OptimizedMatmulOnTrn1) {
  const double ns = kernel_ns(preset("trn1"), "matmul", "m=4096,n=8192,k=8192,schedule=optimized");
  EXPECT_GE(ns, 6.0 * kMs);
  EXPECT_LE(ns, 8.0 * kMs);
}

TEST(MeasuredKernels, OptimizedFp32MatmulOnTrn2) {
  expect_within(0.06, 28.3 * kMs, kernel_ns(preset("trn2"), "matmul", "m=4096,n=8192,k=8192,dtype=fp32"));
}

/// Back-to-back matmuls on tiles that are there already, into four PSUM banks in turn.
double stream_tflops(const ChipConfig& chip, DType dtype, PerfMode mode, std::uint32_t count) {
  test::ProgramBuilder b;
  const std::uint32_t halves = mode == PerfMode::DoubleRow ? 2 : 1;
  const std::uint32_t bytes = element_bytes(dtype) * halves;
  const std::array weights{b.sbuf(128, 128 * bytes), b.sbuf(128, 128 * bytes)};
  const TensorId data = b.sbuf(128, 512 * bytes);
  std::array<TensorId, 4> banks{};
  for (TensorId& bank : banks) bank = b.psum(128, 2048);
  for (std::uint32_t i = 0; i < count; ++i) {
    Instruction& mm = b.matmul(banks[i % 4], weights[i % 2], data, 128, 128, 512, dtype, i >= 4);
    mm.perf_mode = mode;
    if (halves == 1) continue;
    for (std::size_t operand : {1U, 2U}) mm.operands[operand].free[0].count *= 2;
  }
  const Snapshot snapshot = test::simulate_ok(chip, [&] { return b.workload(); });
  return 2.0 * static_cast<double>(test::macs(snapshot)) / test::to_ns(snapshot) / 1e3;
}

TEST(MatmulStreams, Bf16OnTrn2ReachesItsMeasuredRate) {
  const double tflops = stream_tflops(preset("trn2"), DType::Bf16, PerfMode::None, 2048);
  EXPECT_GE(tflops, 76.0);
  EXPECT_LE(tflops, 78.6);
}

TEST(MatmulStreams, Fp32TakesFourTimesAsLong) {
  for (const char* chip : {"trn1", "trn2", "trn3"}) {
    SCOPED_TRACE(chip);
    const double bf16 = stream_tflops(preset(chip), DType::Bf16, PerfMode::None, 1024);
    expect_within(0.05, 4.0, bf16 / stream_tflops(preset(chip), DType::Fp32, PerfMode::None, 1024));
  }
}

TEST(MatmulStreams, Fp8InDoubleRowIsTwiceAsFastFromTrn2On) {
  for (const char* chip : {"trn2", "trn3"}) {
    SCOPED_TRACE(chip);
    const double bf16 = stream_tflops(preset(chip), DType::Bf16, PerfMode::None, 1024);
    expect_within(0.05, 2.0, stream_tflops(preset(chip), DType::Fp8E4M3, PerfMode::DoubleRow, 1024) / bf16);
  }
}

TEST(MatmulStreams, Fp8GainsNothingOnTrn1) {
  const double bf16 = stream_tflops(preset("trn1"), DType::Bf16, PerfMode::None, 1024);
  expect_within(0.001, bf16, stream_tflops(preset("trn1"), DType::Fp8E4M3, PerfMode::None, 1024));
}

TEST(MatmulStreams, Mxfp8OnTrn3IsFourTimesAsFastAsBf16) {
  const auto array_ns = [](const char* dtype) {
    const std::string params = std::string("m=1024,n=1024,k=2048,dtype=") + dtype;
    return test::bound_ns(test::kernel_result(preset("trn3"), "matmul", params), "tensor array");
  };
  expect_within(0.02, 4.0, array_ns("bf16") / array_ns("mxfp8"));
}

TEST(MatmulStreams, Mxfp8IsRefusedByNameWhereTheChipLacksIt) {
  for (const char* chip : {"trn1", "trn2"}) {
    try {
      make_kernel("matmul", parse_params({"m=512,n=512,k=512,dtype=mxfp8"}), preset(chip));
      ADD_FAILURE() << chip;
    } catch (const WorkloadError& error) {
      EXPECT_NE(std::string(error.what()).find("mxfp8"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("v4"), std::string::npos);
    }
  }
}

/// Interval between matrix-vector products of [1,128] × [128,128] in Tensor cycles.
double vector_matrix_cycles(std::uint32_t stationary_columns, std::uint32_t moving_columns) {
  constexpr std::uint32_t kCount = 1000;
  test::ProgramBuilder b;
  const std::array stationary{b.sbuf(128, 256), b.sbuf(128, 256)};
  const TensorId moving = b.sbuf(128, 256);
  std::array<TensorId, 4> banks{};
  for (TensorId& bank : banks) bank = b.psum(128, 512);
  for (std::uint32_t i = 0; i < kCount; ++i) b.matmul(banks[i % 4], stationary[i % 2], moving, 128, stationary_columns, moving_columns);
  const Snapshot snapshot = test::simulate_ok(preset("trn1"), [&] { return b.workload(); });
  return static_cast<double>(test::engine(snapshot, EngineKind::Tensor).elapsed_cycles) / kCount;
}

TEST(MatmulStreams, ShortMovingOperandIsTwiceAsFastAsAShortStationaryOne) {
  const double short_moving = vector_matrix_cycles(128, 1), short_stationary = vector_matrix_cycles(1, 128);
  expect_within(0.05, 64.0, short_moving);
  expect_within(0.05, 128.0, short_stationary);
  EXPECT_GE(short_stationary / short_moving, 1.9);
  EXPECT_LE(short_stationary / short_moving, 2.1);
}

}  // namespace
}  // namespace trnsim
