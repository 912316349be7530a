// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/assumed.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/totals.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

class Assumed : public ::testing::Test {
 protected:
  Assumed() {
    chip.sources.clear();
    for (const char* path : {"chip.launch_ns",
                             "tensor.throttle_ramp_ns",
                             "tensor.pipe_latency_cycles",
                             "tensor.mxfp8_rate",
                             "vector.issue_overhead_cycles",
                             "vector.reciprocal",
                             "vector.fast_mode_16bit",
                             "gpsimd.power",
                             "gpsimd.gather",
                             "sequencer.semaphore_hop_ns",
                             "dma.element_ns",
                             "dma.static_mode.load_start_ns",
                             "dma.hardware_mode.load_start_ns",
                             "hbm.trp_ns",
                             "energy.mac_pj.fp8",
                             "energy.mac_pj.fp8_double_row",
                             "energy.uncore_w",
                             "energy.link_pj_per_byte",
                             "energy.gpsimd_pj_per_element",
                             "sequencer.control_ns"}) {
      chip.sources[path].confidence = "assumed";
    }
    chip.sources["vector.clock_ghz"].confidence = "published";
  }
  [[nodiscard]] bool lists(const std::string& path) const {
    const auto paths = paths_used(chip, totals_of(run));
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  }
  ChipConfig chip = hand_made::chip("trn2");
  Snapshot run = hand_made::idle_run(chip, kFsPerUs);
};

TEST_F(Assumed, AnIdleRunRestsOnStaticPowerAndLaunchOnly) {
  EXPECT_EQ(paths_used(chip, totals_of(run)), (std::vector<std::string>{"chip.launch_ns", "energy.uncore_w"}));
}

TEST_F(Assumed, AnEngineCountsOnceItRan) {
  EXPECT_FALSE(lists("vector.issue_overhead_cycles"));
  hand_made::engine(run, EngineKind::Vector).instructions = 1;
  EXPECT_TRUE(lists("vector.issue_overhead_cycles"));
  EXPECT_TRUE(lists("sequencer.semaphore_hop_ns"));
  EXPECT_FALSE(lists("gpsimd.power"));
}

TEST_F(Assumed, ANumberOfSomeInstructionsCountsOnceOneWasChargedWithIt) {
  EngineCounters& gpsimd = hand_made::engine(run, EngineKind::GpSimd);
  gpsimd.instructions = 2;
  EXPECT_FALSE(lists("gpsimd.gather"));
  gpsimd.charges[static_cast<std::size_t>(Charge::GpSimdGather)] = 1;
  EXPECT_TRUE(lists("gpsimd.gather"));
  EXPECT_FALSE(lists("gpsimd.power"));
  EXPECT_FALSE(lists("sequencer.control_ns"));
}

TEST_F(Assumed, PublishedNumbersAreNotListed) {
  hand_made::engine(run, EngineKind::Vector).instructions = 1;
  EXPECT_FALSE(lists("vector.clock_ghz"));
}

TEST_F(Assumed, AModeCountsOnceItWasUsed) {
  EngineCounters& vector = hand_made::engine(run, EngineKind::Vector);
  vector.instructions = 1;
  EXPECT_FALSE(lists("vector.fast_mode_16bit"));
  vector.charges[static_cast<std::size_t>(Charge::VectorFast16)] = 1;
  EXPECT_TRUE(lists("vector.fast_mode_16bit"));
}

TEST_F(Assumed, ThePowerRampCountsWhenItThrottled) {
  EngineCounters& tensor = hand_made::engine(run, EngineKind::Tensor);
  tensor.instructions = 1;
  EXPECT_TRUE(lists("tensor.pipe_latency_cycles"));
  EXPECT_FALSE(lists("tensor.throttle_ramp_ns"));
  tensor.stall_cycles[static_cast<std::size_t>(StallReason::Throttle)] = 10;
  EXPECT_TRUE(lists("tensor.throttle_ramp_ns"));
}

TEST_F(Assumed, OnlyTheDescriptorModeOfTheGenerationCounts) {
  hand_made::add_copy(run, 4096, 1, 16);
  EXPECT_TRUE(lists("dma.element_ns"));
  EXPECT_TRUE(lists("hbm.trp_ns"));
  EXPECT_TRUE(lists("dma.hardware_mode.load_start_ns"));
  EXPECT_FALSE(lists("dma.static_mode.load_start_ns"));
  chip.generation = "v2";
  EXPECT_TRUE(lists("dma.static_mode.load_start_ns"));
}

TEST_F(Assumed, DoubleRowAndPlainFp8AreToldApart) {
  TensorCounters& t = run.cores[0].tensor;
  t.macs[static_cast<std::size_t>(DType::Fp8E5M2)] = t.double_row_macs = 100;
  EXPECT_TRUE(lists("energy.mac_pj.fp8_double_row"));
  EXPECT_FALSE(lists("energy.mac_pj.fp8"));
  t.double_row_macs = 50;
  EXPECT_TRUE(lists("energy.mac_pj.fp8"));
}

TEST_F(Assumed, EveryAssumedNumberOfThePresetsFallsUnderARule) {
  for (const char* preset : {"trn1", "inf2", "trn2", "trn3", "trn4-projected"}) {
    const ChipConfig real = hand_made::chip(preset);
    const auto idle = paths_used(real, totals_of(run));
    for (const std::string& path : idle) {
      EXPECT_TRUE(path.starts_with("energy.") || path.starts_with("chip.")) << preset << ": an idle run rests on " << path;
    }
  }
}

}  // namespace
}  // namespace trnsim
