// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
// Chips with several kinds of core are refused by name, however they are written.
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

constexpr const char* kRefusal = "a chip with two kinds of core is not supported";

std::string chip_with(const std::string& members) { return R"({"extends": "trn2", )" + members + "}"; }

TEST(CoreKinds, AListOfCoresIsRefusedByName) {
  const std::string problem = problem_of(chip_with(R"("cores": [{"tensor": {"rows": 128}}, {"tensor": {"rows": 64}}])"));
  EXPECT_TRUE(contains(problem, "chip.json:1: cores: ")) << problem;
  EXPECT_TRUE(contains(problem, kRefusal)) << problem;
  EXPECT_TRUE(contains(problem, "describe each kind as a chip of its own")) << problem;
}

TEST(CoreKinds, OtherSpellingsAreRefusedByName) {
  for (const char* members :
       {R"("core_kinds": [{"name": "big"}])", R"("core_types": {"big": {"tensor": {"rows": 128}}})", R"("core0": {"tensor": {"rows": 64}})",
        R"("big_cores": {"count": 4}, "tensor": {"rows": 128})", R"("chip": {"core_groups": [{"cores": 4}]})",
        R"("chip": {"cores": [{"count": 4}, {"count": 4}]})", R"("tensor": [{"rows": 128}, {"rows": 64}])",
        R"("tensor": {"rows": [128, 64]})", R"("sbuf": [{"kib_per_partition": 192}])", R"("tensor[1]": {"rows": 64})",
        R"("Cores": {"0": {"tensor": {"rows": 64}}})"}) {
    EXPECT_TRUE(contains(problem_of(chip_with(members)), kRefusal)) << members;
  }
}

TEST(CoreKinds, OverridesOfOneCoreAreRefusedByName) {
  for (const char* override : {"tensor.0.rows=64", "tensor[1].rows=64", "cores.0.tensor.rows=64", "cores[1].tensor.rows=64"}) {
    EXPECT_TRUE(contains(problem_of(R"({"extends": "trn2"})", {override}), kRefusal)) << override;
  }
}

TEST(CoreKinds, AllowUnknownDoesNotDropThem) {
  std::vector<std::string> warnings;
  EXPECT_THROW(parse_chip(chip_with(R"("core_kinds": [{}, {}])"), "chip.json", {{}, true}, warnings), ConfigError);
}

TEST(CoreKinds, MisspeltKeysStillGetTheNearestOne) {
  EXPECT_TRUE(contains(problem_of(chip_with(R"("chip": {"core": 4})")), "did you mean chip.cores?"));
  EXPECT_TRUE(contains(problem_of(chip_with(R"("tensr": {"rows": 64})")), "did you mean tensor"));
}

TEST(CoreKinds, AListWhereTextIsWantedIsNoKindOfCore) {
  EXPECT_TRUE(contains(problem_of(chip_with(R"("name": {"a": 1})")), "expected a text"));
  EXPECT_FALSE(contains(problem_of(chip_with(R"("name": {"a": 1})")), kRefusal));
}

}  // namespace
}  // namespace trnsim
