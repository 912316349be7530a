// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

/// The rules that `set` breaks on a preset.
std::vector<std::string> broken(std::vector<std::string> set, const std::string& chip = "trn2") {
  try {
    preset(chip, std::move(set));
  } catch (const ConfigError& error) {
    return error.problems();
  }
  return {};
}

struct RuleCase {
  const char* name;
  const char* chip;
  std::vector<std::string> set;
  const char* message;  ///< Both keys and both values.

  friend void PrintTo(const RuleCase& rule, std::ostream* out) { *out << rule.name; }
};

class EveryRule : public testing::TestWithParam<RuleCase> {};

TEST_P(EveryRule, NamesBothKeysAndValues) {
  const std::vector<std::string> problems = broken(GetParam().set, GetParam().chip);
  ASSERT_EQ(problems.size(), 1u) << testing::PrintToString(problems);
  EXPECT_TRUE(contains(problems[0], GetParam().message)) << problems[0];
}

INSTANTIATE_TEST_SUITE_P(
    ChipRules, EveryRule,
    testing::Values(
        RuleCase{"CoresFitTheStacks", "trn2", {"chip.cores=9"}, "chip.cores = 9 exceeds chip.cores_per_stack = 2 times hbm.stacks = 4"},
        RuleCase{"TileDividesRows", "trn2", {"tensor.rows=80"}, "tensor.rows = 80 must be a multiple of tensor.min_array_tile = 32"},
        RuleCase{
            "TileDividesColumns", "trn2", {"tensor.columns=40"}, "tensor.columns = 40 must be a multiple of tensor.min_array_tile = 32"},
        RuleCase{"RowsFitThePartitions", "trn2", {"tensor.rows=256"}, "tensor.rows = 256 must not exceed sbuf.partitions = 128"},
        RuleCase{"ColumnsFitThePartitions", "trn2", {"tensor.columns=256"}, "tensor.columns = 256 must not exceed sbuf.partitions = 128"},
        RuleCase{"ThrottleReleases",
                 "trn2",
                 {"tensor.throttle_rearm_below=0.6"},
                 "tensor.throttle_rearm_below = 0.6 must not exceed tensor.throttle_start = 0.5"},
        RuleCase{"RampTakesTime",
                 "trn2",
                 {"tensor.throttle_ramp_ns=0"},
                 "tensor.throttle_ramp_ns = 0 must be > 0 when tensor.throttle_start = 0.5"},
        RuleCase{"BackgroundTransposeNeedsTheMode", "trn3", {"tensor.transpose_mode=false"}, "needs tensor.transpose_mode = true"},
        RuleCase{"MxNeedsV4",
                 "trn2",
                 {"tensor.mxfp8_rate=4", "energy.mac_pj.mxfp8=1"},
                 "tensor.mxfp8_rate = 4 needs generation = v4, which is v3"},
        RuleCase{"Fp4NeedsV4",
                 "trn2",
                 {"tensor.mxfp4_rate=4", "energy.mac_pj.mxfp4=1"},
                 "tensor.mxfp4_rate = 4 needs generation = v4, which is v3"},
        RuleCase{"DoubleRowNeedsV3",
                 "trn1",
                 {"tensor.fp8_rate=2"},
                 "tensor.fp8_rate = 2 above 1 (double row) needs generation = v3 or v4, which is v2"},
        RuleCase{"Bf16OutputNeedsV4", "trn2", {"psum.bf16_output=true"}, "psum.bf16_output = true needs generation = v4, which is v3"},
        RuleCase{"TypeNeedsAnEnergy", "trn3", {"energy.mac_pj.mxfp8=0"}, "energy.mac_pj.mxfp8 = 0 although tensor.mxfp8_rate = 4"},
        RuleCase{"OutputFitsABank",
                 "trn2",
                 {"psum.bank_bytes_per_partition=1024"},
                 "tensor.max_moving_columns = 512 of FP32 output exceeds the 1024 bytes"},
        RuleCase{"OutputFitsPsum", "trn3", {"psum.banks=4"}, "tensor.max_moving_columns = 4096 of FP32 output exceeds the 8192 bytes"},
        RuleCase{
            "EngineFitsTheWire", "trn2", {"dma.engine_gb_per_s=30"}, "dma.engine_gb_per_s = 30 must not exceed dma.wire_gb_per_s = 27.2"},
        RuleCase{
            "SomeDmaModeIsLeft", "trn1", {"dma.static_mode.available=false", "dma.software_mode.available=false"}, "must be available"},
        RuleCase{"AccessDividesInterleave",
                 "trn2",
                 {"hbm.access_bytes=48"},
                 "hbm.interleave_bytes = 256 must be a multiple of hbm.access_bytes = 48"},
        RuleCase{"InterleaveDividesRow",
                 "trn2",
                 {"hbm.interleave_bytes=2048"},
                 "hbm.row_bytes = 1024 must be a multiple of hbm.interleave_bytes = 2048"},
        RuleCase{"GroupsDivideBanks", "trn2", {"hbm.banks=50"}, "hbm.banks = 50 must be a multiple of hbm.bank_groups = 12"},
        RuleCase{"RowStaysOpenToBeRead", "trn2", {"hbm.tras_ns=10"}, "hbm.tras_ns = 10 must be at least hbm.trcd_ns = 14"},
        RuleCase{"ActivatesFitTheWindow", "trn2", {"hbm.tfaw_ns=1"}, "hbm.tfaw_ns = 1 must be at least hbm.trrd_ns = 2.5"},
        RuleCase{"RefreshLeavesTime", "trn2", {"hbm.trfc_ns=350", "hbm.trefi_ns=350"}, "hbm.trefi_ns = 350 must exceed hbm.trfc_ns = 350"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(ChipRules, HoldAtTheirBoundaries) {
  EXPECT_TRUE(broken({"chip.cores=8"}).empty());
  EXPECT_TRUE(broken({"tensor.throttle_rearm_below=0.5"}).empty());
  EXPECT_TRUE(broken({"dma.engine_gb_per_s=27.2"}).empty());
  EXPECT_TRUE(broken({"hbm.interleave_bytes=1024"}).empty());
  EXPECT_TRUE(broken({"hbm.trfc_ns=350", "hbm.trefi_ns=351"}).empty());
  EXPECT_TRUE(broken({"tensor.rows=256", "tensor.columns=256", "sbuf.partitions=256"}).empty());
}

TEST(ChipRules, AllBrokenOnesAreReported) { EXPECT_EQ(broken({"chip.cores=9", "dma.engine_gb_per_s=30", "hbm.banks=50"}).size(), 3u); }

TEST(ChipRules, RangesOfADescriptionMadeInCodeAreChecked) {
  ChipConfig config = preset("trn2");
  EXPECT_TRUE(check_chip(config).empty());
  config.tensor.clock_ghz = 0;
  config.generation = "v7";
  const std::vector<std::string> problems = check_chip(config);
  EXPECT_TRUE(any_contains(problems, "tensor.clock_ghz: 0 is not allowed"));
  EXPECT_TRUE(any_contains(problems, "generation: v7 is not allowed"));
}

}  // namespace
}  // namespace trnsim
