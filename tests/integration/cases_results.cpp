// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// What results say of a run: energy, utilisations, accounts of extreme chips, and scopes.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/run_result.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim {
namespace {

using test::energy_pj;
using test::kernel_result;
using test::preset;

TEST(Energy, HbmIsBytesTimesItsCoefficientExactly) {
  const Result result = kernel_result(preset("trn2", {"energy.hbm_pj_per_bit=4"}), "copy", "bytes=1048576");
  EXPECT_EQ(energy_pj(result, "hbm"), 33'554'432.0);
}

TEST(Energy, AnotherUnitInTheKeyIsRefused) {
  try {
    preset("trn2", {"energy.hbm_pj_per_byte=32"});
    ADD_FAILURE() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("hbm_pj_per_bit"), std::string::npos) << error.what();
  }
}

TEST(Energy, StaticPartIsPowerTimesTime) {
  const ChipConfig chip = preset("trn2");
  const EnergyConfig& e = chip.energy;
  const double watts = e.core_leakage_w * chip.chip.cores + e.uncore_w + e.hbm_background_w_per_stack * chip.hbm.stacks + e.serdes_w;
  for (const char* params : {"bytes=1048576", "bytes=67108864"}) {
    const Result result = kernel_result(chip, "copy", params);
    const double least = watts * result.time_ns * 1000;  // W × ns = 1000 pJ
    const double most = (watts + e.clock_w_per_active_core) * result.time_ns * 1000;
    EXPECT_GE(energy_pj(result, "static"), least * (1 - 1e-6));
    EXPECT_LE(energy_pj(result, "static"), most * (1 + 1e-6));
  }
}

TEST(Energy, EveryComponentIsListedOnEveryChipAndTheySumToTheTotal) {
  const std::vector<std::string> names{"tensor_array", "vector", "scalar", "gpsimd", "sbuf", "psum", "dma", "hbm", "link", "static"};
  for (const std::string& chip : preset_names()) {
    SCOPED_TRACE(chip);
    const Result result = kernel_result(preset(chip), "matmul", "m=256,n=256,k=256");
    double sum = 0;
    ASSERT_EQ(result.energy.components_pj.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(result.energy.components_pj[i].first, names[i]);
      EXPECT_GE(result.energy.components_pj[i].second, 0);
      sum += result.energy.components_pj[i].second;
    }
    EXPECT_NEAR(sum, result.energy.total_pj, 1e-9 * sum);
  }
}

TEST(Energy, ACopyPaysForNoArithmetic) {
  const Result result = kernel_result(preset("trn2"), "copy", "bytes=1048576");
  EXPECT_EQ(energy_pj(result, "tensor_array"), 0);
  EXPECT_GT(energy_pj(result, "dma"), 0);
  EXPECT_EQ(result.macs, 0U);
  EXPECT_FALSE(result.mfu.has_value());
}

TEST(Utilization, SmallTilesFillTheirPartOfTheArray) {
  const Result result = kernel_result(preset("trn2"), "matmul", "m=64,n=64,k=64");
  ASSERT_TRUE(result.array_busy && result.array_utilization);
  EXPECT_NEAR(*result.array_utilization / *result.array_busy, 0.25, 1e-3);
}

class Utilizations : public testing::TestWithParam<std::tuple<std::string, std::pair<const char*, const char*>>> {};

TEST_P(Utilizations, StayBetweenZeroAndOne) {
  const auto& [chip, kernel] = GetParam();
  const Result result = kernel_result(preset(chip), kernel.first, kernel.second);
  for (const auto& ratio :
       {result.mfu, result.array_utilization, result.array_busy, result.dma_utilization, result.hbm_utilization, result.row_hit_rate}) {
    if (!ratio) continue;
    EXPECT_GE(*ratio, 0);
    EXPECT_LE(*ratio, 1);
  }
  if (result.array_busy) {
    EXPECT_LE(*result.array_utilization, *result.array_busy);
    EXPECT_LE(*result.mfu, 1);
  }
  for (const auto& [resource, share] : result.bottleneck.shares) EXPECT_LE(share, 1) << resource;
}

INSTANTIATE_TEST_SUITE_P(
    All, Utilizations,
    testing::Combine(testing::Values("trn1", "inf2", "trn2", "trn3", "trn4-projected"),
                     testing::Values(std::pair{"matmul", "m=300,n=700,k=500"}, std::pair{"attention", "seq_q=300,causal=true"},
                                     std::pair{"softmax", "rows=200,cols=300"}, std::pair{"rmsnorm", "rows=200,cols=300"},
                                     std::pair{"vector_add", "rows=200,cols=300"}, std::pair{"copy", "bytes=1000000"})));

TEST(Fusion, FlashAttentionMovesLessThanItsParts) {
  const ChipConfig chip = preset("trn2");
  const auto bytes = [&](const char* kernel, const char* params) { return test::hbm_bytes(test::kernel_snapshot(chip, kernel, params)); };
  const std::uint64_t parts =
      bytes("matmul", "m=512,n=512,k=128") + bytes("softmax", "rows=512,cols=512") + bytes("matmul", "m=512,n=128,k=512");
  EXPECT_LE(bytes("attention", "seq_q=512,head_dim=128"), parts);
}

TEST(Accounts, HoldOnExtremeChips) {
  for (const char* shape : {"m=1,n=1,k=1", "m=128,n=128,k=128", "m=129,n=4096,k=1"}) {
    for (const char* sbuf : {"sbuf.kib_per_partition=20", "sbuf.kib_per_partition=224"}) {
      for (const char* hbm : {"hbm.stack_gb_per_s=1", "hbm.stack_gb_per_s=716", "hbm.stack_gb_per_s=100000"}) {
        SCOPED_TRACE(std::string(shape) + " " + sbuf + " " + hbm);
        const Snapshot snapshot = test::kernel_snapshot(preset("trn2", {sbuf, hbm}), "matmul", shape);
        for (const EngineCounters& e : snapshot.cores.at(0).engines) {
          std::uint64_t sum = e.busy_cycles + e.idle_cycles;
          for (const std::uint64_t cycles : e.stall_cycles) {
            EXPECT_LE(cycles, e.elapsed_cycles);
            sum += cycles;
          }
          EXPECT_EQ(sum, e.elapsed_cycles);
        }
      }
    }
  }
}

TEST(Cores, RowsOfTheCoresAddUpToTheChip) {
  const Result result = kernel_result(preset("trn2"), "matmul", "m=1024,n=512,k=512", 2);
  const auto json = nlohmann::json::parse(to_json(result));
  ASSERT_EQ(json["cores"].size(), 2U);
  for (const auto& [name, engine] : json["engines"].items()) {
    std::uint64_t busy = 0;
    for (const auto& core : json["cores"]) busy += core["engines"][name]["busy_cycles"].get<std::uint64_t>();
    EXPECT_EQ(engine["busy_cycles"].get<std::uint64_t>(), busy) << name;
  }
  std::uint64_t dma = 0;
  for (const CoreSnapshot& core : result.snapshot.cores) dma += core.dma.completed_bytes;
  EXPECT_EQ(json["dma"]["bytes"].get<std::uint64_t>(), dma);
  EXPECT_EQ(json["hbm"]["read_bytes"].get<std::uint64_t>() + json["hbm"]["write_bytes"].get<std::uint64_t>(),
            test::hbm_bytes(result.snapshot));
  for (const char* part : {"dma", "hbm", "sbuf", "psum"}) EXPECT_TRUE(json[part].contains("scope")) << part;
}

TEST(Cores, SplitWorkIsTheSameWork) {
  const ChipConfig chip = preset("trn2");
  const Result one = kernel_result(chip, "matmul", "m=1024,n=512,k=512", 1);
  for (const unsigned cores : {2U, 4U, 8U}) {
    const Result many = kernel_result(chip, "matmul", "m=1024,n=512,k=512", cores);
    EXPECT_EQ(many.macs, one.macs);
    EXPECT_EQ(test::macs(many.snapshot), test::macs(one.snapshot));
    EXPECT_LE(many.time_ns, one.time_ns);
    EXPECT_GE(many.time_ns * cores, one.time_ns * 0.99);
  }
}

TEST(Cores, NeighboursContendForTheirStack) {
  const ChipConfig chip = preset("trn2", {"hbm.stack_gb_per_s=400"});
  const double alone = test::kernel_ns(chip, "vector_add", "rows=1024,cols=1024,dtype=fp32", 1);
  const double shared = test::kernel_ns(chip, "vector_add", "rows=2048,cols=1024,dtype=fp32", 2);
  EXPECT_GT(shared, 1.2 * alone);
}

TEST(Layers, ABatchSumsItsProducts) {
  const ChipConfig chip = preset("trn2");
  const Result one = kernel_result(chip, "matmul", "m=512,n=512,k=512"), three = kernel_result(chip, "matmul", "m=512,n=512,k=512,batch=3");
  EXPECT_EQ(three.macs, 3 * one.macs);
  EXPECT_EQ(three.flops, 3 * one.flops);
  EXPECT_EQ(test::hbm_bytes(three.snapshot), 3 * test::hbm_bytes(one.snapshot));
  EXPECT_NEAR(energy_pj(three, "hbm"), 3 * energy_pj(one, "hbm"), 1e-9 * energy_pj(three, "hbm"));
  EXPECT_NEAR(energy_pj(three, "dma"), 3 * energy_pj(one, "dma"), 1e-9 * energy_pj(three, "dma"));
  EXPECT_LE(three.cycles, 3 * one.cycles);
  EXPECT_GE(three.cycles, one.cycles);
}

}  // namespace
}  // namespace trnsim
