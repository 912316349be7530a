// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/energy.hpp"
#include "analysis/totals.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

using hand_made::component;

/// A GEMM of 4,096³ over the whole chip at the full rate of the array; energies in mJ. Computed by hand
/// from the coefficients for the counting rules of energy accounting (docs/results.md).
struct ReferenceGemm {
  const char* chip;
  DType dtype;
  bool double_row;
  double rate;           ///< Over the 16-bit rate.
  double element_bytes;  ///< Scales included.
  std::uint64_t hbm_bytes;
  double array_mj, sbuf_read_mj, psum_mj, evict_mj, hbm_mj, dma_mj, fill_mj, static_mj, clock_mj, total_mj, average_w;
};

std::ostream& operator<<(std::ostream& out, const ReferenceGemm& g) { return out << g.chip << ' ' << name_of(g.dtype); }

constexpr double kMacs = 4096.0 * 4096.0 * 4096.0;

class Reference : public ::testing::TestWithParam<ReferenceGemm> {
 protected:
  /// Counters of that GEMM, dealt evenly to the cores.
  static Snapshot counters(const ReferenceGemm& g, const ChipConfig& chip) {
    const double cores = chip.chip.cores, cycles = kMacs / (16384 * g.rate), columns = cycles * std::min(g.rate, 1.0);
    const double k_tiles = 4096 / (128 * std::max(g.rate, 1.0));
    const auto share = [&](double total) { return static_cast<std::uint64_t>(std::llround(total / cores)); };
    Snapshot s =
        hand_made::idle_run(chip, static_cast<std::uint64_t>(std::ceil(cycles / cores / chip.tensor.clock_ghz * 1e6)), chip.chip.cores);
    for (CoreSnapshot& c : s.cores) {
      EngineCounters& tensor = c.engines[static_cast<std::size_t>(EngineKind::Tensor)];
      tensor.busy_cycles = tensor.elapsed_cycles;
      tensor.idle_cycles = 0;
      c.tensor.macs[static_cast<std::size_t>(g.dtype)] = share(kMacs);
      if (g.double_row) c.tensor.double_row_macs = share(kMacs);
      c.tensor.array_cycles = share(cycles);
      c.tensor.accumulate_elements = share(128 * columns);
      c.engines[static_cast<std::size_t>(EngineKind::Scalar)].elements = share(columns * 128 / k_tiles);
      c.sbuf.read_bytes = share(cycles * 128 * g.element_bytes * g.rate * (1 + 128.0 / 512));
      c.sbuf.write_bytes = share(static_cast<double>(g.hbm_bytes) + columns * 128 / k_tiles * 2);
      c.psum.write_bytes = share(512 * columns);
      c.psum.read_bytes = share(512 * columns * (1 - 1 / k_tiles) + columns * 128 / k_tiles * 4);
      c.dma.issued_bytes = c.dma.completed_bytes = c.dma.hbm_read_bytes = share(static_cast<double>(g.hbm_bytes));
      s.hbm[c.core % s.hbm.size()].read_bytes += c.dma.hbm_read_bytes;
    }
    return s;
  }
};

void expect_mj(double pj, double mj, const char* what) { EXPECT_NEAR(pj / 1e9, mj, 0.01 * mj) << what; }

TEST_P(Reference, EveryComponentIsWithinOnePercent) {
  const ReferenceGemm& g = GetParam();
  const ChipConfig chip = hand_made::chip(g.chip);
  ResultContext context = hand_made::matmul_context(0, chip.chip.cores, g.dtype);
  const Result r = make_result(chip, counters(g, chip), context);
  const double evict_elements = kMacs / (16384 * g.rate) * std::min(g.rate, 1.0) * 128 / (4096 / (128 * std::max(g.rate, 1.0)));
  const double evict_psum = evict_elements * 4 * chip.energy.psum_read_pj_per_byte / 1e9;
  const double evict_sbuf = evict_elements * 2 * chip.energy.sbuf_write_pj_per_byte / 1e9;
  expect_mj(component(r, "tensor_array"), g.array_mj, "tensor_array");
  expect_mj(component(r, "sbuf"), g.sbuf_read_mj + g.fill_mj + evict_sbuf, "sbuf");
  expect_mj(component(r, "psum"), g.psum_mj + evict_psum, "psum");
  expect_mj(component(r, "scalar") + 1e9 * (evict_psum + evict_sbuf), g.evict_mj, "scalar and eviction");
  expect_mj(component(r, "hbm"), g.hbm_mj, "hbm");
  expect_mj(component(r, "dma"), g.dma_mj, "dma");
  expect_mj(component(r, "static"), g.static_mj + g.clock_mj, "static");
  expect_mj(r.energy.total_pj, g.total_mj, "total");
  EXPECT_NEAR(r.average_w.value(), g.average_w, 0.01 * g.average_w);
}

INSTANTIATE_TEST_SUITE_P(Gemm4096, Reference,
                         ::testing::Values(ReferenceGemm{"trn1", DType::Bf16, false, 1, 2, 100663296, 85.899, 3.355, 5.241, 0.255, 5.033,
                                                         0.906, 0.292, 33.704, 6.741, 141.43, 188.8},
                                           ReferenceGemm{"trn2", DType::Bf16, false, 1, 2, 100663296, 54.976, 2.684, 4.166, 0.195, 4.429,
                                                         0.755, 0.232, 21.845, 4.369, 93.65, 428.7},
                                           ReferenceGemm{"trn2", DType::Fp8E4M3, true, 2, 1, 67108864, 28.862, 1.342, 2.054, 0.195, 2.953,
                                                         0.503, 0.154, 10.923, 2.185, 49.17, 450.2},
                                           ReferenceGemm{"trn3", DType::Bf16, false, 1, 2, 100663296, 39.857, 2.416, 3.726, 0.163, 4.329,
                                                         0.705, 0.206, 32.113, 4.02, 87.53, 400.7},
                                           ReferenceGemm{"trn3", DType::Fp8E4M3, true, 2, 1, 67108864, 20.616, 1.208, 1.836, 0.163, 2.886,
                                                         0.47, 0.138, 16.056, 2.01, 45.38, 415.5},
                                           ReferenceGemm{"trn3", DType::MxFp8, false, 4, 1.03125, 68157440, 17.18, 1.246, 0.891, 0.163,
                                                         2.931, 0.477, 0.14, 8.028, 1.005, 32.06, 587.1},
                                           ReferenceGemm{"trn3", DType::MxFp4, false, 4, 0.53125, 51380224, 13.744, 0.642, 0.891, 0.163,
                                                         2.209, 0.36, 0.105, 8.028, 1.005, 27.15, 497.1}));

class Energy : public ::testing::Test {
 protected:
  ChipConfig chip = hand_made::chip("trn2");
  Snapshot run = hand_made::idle_run(chip, kFsPerUs);
  [[nodiscard]] EnergyBreakdown energy() const { return energy_of(chip, run, totals_of(run)); }
  [[nodiscard]] double of(const std::string& name) const {
    for (const auto& [key, pj] : energy().components_pj) {
      if (key == name) return pj;
    }
    ADD_FAILURE() << name;
    return 0;
  }
};

TEST_F(Energy, AnIdleChipDrawsItsStaticPower) {
  EXPECT_NEAR(idle_power_w(chip), 100, 1e-9);
  EXPECT_NEAR(of("static"), (100 + chip.energy.clock_w_per_active_core) * 1e6, 1);  // 1 W for 1 µs is 10^6 pJ
}

TEST_F(Energy, TheClockOfACoreStopsWithItsWork) {
  run.cores[0].end_fs = kFsPerUs / 2;
  EXPECT_NEAR(of("static"), (100 + chip.energy.clock_w_per_active_core / 2) * 1e6, 1);
}

TEST_F(Energy, ComponentsAddUpExactly) {
  run = hand_made::matmul_run(chip, 77, 12345 * 32);
  double sum = 0;
  for (const auto& [name, pj] : energy().components_pj) sum += pj;
  EXPECT_EQ(sum, energy().total_pj);
}

TEST_F(Energy, CoresUsedPayTheirShareOfTheStaticPower) {
  const double always = 100e6, clock = chip.energy.clock_w_per_active_core * 1e6;
  EXPECT_NEAR(energy().cores_used_pj, always / chip.chip.cores + clock, 1);
  EXPECT_NEAR(energy().total_pj, always + clock, 1);
}

TEST_F(Energy, AnEmptySlotCostsAShareOfAMac) {
  run.cores[0].tensor.idle_slot_macs[static_cast<std::size_t>(DType::Fp32)] = 1000;
  EXPECT_NEAR(of("tensor_array"), 1000 * chip.energy.mac_pj.fp32 * chip.energy.idle_lane_fraction, 1e-6);
}

TEST_F(Energy, Fp8IsCheaperInDoubleRow) {
  TensorCounters& t = run.cores[0].tensor;
  t.macs[static_cast<std::size_t>(DType::Fp8E4M3)] = 1000;
  EXPECT_NEAR(of("tensor_array"), 1000 * chip.energy.mac_pj.fp8, 1e-6);
  t.double_row_macs = 250;
  EXPECT_NEAR(of("tensor_array"), 750 * chip.energy.mac_pj.fp8 + 250 * chip.energy.mac_pj.fp8_double_row, 1e-6);
}

TEST_F(Energy, StationaryLoadsAreCounted) {
  run.cores[0].tensor.load_elements = 128 * 128;
  EXPECT_NEAR(of("tensor_array"), 128 * 128 * chip.energy.weight_load_pj_per_element, 1e-6);
}

TEST_F(Energy, InstructionIssueGoesToTheEngineThatExecutes) {
  hand_made::engine(run, EngineKind::Vector).instructions = 10;
  hand_made::engine(run, EngineKind::Sync).instructions = 3;
  EXPECT_NEAR(of("vector"), 10 * chip.energy.instruction_pj, 1e-6);
  EXPECT_NEAR(of("dma"), 3 * chip.energy.instruction_pj, 1e-6);
  EXPECT_EQ(of("scalar"), 0);
}

TEST_F(Energy, VectorElementsSplitByMode) {
  chip = hand_made::chip("trn3");
  EngineCounters& v = hand_made::engine(run, EngineKind::Vector);
  v.elements = 100;
  v.fast_elements = 30;
  v.exponential_elements = 20;
  EXPECT_NEAR(of("vector"),
              50 * chip.energy.vector_pj_per_element + 30 * chip.energy.vector_fast_pj_per_element +
                  20 * chip.energy.vector_exponential_pj_per_element,
              1e-9);
}

TEST_F(Energy, DescriptorsCostBesidesTheirBytes) {
  hand_made::add_copy(run, 4096, 1, 16);
  EXPECT_NEAR(of("dma"), 4096 * chip.energy.dma_pj_per_byte + 16 * chip.energy.dma_descriptor_pj, 1e-6);
  EXPECT_NEAR(of("hbm"), 4096 * 8 * chip.energy.hbm_pj_per_bit, 1e-6);
}

TEST_F(Energy, LinksAreListedWithoutTraffic) { EXPECT_EQ(of("link"), 0); }

TEST_F(Energy, TheSourceSaysForWhichChipTheCoefficientsWereMade) {
  EXPECT_NE(energy_source(chip).find("coefficients of trn2"), std::string::npos);
  chip.name = "mine";
  EXPECT_NE(energy_source(chip).find("made for trn2, applied to mine"), std::string::npos);
}

}  // namespace
}  // namespace trnsim
