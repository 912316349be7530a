// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Derived figures of the presets against what architecture guides and hardware pages print or imply.
#include <gtest/gtest.h>

#include "trnsim/config/show.hpp"
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

double figure(const ChipConfig& chip, const std::string& group, const std::string& name) {
  for (const DerivedFigure& f : derived_figures(chip)) {
    if (f.group == group && f.name == name) return f.value;
  }
  ADD_FAILURE() << chip.name << " has no " << group << ": " << name;
  return 0;
}

/// NeuronCore architecture guides and hardware pages, per preset.
struct Published {
  const char* chip;
  unsigned cores;
  double bf16, fp32, fp8;                      ///< TFLOPS of a core; FP8 at its fastest.
  double sbuf, hbm;                            ///< MiB of a core, GiB of the chip.
  double stack, hbm_rate, dma_wire, dma_core;  ///< GB/s: one stack, chip, chip, sustained of a core.
  double vector_ghz, scalar_ghz;
};
constexpr Published kPublished[]{
    {"trn1", 2, 91.75, 22.94, 91.75, 24, 32, 410, 820, 870, 272, 1.12, 1.4},
    {"inf2", 2, 91.75, 22.94, 91.75, 24, 32, 410, 820, 870, 272, 1.12, 1.4},
    {"trn2", 8, 78.64, 19.66, 157.29, 28, 96, 716, 2864, 3482, 368, 0.96, 1.2},
    {"trn3", 8, 78.64, 19.66, 157.29, 32, 144, 1225, 4900, 4915, 528, 1.2, 1.2},
};

class DerivedFigures : public ::testing::TestWithParam<Published> {
 protected:
  ChipConfig chip = preset(GetParam().chip);
  [[nodiscard]] double value(const std::string& group, const std::string& name) const { return figure(chip, group, name); }
};

TEST_P(DerivedFigures, PeaksArePublishedOnes) {
  const Published& p = GetParam();
  EXPECT_NEAR(value("Peak", "bf16, core"), p.bf16, 0.01);
  EXPECT_NEAR(value("Peak", "bf16, chip"), p.bf16 * p.cores, 0.1);
  EXPECT_NEAR(value("Peak", "fp32, core"), p.fp32, 0.01);
  EXPECT_NEAR(value("Peak", p.fp8 > p.bf16 ? "fp8 double row, core" : "fp8, core"), p.fp8, 0.01);
}

TEST_P(DerivedFigures, CapacitiesArePublishedOnes) {
  const Published& p = GetParam();
  EXPECT_DOUBLE_EQ(value("Memory", "SBUF, core"), p.sbuf);
  EXPECT_DOUBLE_EQ(value("Memory", "PSUM, core"), 2);
  EXPECT_DOUBLE_EQ(value("Memory", "HBM, chip"), p.hbm);
  EXPECT_DOUBLE_EQ(value("Memory", "HBM, share of a core"), p.hbm / p.cores);
}

TEST_P(DerivedFigures, BandwidthsArePublishedOnes) {
  const Published& p = GetParam();
  EXPECT_DOUBLE_EQ(value("Traffic", "HBM, stack"), p.stack);
  EXPECT_DOUBLE_EQ(value("Traffic", "HBM, chip"), p.hbm_rate);
  EXPECT_NEAR(value("Traffic", "DMA wire, chip"), p.dma_wire, 1);
  EXPECT_DOUBLE_EQ(value("Traffic", "DMA sustained, core"), p.dma_core);
}

/// 128 elements per cycle and interface.
TEST_P(DerivedFigures, EnginePortsAreLanesTimesClock) {
  const Published& p = GetParam();
  EXPECT_NEAR(value("Port", "Vector, SBUF or PSUM, fp32"), 128 * 4 * p.vector_ghz, 1e-9);
  EXPECT_NEAR(value("Port", "Scalar, SBUF or PSUM, fp32"), 128 * 4 * p.scalar_ghz, 1e-9);
  EXPECT_NEAR(value("Port", "Tensor, moving operand from SBUF, 16-bit"), 1e3 * p.bf16 / 128, 0.1)
      << "one MAC, 2 FLOP, for 2 bytes and column";
}

TEST_P(DerivedFigures, EveryTypeWithAPeakHasARidge) {
  for (const DerivedFigure& f : derived_figures(chip)) {
    if (f.group != "Peak" || !f.name.ends_with(", core")) continue;
    const std::string type = f.name.substr(0, f.name.size() - std::string(", core").size());
    EXPECT_NEAR(value("Ridge", type + ", one core over one stack"), f.value * 1e3 / GetParam().stack, 1e-9) << type;
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, DerivedFigures, ::testing::ValuesIn(kPublished),
                         [](const auto& tested) { return std::string(tested.param.chip); });

TEST(DerivedFigures4, MxTypesHaveRidgesWhereTheyHavePeaks) {
  EXPECT_NEAR(figure(preset("trn3"), "Ridge", "mxfp8, one core over one stack"), 314573 / 1225.0, 0.1);
  EXPECT_NEAR(figure(preset("trn4-projected"), "Ridge", "mxfp4, one core over one stack"), 629146 / 2450.0, 0.1);
}

}  // namespace
}  // namespace trnsim
