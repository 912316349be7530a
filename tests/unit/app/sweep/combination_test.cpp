// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/combination.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/sweep/range.hpp"
#include "unit/app/sweep/sweep_support.hpp"

namespace trnsim::app {
namespace {

using Texts = std::vector<std::string>;

Axis axis(const std::string& path, std::size_t count) {
  Axis made{path, *target_of(path), {}, {}};
  for (std::size_t i = 0; i < count; ++i) made.values.push_back(std::to_string(i + 1));
  return made;
}

Axis open_range(const std::string& path, double from, double to, bool log = false) {
  return {path, *target_of(path), {}, AxisRange{from, to, log, 0, 0}};
}

SweepDescription sweep(std::vector<Axis> axes, Combine combine, std::uint64_t samples = 0, std::uint64_t seed = 1) {
  SweepDescription made;
  made.axes = std::move(axes);
  made.combine = combine;
  made.samples = samples;
  made.seed = seed;
  return made;
}

Texts column(const Combination& points, std::size_t axis) {
  Texts values;
  for (std::size_t i = 0; i < points.size(); ++i) values.push_back(points.value(i, axis));
  return values;
}

TEST(Combination, ZipTakesTheValuesSideBySide) {
  const SweepDescription s = sweep({axis("params.m", 3), axis("params.n", 3)}, Combine::Zip);
  const Combination points(s);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points.value(2, 0), "3");
  EXPECT_EQ(points.value(2, 1), "3");
}

RC_GTEST_PROP(CombinationLaw, AGridHasEachCombinationOnce, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  const auto sizes = *rc::gen::container<std::vector<std::size_t>>(count, rc::gen::inRange<std::size_t>(1, 6));
  std::vector<Axis> axes;
  std::size_t product = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    axes.push_back(axis("params.p" + std::to_string(i), sizes[i]));
    product *= sizes[i];
  }
  const SweepDescription s = sweep(axes, Combine::Grid);
  const Combination points(s);
  RC_ASSERT(points.size() == product);
  std::set<Texts> seen;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Texts values;
    for (std::size_t a = 0; a < axes.size(); ++a) values.push_back(points.value(i, a));
    const bool later = seen.empty() || *seen.rbegin() < values;  // one digit each: text order is the order of a grid
    RC_ASSERT(later);
    seen.insert(values);
  }
  RC_ASSERT(seen.size() == product);
}

RC_GTEST_PROP(CombinationLaw, ALatinHypercubeHasOneSamplePerStratumOfEachAxis, ()) {
  const auto samples = *rc::gen::inRange<std::uint64_t>(1, 200);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const SweepDescription s = sweep({open_range("set.hbm.stack_gb_per_s", 0, 1000), open_range("set.hbm.tcl_ns", 1, 1000, true)},
                                   Combine::LatinHypercube, samples, seed);
  const Combination points(s);
  for (std::size_t a = 0; a < 2; ++a) {
    std::set<std::uint64_t> strata;
    for (const std::string& text : column(points, a)) {
      const double share = a == 0 ? std::stod(text) / 1000 : std::log(std::stod(text)) / std::log(1000.0);
      strata.insert(static_cast<std::uint64_t>(share * static_cast<double>(samples)));
    }
    RC_ASSERT(strata.size() == samples);
  }
}

RC_GTEST_PROP(CombinationLaw, ALatinHypercubeTakesTheValuesOfAListEquallyOften, ()) {
  const auto values = *rc::gen::inRange<std::size_t>(1, 9);
  const auto rounds = *rc::gen::inRange<std::uint64_t>(1, 20);
  const SweepDescription s =
      sweep({axis("params.m", values)}, Combine::LatinHypercube, rounds * values, *rc::gen::arbitrary<std::uint64_t>());
  const Texts taken = column(Combination(s), 0);
  for (const std::string& value : s.axes[0].values)
    RC_ASSERT(static_cast<std::uint64_t>(std::count(taken.begin(), taken.end(), value)) == rounds);
}

RC_GTEST_PROP(CombinationLaw, DrawnValuesLieWithinTheirRange, ()) {
  const auto low = *rc::gen::inRange(1, 1000);
  const auto high = low + *rc::gen::inRange(0, 1000);
  const bool log = *rc::gen::arbitrary<bool>(), turned = *rc::gen::arbitrary<bool>();
  const double from = turned ? high : low, to = turned ? low : high;
  const SweepDescription s = sweep({open_range("params.m", from, to, log), open_range("set.hbm.tcl_ns", from, to, log)}, Combine::Random,
                                   50, *rc::gen::arbitrary<std::uint64_t>());
  const Combination points(s);
  for (std::size_t a = 0; a < 2; ++a) {
    for (const std::string& text : column(points, a)) {
      RC_ASSERT(std::stod(text) >= low);
      RC_ASSERT(std::stod(text) <= high);
      if (a == 0) RC_ASSERT(text.find_first_not_of("0123456789") == std::string::npos);
    }
  }
}

RC_GTEST_PROP(CombinationLaw, AnotherAxisChangesNoneOfTheOthers, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Combine combine = *rc::gen::element(Combine::Random, Combine::LatinHypercube);
  const SweepDescription one = sweep({open_range("params.m", 1, 5000)}, combine, 30, seed);
  const SweepDescription two = sweep({axis("params.k", 3), open_range("params.m", 1, 5000)}, combine, 30, seed);
  RC_ASSERT(column(Combination(one), 0) == column(Combination(two), 1));
}

TEST(Combination, AnotherSeedGivesOtherPoints) {
  const SweepDescription one = sweep({open_range("params.m", 1, 5000)}, Combine::Random, 30, 1);
  const SweepDescription two = sweep({open_range("params.m", 1, 5000)}, Combine::Random, 30, 2);
  EXPECT_NE(column(Combination(one), 0), column(Combination(two), 0));
}

TEST(Draws, AreThoseOfTheDocument) {  // computed apart from this program, from the definition in docs/sweeps.md
  const Draws draws(7, "params.m");
  EXPECT_EQ(draws.bits(0), 0x7e8ecf3ee32c2700U);
  EXPECT_EQ(draws.bits(1), 0x73363e6ec6a38499U);
  EXPECT_EQ(draws.bits(2), 0xea2bf823177a5f03U);
  EXPECT_EQ(draws.permutation(8), (std::vector<std::uint32_t>{0, 1, 6, 7, 2, 4, 3, 5}));
}

const std::vector<Axis>& three_axes() {
  static const std::vector<Axis> kAxes{{"chip", *target_of("chip"), {"a", "b", "c"}, {}},
                                       open_range("params.m", 128, 4096),
                                       open_range("set.hbm.stack_gb_per_s", 200, 1600, true)};
  return kAxes;
}

TEST(Combination, RandomPointsOfASeedAreTheSameEverywhere) {
  const SweepDescription s = sweep(three_axes(), Combine::Random, 4, 7);
  const Combination points(s);
  EXPECT_EQ(column(points, 0), (Texts{"c", "a", "a", "a"}));
  EXPECT_EQ(column(points, 1), (Texts{"2090", "1914", "3758", "2575"}));
  EXPECT_EQ(column(points, 2), (Texts{"494.882950369", "318.714817384", "655.103424738", "303.620271967"}));
}

TEST(Combination, LatinHypercubePointsOfASeedAreTheSameEverywhere) {
  const SweepDescription s = sweep(three_axes(), Combine::LatinHypercube, 4, 7);
  const Combination points(s);
  EXPECT_EQ(column(points, 0), (Texts{"c", "c", "a", "a"}));
  EXPECT_EQ(column(points, 1), (Texts{"618", "1566", "4012", "2724"}));
  EXPECT_EQ(column(points, 2), (Texts{"709.484828801", "224.710341855", "1279.87470071", "373.359911328"}));
}

}  // namespace
}  // namespace trnsim::app
