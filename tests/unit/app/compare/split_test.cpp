// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/compare/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "app/compare/write.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim::app {
namespace {

ChipConfig preset(const std::string& name, std::vector<std::string> set = {}) {
  std::vector<std::string> warnings;
  return load_chip(name, {std::move(set), false}, warnings);
}

std::size_t index(Cause cause) { return static_cast<std::size_t>(cause); }

/// Times of mixes by a formula, and what was asked for.
struct Bench {
  std::function<MixTime(CauseSet)> formula;
  std::vector<CauseSet> asked = {};

  MixTimes times() {
    return [this](const std::vector<CauseSet>& mixes) {
      std::vector<MixTime> found;
      for (const CauseSet mix : mixes) {
        asked.push_back(mix);
        found.push_back(formula(mix));
      }
      return found;
    };
  }
};

/// Independent causes: each divides the time by a factor of its own.
double product_time(CauseSet mix) {
  constexpr std::array<double, kCauseCount> kFactors{2, 1.5, 1.2, 1.25, 0.5, 4, 1.1, 1};
  double time = 1000;
  for (const Cause cause : kCauses) time /= (mix & bit_of(cause)) != 0 ? kFactors.at(index(cause)) : 1;
  return time;
}

/// Causes that hide each other: the slower of two halves counts, and DMA adds to both.
double overlapping_time(CauseSet mix) {
  const auto half = [mix](double time, std::initializer_list<Cause> faster) {
    for (const Cause cause : faster) time /= (mix & bit_of(cause)) != 0 ? 1.7 : 1;
    return time;
  };
  return std::max(half(900, {Cause::Clock, Cause::Array}), half(800, {Cause::Hbm, Cause::Vector})) + half(100, {Cause::Dma, Cause::OnChip});
}

Split split_with(const std::function<double(CauseSet)>& formula, SplitOrders orders, const ChipConfig& a = preset("trn1"),
                 const ChipConfig& b = preset("trn3")) {
  Bench bench{[&](CauseSet mix) { return MixTime{formula(mix), {}}; }};
  CauseSet all = 0;
  for (const SplitGroup& group : split_groups(a, b)) all |= group.causes;
  return split_speed_up(a, b, formula(0), formula(all), orders, bench.times());
}

const SplitGroup& group_of(const Split& split, Cause cause) {
  for (const SplitGroup& group : split.groups) {
    if ((group.causes & bit_of(cause)) != 0) return group;
  }
  throw std::logic_error("no such group");
}

void expect_factors_multiply(const Split& split) {
  double product = 1;
  for (const SplitGroup& group : split.groups) {
    product *= group.in_order;
    EXPECT_NEAR(group.running / product, 1, 1e-12);
  }
  EXPECT_NEAR(product / split.speed_up, 1, 1e-12);
  EXPECT_DOUBLE_EQ(split.groups.back().running, split.speed_up);
}

TEST(SplitGroups, AreThoseInWhichAKeyThatTakesTimeDiffers) {
  const auto groups = split_groups(preset("trn2"), preset("trn2", {"hbm.row_bytes=2048", "energy.uncore_w=1", "chip.launch_ns=1"}));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].causes, bit_of(Cause::Hbm));
  EXPECT_EQ(groups[0].keys, std::vector<std::string>{"hbm.row_bytes"});
}

TEST(Split, OfAChipAgainstItselfHasNoCauses) {
  const Split split = split_with(product_time, SplitOrders::All, preset("trn2"), preset("trn2"));
  EXPECT_EQ(split.speed_up, 1);
  EXPECT_TRUE(split.groups.empty());
  EXPECT_EQ(split.simulations, 0u);
}

TEST(Split, OfKeysWithoutEffectIsAllOnes) {
  const Split split = split_with([](CauseSet) { return 500.0; }, SplitOrders::All);
  ASSERT_GE(split.groups.size(), 6u);
  for (const SplitGroup& group : split.groups) {
    EXPECT_EQ(group.alone, 1);
    EXPECT_EQ(group.last, 1);
    EXPECT_EQ(group.in_order, 1);
    EXPECT_EQ(group.average, 1);
    EXPECT_EQ(group.smallest, 1);
    EXPECT_EQ(group.largest, 1);
  }
}

TEST(Split, IndependentCausesHaveTheSameFactorInEveryOrder) {
  const Split split = split_with(product_time, SplitOrders::All);
  for (const SplitGroup& group : split.groups) {
    for (const double factor : {*group.alone, *group.last, *group.average, *group.smallest, *group.largest})
      EXPECT_NEAR(factor, group.in_order, 1e-9);
  }
  EXPECT_NEAR(group_of(split, Cause::Clock).in_order, 2, 1e-12);
  EXPECT_NEAR(group_of(split, Cause::Dma).in_order, 0.5, 1e-12);
}

TEST(Split, FactorsInOrderMultiplyToTheSpeedUp) {
  for (const SplitOrders orders : {SplitOrders::All, SplitOrders::Stated}) {
    expect_factors_multiply(split_with(product_time, orders));
    expect_factors_multiply(split_with(overlapping_time, orders));
  }
}

TEST(Split, AveragesAddUpInLogSpace) {
  const Split split = split_with(overlapping_time, SplitOrders::All);
  double sum = 0;
  for (const SplitGroup& group : split.groups) sum += std::log(*group.average);
  EXPECT_NEAR(sum, std::log(split.speed_up), 1e-12);
}

TEST(Split, RandomTimesKeepTheLaws) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::map<CauseSet, double> times;
    const auto formula = [&](CauseSet mix) {
      if (!times.contains(mix)) times[mix] = 100 + static_cast<double>(random() % 1000);
      return times[mix];
    };
    const Split split = split_with(formula, SplitOrders::All);
    expect_factors_multiply(split);
    double sum = 0;
    for (const SplitGroup& group : split.groups) {
      sum += std::log(*group.average);
      for (const double factor : {*group.alone, *group.last, group.in_order, *group.average}) {
        EXPECT_GE(factor, *group.smallest * (1 - 1e-12));
        EXPECT_LE(factor, *group.largest * (1 + 1e-12));
      }
    }
    EXPECT_NEAR(sum, std::log(split.speed_up), 1e-9);
  }
}

TEST(Split, TwoGroupsAverageTheirTwoOrders) {
  const ChipConfig a = preset("trn2"), b = preset("trn2", {"hbm.stack_gb_per_s=900", "dma.engine_gb_per_s=25"});
  const auto formula = [](CauseSet mix) {
    return mix == 0 ? 100.0 : mix == bit_of(Cause::Hbm) ? 80.0 : mix == bit_of(Cause::Dma) ? 50.0 : 20.0;
  };
  const Split split = split_with(formula, SplitOrders::All, a, b);
  ASSERT_EQ(split.groups.size(), 2u);
  EXPECT_DOUBLE_EQ(*split.groups[0].alone, 1.25);
  EXPECT_DOUBLE_EQ(*split.groups[0].last, 2.5);
  EXPECT_NEAR(*split.groups[0].average, std::sqrt(1.25 * 2.5), 1e-12);
  EXPECT_NEAR(*split.groups[1].average, std::sqrt(2.0 * 4.0), 1e-12);
  EXPECT_EQ(split.simulations, 2u);
}

TEST(Split, StatedOrderSimulatesOnlyWhatItShowsAndEachMixOnce) {
  const ChipConfig a = preset("trn1"), b = preset("trn3");
  Bench bench{[](CauseSet mix) { return MixTime{product_time(mix), {}}; }};
  const Split split = split_speed_up(a, b, product_time(0), product_time(kAllCauses), SplitOrders::Stated, bench.times());
  const std::set<CauseSet> different(bench.asked.begin(), bench.asked.end());
  EXPECT_EQ(different.size(), bench.asked.size());
  EXPECT_EQ(split.simulations, bench.asked.size());
  EXPECT_LE(bench.asked.size(), 3 * split.groups.size());
  EXPECT_FALSE(split.groups[0].average.has_value());
}

TEST(Split, AllOrdersSimulateEveryMixOnce) {
  const ChipConfig a = preset("trn1"), b = preset("trn3");
  Bench bench{[](CauseSet mix) { return MixTime{product_time(mix), {}}; }};
  const Split split = split_speed_up(a, b, product_time(0), product_time(kAllCauses), SplitOrders::All, bench.times());
  EXPECT_EQ(split.simulations, (std::size_t{1} << split.groups.size()) - 2);
}

TEST(Split, GroupsOfAnImpossibleMixAreJoined) {
  const ChipConfig wide = preset("trn2", {"tensor.rows=256", "sbuf.partitions=256", "hbm.stack_gb_per_s=900"});
  for (const SplitOrders orders : {SplitOrders::All, SplitOrders::Stated}) {
    const Split split = split_with(overlapping_time, orders, preset("trn2"), wide);
    ASSERT_EQ(split.groups.size(), 2u);
    EXPECT_EQ(names_of(split.groups[0].causes), "array + SBUF/PSUM");
    EXPECT_EQ(split.groups[0].keys, (std::vector<std::string>{"tensor.rows", "sbuf.partitions"}));
    ASSERT_EQ(split.remarks.size(), 1u);
    EXPECT_NE(split.remarks[0].find("must not exceed sbuf.partitions"), std::string::npos) << split.remarks[0];
    expect_factors_multiply(split);
  }
}

/// Refuses mixes that have the DMA of B but not its HBM.
MixTime refusing(CauseSet mix) {
  if ((mix & bit_of(Cause::Dma)) != 0 && (mix & bit_of(Cause::Hbm)) == 0) return {std::nullopt, "the kernel does not fit"};
  return {product_time(mix), {}};
}

TEST(Split, GroupsOfARefusedMixAreJoinedWhenEveryOrderCounts) {
  const ChipConfig a = preset("trn1"), b = preset("trn3");
  Bench bench{refusing};
  const Split split = split_speed_up(a, b, product_time(0), product_time(kAllCauses), SplitOrders::All, bench.times());
  EXPECT_EQ(group_of(split, Cause::Dma).causes, bit_of(Cause::Hbm) | bit_of(Cause::Dma));
  ASSERT_EQ(split.remarks.size(), 1u);
  EXPECT_NE(split.remarks[0].find("the kernel does not fit"), std::string::npos);
  expect_factors_multiply(split);
}

TEST(Split, ARefusedMixOutsideTheOrderIsMarkedWithItsReason) {
  const ChipConfig a = preset("trn1"), b = preset("trn3");
  Bench bench{refusing};
  const Split split = split_speed_up(a, b, product_time(0), product_time(kAllCauses), SplitOrders::Stated, bench.times());
  const SplitGroup& dma = group_of(split, Cause::Dma);
  EXPECT_EQ(dma.causes, bit_of(Cause::Dma));
  EXPECT_FALSE(dma.alone.has_value());
  EXPECT_EQ(dma.alone_reason, "the kernel does not fit");
  EXPECT_TRUE(dma.last.has_value());
  EXPECT_FALSE(group_of(split, Cause::Hbm).last.has_value());
  EXPECT_TRUE(split.remarks.empty());
  expect_factors_multiply(split);
}

TEST(Split, ARefusedStepOfTheOrderIsJoinedWithTheNext) {
  const auto no_clock_alone = [](CauseSet mix) {
    return mix == bit_of(Cause::Clock) ? MixTime{std::nullopt, "too fast"} : MixTime{product_time(mix), {}};
  };
  Bench bench{no_clock_alone};
  const Split split =
      split_speed_up(preset("trn1"), preset("trn3"), product_time(0), product_time(kAllCauses), SplitOrders::Stated, bench.times());
  EXPECT_EQ(names_of(split.groups[0].causes), "clock + array");
  EXPECT_NE(split.remarks.at(0).find("too fast"), std::string::npos);
  expect_factors_multiply(split);
}

TEST(Split, WhenOnlyTheWholeRunsOneGroupIsLeft) {
  Bench bench{[](CauseSet) { return MixTime{std::nullopt, "no"}; }};
  for (const SplitOrders orders : {SplitOrders::All, SplitOrders::Stated}) {
    const Split split = split_speed_up(preset("trn1"), preset("trn2"), 200, 100, orders, bench.times());
    ASSERT_EQ(split.groups.size(), 1u);
    EXPECT_EQ(split.groups[0].in_order, 2);
    EXPECT_EQ(split.groups[0].alone, 2);
    EXPECT_FALSE(split.remarks.empty());
  }
}

TEST(SplitRows, EveryRowHasAsManyCellsAsTheHead) {
  for (const SplitOrders orders : {SplitOrders::All, SplitOrders::Stated}) {
    for (const bool wide : {true, false}) {
      const auto rows = split_rows(split_with(overlapping_time, orders), wide);
      for (const auto& row : rows) EXPECT_EQ(row.size(), rows.front().size());
      EXPECT_EQ(rows.back().front(), "all");
    }
  }
}

TEST(SplitRows, ARefusalIsShownAndExplained) {
  Bench bench{refusing};
  const Split split =
      split_speed_up(preset("trn1"), preset("trn3"), product_time(0), product_time(kAllCauses), SplitOrders::Stated, bench.times());
  std::string text;
  for (const auto& row : split_rows(split, true)) {
    for (const std::string& cell : row) text += cell + ' ';
  }
  for (const std::string& note : split_notes(split)) text += note + '\n';
  EXPECT_NE(text.find("refused"), std::string::npos);
  EXPECT_NE(text.find("DMA alone refused: the kernel does not fit"), std::string::npos) << text;
}

}  // namespace
}  // namespace trnsim::app
