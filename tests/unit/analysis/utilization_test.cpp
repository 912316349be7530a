// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/utilization.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/totals.hpp"
#include "trnsim/error.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kTileMacs = 128 * 128 * 512;

class Utilization : public ::testing::Test {
 protected:
  ChipConfig chip = hand_made::chip("trn2");
  Snapshot run = hand_made::matmul_run(chip, 1000, 0);
  ResultContext context = hand_made::matmul_context(1000 * kTileMacs);
  [[nodiscard]] Result result() const { return make_result(chip, run, context); }
  [[nodiscard]] std::string fault() const {
    try {
      (void)result();
    } catch (const InternalError& e) {
      return e.what();
    }
    return {};
  }
};

TEST_F(Utilization, AFullArrayIsOneOnEveryMeasure) {
  EXPECT_NEAR(result().mfu.value(), 1, 1e-9);
  EXPECT_NEAR(result().array_utilization.value(), 1, 1e-9);
  EXPECT_NEAR(result().array_busy.value(), 1, 1e-9);
  EXPECT_NEAR(result().tflops.value(), 78.6432, 1e-3);
}

TEST_F(Utilization, CyclesAreExactAndTimeIsRoundedToPicoseconds) {
  EXPECT_EQ(result().cycles, 512000U);
  EXPECT_DOUBLE_EQ(result().time_ns, 213333.333);
  EXPECT_DOUBLE_EQ(result().launch_ns, chip.chip.launch_ns);
}

TEST_F(Utilization, ASmallTileFillsAQuarterOfTheBusyArray) {
  run.cores[0].tensor.macs = {};
  run.cores[0].tensor.macs[static_cast<std::size_t>(DType::Bf16)] = 1000 * 64 * 64 * 512;
  context = hand_made::matmul_context(1000 * 64 * 64 * 512);
  EXPECT_NEAR(result().array_utilization.value(), 0.25, 1e-9);
  EXPECT_NEAR(result().array_busy.value(), 1, 1e-9);
  EXPECT_NEAR(result().mfu.value(), 0.25, 1e-9);
}

TEST_F(Utilization, Fp32CountsAgainstAQuarterOfTheRate) {
  run.cores[0].tensor.macs = {};
  run.cores[0].tensor.macs[static_cast<std::size_t>(DType::Fp32)] = 250 * kTileMacs;
  context = hand_made::matmul_context(250 * kTileMacs, 1, DType::Fp32);
  EXPECT_NEAR(result().array_utilization.value(), 1, 1e-9);
  EXPECT_NEAR(result().mfu.value(), 1, 1e-9);
}

TEST_F(Utilization, OnesAndZerosRunAtTwiceTheFp32Rate) {
  run.cores[0].tensor.macs = {};
  run.cores[0].tensor.macs[static_cast<std::size_t>(DType::Fp32)] = 500 * kTileMacs;
  context = hand_made::matmul_context(0, 1, DType::Fp32);
  EXPECT_NE(fault(), "");  // more than four passes allow
  run.cores[0].tensor.onezero_macs = 500 * kTileMacs;
  EXPECT_NEAR(result().array_utilization.value(), 1, 1e-9);
}

TEST_F(Utilization, TransposesKeepTheArrayBusyWithoutUsefulWork) {
  run.cores[0].tensor.transpose_macs[static_cast<std::size_t>(DType::Bf16)] = 400 * kTileMacs;
  context = hand_made::matmul_context(600 * kTileMacs);
  EXPECT_NEAR(result().array_busy.value(), 1, 1e-9);
  EXPECT_NEAR(result().array_utilization.value(), 0.6, 1e-9);
}

TEST_F(Utilization, MoreWorkThanTheArrayCanDoIsAFaultNamingTheCounters) {
  run.cores[0].tensor.macs[static_cast<std::size_t>(DType::Bf16)] += kTileMacs;
  EXPECT_NE(fault().find("tensor.macs"), std::string::npos) << fault();
  EXPECT_NE(fault().find("tensor.array_cycles"), std::string::npos) << fault();
}

TEST_F(Utilization, MoreUsefulThanExecutedWorkIsAFault) {
  context = hand_made::matmul_context(1001 * kTileMacs);
  EXPECT_NE(fault().find("useful MACs"), std::string::npos) << fault();
}

TEST_F(Utilization, ATypeTheChipCannotMultiplyIsAFault) {
  run.cores[0].tensor.macs[static_cast<std::size_t>(DType::MxFp4)] = 1;
  EXPECT_NE(fault().find("mxfp4"), std::string::npos) << fault();
}

TEST_F(Utilization, MoreDmaTrafficThanTheEnginesSustainIsAFault) {
  hand_made::add_copy(run, std::uint64_t{213334} * 400, 1, 1);  // 400 GB/s against 368
  EXPECT_NE(fault().find("dma.completed_bytes"), std::string::npos) << fault();
}

TEST_F(Utilization, AnEngineDoesNotLiveLongerThanTheRun) {
  EngineCounters& vector = hand_made::engine(run, EngineKind::Vector);
  vector.elapsed_cycles += 2;
  vector.idle_cycles += 2;
  EXPECT_NE(fault().find("core 0 vector.elapsed_cycles"), std::string::npos) << fault();
}

TEST_F(Utilization, RatesNameTheBytesOfTheRun) {
  hand_made::add_copy(run, 1 << 20, 4, 64);
  const double time = 213333.333333;
  EXPECT_NEAR(result().dma_gb_per_s.value(), (1 << 20) / time, 1e-9);
  EXPECT_NEAR(result().dma_utilization.value(), (1 << 20) / time / 368, 1e-9);
  EXPECT_NEAR(result().hbm_utilization.value(), (1 << 20) / time / chip.hbm.stack_gb_per_s, 1e-9);
  EXPECT_NEAR(result().row_hit_rate.value(), 31.0 / 32, 1e-9);
}

TEST_F(Utilization, OnlyStacksInUseCountForHbm) {
  hand_made::add_copy(run, 1 << 20, 4, 64);
  const double one = result().hbm_utilization.value();
  run.hbm[1].read_bytes = run.hbm[0].read_bytes / 2;
  run.hbm[0].read_bytes /= 2;
  EXPECT_NEAR(result().hbm_utilization.value(), one / 2, 1e-12);
}

TEST_F(Utilization, ARatioWithoutDenominatorIsAbsent) {
  run = hand_made::idle_run(chip, kFsPerUs);
  context = hand_made::matmul_context(0);
  const Result r = result();
  EXPECT_FALSE(r.mfu.has_value());
  EXPECT_FALSE(r.tflops.has_value());
  EXPECT_FALSE(r.array_utilization.has_value());
  EXPECT_FALSE(r.hbm_utilization.has_value());
  EXPECT_FALSE(r.row_hit_rate.has_value());
  EXPECT_EQ(r.dma_gb_per_s.value(), 0);
}

TEST_F(Utilization, ARunOfNoLengthHasNoRates) {
  run = hand_made::idle_run(chip, 0);
  context = hand_made::matmul_context(0);
  const Result r = result();
  EXPECT_EQ(r.cycles, 0U);
  EXPECT_FALSE(r.average_w.has_value());
  EXPECT_FALSE(r.dma_gb_per_s.has_value());
}

TEST_F(Utilization, AStoppedRunClaimsNoUsefulRate) {
  run.truncated = "--max-time 200us reached";
  context = hand_made::matmul_context(50000 * kTileMacs);
  EXPECT_FALSE(result().mfu.has_value());
  EXPECT_FALSE(result().tflops.has_value());
  EXPECT_NEAR(result().array_utilization.value(), 1, 1e-9);
}

TEST_F(Utilization, CoresShareThePeak) {
  run = hand_made::matmul_run(chip, 1000, 0, 2);
  for (Snapshot* s : {&run}) s->cores[1].tensor.macs = {};
  run.cores[1].tensor.array_cycles = 0;
  context = hand_made::matmul_context(500 * kTileMacs, 2);
  EXPECT_NEAR(result().mfu.value(), 0.5, 1e-9);
  EXPECT_NEAR(result().array_busy.value(), 0.5, 1e-9);
}

TEST_F(Utilization, PowerAboveTheLimitIsAWarning) {
  EXPECT_TRUE(result().context.warnings.empty());
  chip.energy.power_limit_w = 50;
  ASSERT_EQ(result().context.warnings.size(), 1U);
  EXPECT_NE(result().context.warnings[0].find("limit of 50 W"), std::string::npos);
}

TEST_F(Utilization, AStoppedRunIsNotWarnedOfItsPower) {
  chip.energy.power_limit_w = 50;
  run.truncated = "stopped";
  EXPECT_TRUE(result().context.warnings.empty());
}

TEST(Share, RoundingIsForgivenAndExcessIsNot) {
  EXPECT_EQ(share("a", 1 + 1e-12, "b", 1), 1.0);
  EXPECT_EQ(share("a", 0.5, "b", 0), std::nullopt);
  EXPECT_THROW((void)share("a", 1.001, "b", 1), InternalError);
  EXPECT_THROW((void)share("a", -1e-6, "b", 1), InternalError);
  EXPECT_THROW((void)share("a", std::numeric_limits<double>::quiet_NaN(), "b", 1), InternalError);
}

TEST(DeviceCycles, EveryEdgeIsItsOwnNumber) {
  for (const double ghz : {0.96, 1.12, 1.2, 1.4, 2.4, 2.8, 3.3333}) {
    const double period = 1e6 / ghz;
    for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 1000ULL, 99999ULL, 12345678901ULL}) {
      const auto edge = static_cast<std::uint64_t>(std::ceil(static_cast<long double>(n) * 1e15L / std::llround(ghz * 1e9)));
      EXPECT_EQ(cycles_at(edge, ghz), n) << ghz;
      EXPECT_EQ(cycles_at(edge + 1, ghz), n + 1) << ghz;
      EXPECT_EQ(cycles_at(edge - static_cast<std::uint64_t>(period / 2), ghz), n) << ghz;
    }
  }
  EXPECT_EQ(cycles_at(0, 2.4), 0U);
}

TEST(DeviceCycles, HoursDoNotOverflow) { EXPECT_EQ(cycles_at(18'000'000'000'000'000'000ULL, 2.4), 43'200'000'000'000ULL); }

}  // namespace
}  // namespace trnsim
