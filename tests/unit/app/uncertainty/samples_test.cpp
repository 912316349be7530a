// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/uncertainty/samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace trnsim::app {
namespace {

RunRequest on(const std::string& chip) {
  RunRequest request;
  request.chip = chip;
  return request;
}

std::vector<Sample> draw_samples(const RunRequest& request, const std::vector<Drawn>& numbers, std::size_t count, std::uint64_t seed) {
  const Sampler sampler(request, numbers, count, seed);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(sampler.draw(i));
  return samples;
}

const Drawn kRowActivate{"hbm.trcd_ns", "assumed", 14, 11.2, 16.8, false};
const Drawn kPrecharge{"hbm.trp_ns", "assumed", 14, 11.2, 16.8, false};
const Drawn kOverhead{"vector.issue_overhead_cycles", "assumed", 68, 0, 76, true};

TEST(DrawnNumber, StaysInItsRange) {
  for (const double u : {0.0, 0.3, 0.999999}) {
    EXPECT_GE(kRowActivate.at(u), 11.2);
    EXPECT_LE(kRowActivate.at(u), 16.8);
  }
}

TEST(DrawnNumber, OfAnIntegerIsOneAndReachesBothEnds) {
  std::set<double> seen;
  for (int i = 0; i < 770; ++i) seen.insert(kOverhead.at(i / 770.0));
  EXPECT_EQ(seen.size(), 77u);
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 76);
}

TEST(DrawnNumber, BetweenPowersOfTwoIsOneOfThem) {
  const Drawn row{"hbm.row_bytes", "assumed", 1024, 512, 2048, true};
  std::set<double> seen;
  for (int i = 0; i < 90; ++i) seen.insert(row.at(i / 90.0));
  EXPECT_EQ(seen, (std::set<double>{512, 1024, 2048}));
}

TEST(Samples, UseEveryPartOfEveryRangeOnce) {
  constexpr std::size_t kCount = 50;
  const std::vector<Drawn> numbers{kRowActivate, kPrecharge};
  const auto samples = draw_samples(on("trn2"), numbers, kCount, 1);
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    std::set<int> parts;
    for (const Sample& sample : samples) parts.insert(static_cast<int>(std::floor((sample.values[n] - 11.2) / (16.8 - 11.2) * kCount)));
    EXPECT_EQ(parts.size(), kCount) << numbers[n].path;
  }
}

TEST(Samples, OfOneSeedAreTheSameAndOfAnotherAreNot) {
  const std::vector<Drawn> numbers{kRowActivate, kOverhead};
  const auto a = draw_samples(on("trn2"), numbers, 10, 1), b = draw_samples(on("trn2"), numbers, 10, 1),
             c = draw_samples(on("trn2"), numbers, 10, 2);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].values, b[i].values);
  EXPECT_TRUE(
      std::any_of(a.begin(), a.end(), [&](const Sample& s) { return s.values != c[static_cast<std::size_t>(&s - a.data())].values; }));
}

TEST(Samples, OfANumberDoNotDependOnTheOthers) {
  const auto alone = draw_samples(on("trn2"), {kRowActivate}, 10, 1), both = draw_samples(on("trn2"), {kPrecharge, kRowActivate}, 10, 1);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].values[0], both[i].values[1]);
}

TEST(Samples, AreSetOnTheirChips) {
  for (const Sample& sample : draw_samples(on("trn2"), {kRowActivate, kOverhead}, 5, 1)) {
    EXPECT_TRUE(sample.problem.empty());
    EXPECT_DOUBLE_EQ(sample.chip.hbm.trcd_ns, sample.values[0]);
    EXPECT_EQ(sample.chip.vector.issue_overhead_cycles, sample.values[1]);
  }
}

TEST(Samples, KeepWhatTheRequestSets) {
  RunRequest request = on("trn2");
  request.set = {"hbm.stack_gb_per_s=500"};
  for (const Sample& sample : draw_samples(request, {kRowActivate}, 3, 1)) EXPECT_EQ(sample.chip.hbm.stack_gb_per_s, 500);
}

TEST(Samples, OfPairsThatMustAgreeAreDrawnAgainUntilTheyDo) {
  const std::vector<Drawn> numbers{{"hbm.row_bytes", "assumed", 1024, 512, 2048, true},
                                   {"hbm.interleave_bytes", "assumed", 256, 256, 1024, true}};
  const auto samples = draw_samples(on("trn2"), numbers, 40, 1);
  for (const Sample& sample : samples) {
    EXPECT_TRUE(sample.problem.empty()) << sample.problem;
    EXPECT_EQ(std::fmod(sample.values[0], sample.values[1]), 0);
    EXPECT_EQ(sample.chip.hbm.row_bytes, sample.values[0]);
  }
}

TEST(Samples, ThatNoChipCanHaveSayWhy) {
  const std::vector<Drawn> numbers{{"hbm.row_bytes", "assumed", 1024, 100, 120, true}};
  for (const Sample& sample : draw_samples(on("trn2"), numbers, 3, 1)) EXPECT_NE(sample.problem.find("hbm.row_bytes"), std::string::npos);
}

class Chosen : public ::testing::Test {
 protected:
  Chosen() {
    std::vector<std::string> warnings;
    result.chip = load_chip("trn3", {{"hbm.trp_ns=14"}, false}, warnings);
    result.assumed = {"chip.launch_ns", "energy.uncore_w", "hbm.banks", "hbm.trcd_ns", "hbm.trp_ns"};
    result.derived = {"sequencer.base_clock_ghz"};
  }
  Result result;
};

TEST_F(Chosen, NumbersAreThoseThatTheTimeRestsOnAndThatHaveARange) {
  std::vector<std::string> paths;
  for (const Drawn& number : drawn_numbers(result).drawn) paths.push_back(number.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"hbm.trcd_ns", "sequencer.base_clock_ghz"}));
}

TEST_F(Chosen, NumbersSetByHandAreHeldEvenAtTheValueOfThePreset) {
  EXPECT_EQ(drawn_numbers(result).held, (std::vector<std::string>{"hbm.trp_ns"}));
}

TEST_F(Chosen, NumbersKnowTheirTypeAndRange) {
  result.assumed = {"vector.issue_overhead_cycles"};
  result.derived.clear();
  const Drawn number = drawn_numbers(result).drawn.at(0);
  EXPECT_TRUE(number.whole);
  EXPECT_EQ(number.value, 68);
  EXPECT_EQ(number.lo, 0);
  EXPECT_EQ(number.hi, 76);
}

}  // namespace
}  // namespace trnsim::app
