// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/pattern.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "support/program_builder.hpp"

namespace trnsim {
namespace {

Operand strided(std::vector<Dim> dims, DType dtype = DType::Uint8, std::uint64_t offset = 0) {
  Operand operand = test::ProgramBuilder::on_chip(1, Buffer::Sbuf, 1, 1, dtype, offset);
  operand.rank = static_cast<std::uint8_t>(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) operand.free[i] = dims[i];
  return operand;
}

std::set<std::uint64_t> bytes(const Operand& o, std::uint64_t base) {
  std::set<std::uint64_t> result;
  const std::int64_t width = element_bytes(o.dtype);
  for (std::int64_t a = 0; a < o.free[0].count; ++a) {
    for (std::int64_t b = 0; b < (o.rank > 1 ? o.free[1].count : 1); ++b) {
      const std::int64_t element = a * o.free[0].stride + b * (o.rank > 1 ? o.free[1].stride : 0);
      for (std::int64_t k = 0; k < width; ++k) result.insert(base + o.offset + static_cast<std::uint64_t>(element * width + k));
    }
  }
  return result;
}

TEST(Pattern, ContiguousColumnsAreOneRun) {
  const Pattern p = free_pattern(strided({{1, 512}}, DType::Bf16), 100);
  EXPECT_TRUE(p.dense());
  EXPECT_EQ(p.lo, 100U);
  EXPECT_EQ(p.hi(), 1124U);
}

TEST(Pattern, JoinedDimensionsAreOneRun) { EXPECT_TRUE(free_pattern(strided({{64, 4}, {1, 64}}), 0).dense()); }

TEST(Pattern, AGapKeepsTwoDimensions) {
  const Pattern p = free_pattern(strided({{100, 4}, {1, 64}}), 0);
  EXPECT_EQ(p.rank, 1U);
  EXPECT_EQ(p.run, 64U);
  EXPECT_EQ(p.hi(), 364U);
}

TEST(Pattern, NegativeStridesStartLower) {
  const Pattern p = free_pattern(strided({{-1, 8}}, DType::Uint8, 7), 0);
  EXPECT_EQ(p.lo, 0U);
  EXPECT_EQ(p.hi(), 8U);
}

TEST(Pattern, InterleavedColumnsDoNotOverlap) {
  const Pattern even = free_pattern(strided({{2, 64}}), 0), odd = free_pattern(strided({{2, 64}}, DType::Uint8, 1), 0);
  EXPECT_FALSE(overlap(even, odd));
  EXPECT_TRUE(overlap(even, even));
}

TEST(Pattern, HbmRowsWithAGapDoNotOverlapTheirNeighbours) {
  Operand left = test::ProgramBuilder::in_hbm(0, 128, 512, 2048), right = left;
  right.offset = 1024;
  EXPECT_FALSE(overlap(hbm_pattern(left, 0), hbm_pattern(right, 0)));
  right.offset = 1022;
  EXPECT_TRUE(overlap(hbm_pattern(left, 0), hbm_pattern(right, 0)));
}

rc::Gen<Operand> small_operand() {
  return rc::gen::exec([] {
    const auto stride = [] { return *rc::gen::inRange<std::int32_t>(-9, 10); };
    const auto count = [] { return *rc::gen::inRange<std::uint32_t>(1, 6); };
    return strided({{stride(), count()}, {stride(), count()}}, *rc::gen::element(DType::Uint8, DType::Bf16, DType::Fp32),
                   *rc::gen::inRange<std::uint64_t>(200, 260));
  });
}

RC_GTEST_PROP(Pattern, OverlapIsExact, ()) {
  const Operand a = *small_operand(), b = *small_operand();
  const auto x = bytes(a, 0), y = bytes(b, 0);
  bool shared = false;
  for (const std::uint64_t byte : x) shared = shared || y.count(byte) > 0;
  RC_ASSERT(overlap(free_pattern(a, 0), free_pattern(b, 0)) == shared);
}

RC_GTEST_PROP(Pattern, BoundsAreTheFirstAndLastByte, ()) {
  const Operand a = *small_operand();
  const auto all = bytes(a, 0);
  const Pattern p = free_pattern(a, 0);
  RC_ASSERT(p.lo == *all.begin());
  RC_ASSERT(p.hi() == *all.rbegin() + 1);
}

}  // namespace
}  // namespace trnsim
