// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
// Published figures that must follow from the presets by arithmetic.
#include <algorithm>

#include "trnsim/config/show.hpp"
#include "trnsim/units.hpp"
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

double core_tflops(const ChipConfig& c, DType dtype, bool double_row = false) { return peak_flops(c.tensor, dtype, double_row) / 1e12; }
double chip_tflops(const ChipConfig& c, DType dtype, bool double_row = false) { return core_tflops(c, dtype, double_row) * c.chip.cores; }

void expect_within(double value, double printed, double share) { EXPECT_NEAR(value, printed, printed * share); }

TEST(PublishedFigures, PeakOfACoreIsTheTensorFormula) {
  expect_within(core_tflops(preset("trn1"), DType::Bf16), 92, 0.01);
  expect_within(core_tflops(preset("trn1"), DType::Fp32), 23, 0.01);
  expect_within(core_tflops(preset("trn2"), DType::Bf16), 79, 0.01);
  expect_within(core_tflops(preset("trn2"), DType::Fp8E4M3, true), 158, 0.01);
  expect_within(core_tflops(preset("trn2"), DType::Fp32), 20, 0.02);
  expect_within(core_tflops(preset("trn3"), DType::Bf16), 79, 0.01);
  expect_within(core_tflops(preset("trn3"), DType::MxFp8), 315, 0.01);
  expect_within(core_tflops(preset("trn3"), DType::MxFp4), 315, 0.01);
  expect_within(core_tflops(preset("trn3"), DType::Fp32), 20, 0.02);
}

TEST(PublishedFigures, PeakOfAChipIsThatOfItsCores) {
  expect_within(chip_tflops(preset("trn1"), DType::Bf16), 183.5, 0.001);
  expect_within(chip_tflops(preset("trn2"), DType::Bf16), 629.1, 0.001);
  expect_within(chip_tflops(preset("trn2"), DType::Fp8E4M3, true), 1258.3, 0.001);
  expect_within(chip_tflops(preset("trn2"), DType::Fp32), 157.3, 0.001);
  expect_within(chip_tflops(preset("trn3"), DType::MxFp8), 2517, 0.001);
}

TEST(PublishedFigures, Trainium1IsAtMostFourPercentBelowItsMarketingFigures) {
  const ChipConfig c = preset("trn1");
  EXPECT_LT(chip_tflops(c, DType::Bf16), 190);
  EXPECT_GT(chip_tflops(c, DType::Bf16), 0.96 * 190);
  EXPECT_LT(chip_tflops(c, DType::Fp32), 47.5);
  EXPECT_GT(chip_tflops(c, DType::Fp32), 0.96 * 47.5);
  EXPECT_DOUBLE_EQ(chip_tflops(c, DType::Bf16), 4 * chip_tflops(c, DType::Fp32));
}

TEST(PublishedFigures, ClocksAreMultiplesOfTheBaseClock) {
  for (const std::string& name : preset_names()) {
    const ChipConfig c = preset(name);
    const double base = c.sequencer.base_clock_ghz;
    EXPECT_DOUBLE_EQ(c.tensor.clock_ghz, 2 * base) << name;
    EXPECT_DOUBLE_EQ(c.scalar.clock_ghz, base) << name;
    EXPECT_NEAR(c.vector.clock_ghz, c.gen() == Generation::V4 ? base : 0.8 * base, 1e-12) << name;
  }
}

TEST(PublishedFigures, VectorAndScalarPeaksFollowFromTheirClocks) {
  const auto tera = [](double flops_per_cycle, double ghz) { return 128 * flops_per_cycle * ghz / 1000; };
  expect_within(tera(16, preset("trn1").vector.clock_ghz), 2.3, 0.03);
  expect_within(tera(16, preset("trn1").scalar.clock_ghz), 2.9, 0.03);
  expect_within(tera(8, preset("trn2").vector.clock_ghz), 1.0, 0.03);
  expect_within(tera(8, preset("trn2").scalar.clock_ghz), 1.2, 0.03);
  expect_within(tera(8, preset("trn3").vector.clock_ghz), 1.2, 0.03);
  expect_within(tera(8, preset("trn3").scalar.clock_ghz), 1.2, 0.03);
}

TEST(PublishedFigures, SbufAndPsumCapacities) {
  const auto sbuf = [](const ChipConfig& c) { return c.sbuf_bytes_per_partition() * c.sbuf.partitions; };
  EXPECT_EQ(sbuf(preset("trn1")), 24 * kMiB);
  EXPECT_EQ(sbuf(preset("trn2")), 28 * kMiB);
  EXPECT_EQ(sbuf(preset("trn3")), 32 * kMiB);
  EXPECT_EQ(sbuf(preset("trn1")) * preset("trn1").chip.cores, 48 * kMiB);
  EXPECT_EQ(sbuf(preset("trn2")) * preset("trn2").chip.cores, 224 * kMiB);
  EXPECT_EQ(sbuf(preset("trn3")) * preset("trn3").chip.cores, 256 * kMiB);
  for (const std::string& name : preset_names()) {
    const ChipConfig c = preset(name);
    EXPECT_EQ(c.psum_bytes_per_partition() * c.sbuf.partitions, 2 * kMiB) << name;
    EXPECT_EQ(c.psum.bank_bytes_per_partition / 4, 512u) << name;
  }
}

TEST(PublishedFigures, HbmBandwidthAndCapacity) {
  const auto chip_gb_per_s = [](const ChipConfig& c) { return c.hbm.stacks * c.hbm.stack_gb_per_s; };
  EXPECT_EQ(chip_gb_per_s(preset("trn1")), 820);
  EXPECT_EQ(chip_gb_per_s(preset("trn2")), 2864);
  expect_within(chip_gb_per_s(preset("trn2")), 2900, 0.013);
  EXPECT_EQ(chip_gb_per_s(preset("trn3")), 4900);
  EXPECT_EQ(preset("trn1").hbm_bytes(), 32 * kGiB);
  EXPECT_EQ(preset("trn2").hbm_bytes(), 96 * kGiB);
  EXPECT_EQ(preset("trn3").hbm_bytes(), 144 * kGiB);
}

TEST(PublishedFigures, RidgeOfTrainium2IsThatOfTheProfiler) {
  for (const DerivedFigure& figure : derived_figures(preset("trn2"))) {
    if (figure.name == "bf16, one core over one stack") return expect_within(figure.value, 109.837, 0.001);
  }
  FAIL() << "no such figure";
}

TEST(PublishedFigures, DmaRates) {
  const auto wire = [](const ChipConfig& c) { return c.chip.cores * c.dma.engines * c.dma.wire_gb_per_s; };
  const auto sustained = [](const ChipConfig& c) { return c.dma.engines * c.dma.engine_gb_per_s; };
  EXPECT_NEAR(wire(preset("trn2")), 3481.6, 1e-6);
  expect_within(wire(preset("trn2")), 3500, 0.01);
  EXPECT_NEAR(wire(preset("trn3")), 4915.2, 1e-6);
  expect_within(wire(preset("trn3")), 4900, 0.01);
  EXPECT_EQ(sustained(preset("trn1")), 272);
  EXPECT_EQ(sustained(preset("trn2")), 368);
  EXPECT_EQ(sustained(preset("trn3")), 528);
}

TEST(PublishedFigures, GpSimdDmaIsSixteenBytesPerProcessorAndCycle) {
  const double one_way = 8 * 16 * preset("trn2").gpsimd.clock_ghz;
  expect_within(one_way, 153.6, 0.001);
  expect_within(2 * one_way, 307.2, 0.001);
}

TEST(PublishedFigures, Trainium4IsTheAnnouncedMultipleOfTrainium3) {
  const ChipConfig trn3 = preset("trn3");
  const ChipConfig trn4 = preset("trn4-projected");
  EXPECT_NEAR(chip_tflops(trn4, DType::MxFp8), 7549.7, 0.1);
  expect_within(chip_tflops(trn4, DType::MxFp8) / chip_tflops(trn3, DType::MxFp8), 3, 0.001);
  EXPECT_NEAR(chip_tflops(trn4, DType::MxFp4), 15099.5, 0.1);
  expect_within(chip_tflops(trn4, DType::MxFp4) / chip_tflops(trn3, DType::MxFp4), 6, 0.001);
  EXPECT_EQ(trn4.hbm.stacks * trn4.hbm.stack_gb_per_s, 4 * trn3.hbm.stacks * trn3.hbm.stack_gb_per_s);
  EXPECT_EQ(trn4.hbm_bytes(), 2 * trn3.hbm_bytes());
  EXPECT_TRUE(trn4.projected);
  EXPECT_TRUE(contains(trn4.carried_over, "PROJECTED"));
}

TEST(PublishedFigures, FewKilobytesPerRowReachTheSustainedDmaRate) {
  for (const std::string& name : preset_names()) {
    const DmaConfig d = preset(name).dma;
    const auto share = [&](double bytes) { return bytes / (bytes + d.descriptor_ns * d.engine_gb_per_s); };
    EXPECT_GT(share(4096), 0.90) << name;
    EXPECT_GT(share(16384), 0.95) << name;
  }
}

TEST(Units, GbIsDecimalAndGibIsBinary) {
  EXPECT_EQ(kGB, 1'000'000'000u);
  EXPECT_EQ(kGiB, 1'073'741'824u);
  ChipConfig config;
  config.hbm.stacks = 1;
  config.hbm.gib_per_stack = 1;
  EXPECT_EQ(config.hbm_bytes(), kGiB);
  config.hbm.stack_gb_per_s = 1;
  config.chip.cores = 1;
  config.dma.engines = 1;
  config.dma.engine_gb_per_s = 1;
  for (const DerivedFigure& figure : derived_figures(config)) {
    if (figure.unit == "flop/B" && figure.name.starts_with("bf16")) {
      EXPECT_DOUBLE_EQ(figure.value * 1e9, peak_flops(config.tensor, DType::Bf16, false));
    }
  }
}

TEST(Units, PresetsSayWhichUnitTheVendorUsed) {
  for (const char* name : {"trn1", "inf2", "trn2", "trn3"}) {
    EXPECT_TRUE(contains(preset(name).sources.at("hbm.stack_gb_per_s").note, "GB is 1e9 bytes")) << name;
  }
}

TEST(RingEngines, AreTheShareRoundedUpAndAtLeastOne) {
  DmaConfig dma;
  dma.engines = 16;
  const auto with = [&](double share) {
    dma.ring_engine_share = share;
    return std::pair(dma.engines_per_ring(), dma.rings_for_all_engines());
  };
  EXPECT_EQ(with(1), std::pair(16U, 1U));
  EXPECT_EQ(with(0.5), std::pair(8U, 2U));
  EXPECT_EQ(with(0.51), std::pair(9U, 2U));
  EXPECT_EQ(with(0.001), std::pair(1U, 16U));
}

TEST(RingEngines, AreHalfOfThemOnTrainium1Only) {
  for (const std::string& name : preset_names()) {
    EXPECT_EQ(preset(name).dma.rings_for_all_engines(), preset(name).generation == "v2" ? 2U : 1U) << name;
  }
}

}  // namespace
}  // namespace trnsim
