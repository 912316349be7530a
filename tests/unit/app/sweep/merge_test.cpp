// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/merge.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "trnsim/error.hpp"
#include "unit/app/sweep/rows.hpp"

namespace trnsim::app {
namespace {

const std::vector<std::string> kAxes{"chip", "params.m"};

MergePart part_of(const std::string& name, const Shard& shard, std::vector<SweepRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const SweepRow& a, const SweepRow& b) { return a.point < b.point; });
  return {name, shard, [rows = std::move(rows), next = std::size_t{0}]() mutable -> std::optional<StoredRow> {
            if (next == rows.size()) return std::nullopt;
            return stored(rows[next++]);
          }};
}

std::string merged_csv(const std::vector<MergePart>& parts, std::size_t points) {
  SweepTable table{kAxes, {}};
  merge_rows(parts, kAxes, points, [&table](const StoredRow& row, std::size_t) { table.rows.push_back(row.row); });
  return to_csv(table);
}

std::string message_of(const std::vector<MergePart>& parts, std::size_t points) {
  try {
    (void)merged_csv(parts, points);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::string whole_csv(std::size_t points) {
  SweepTable table{kAxes, {}};
  for (std::size_t i = 0; i < points; ++i) table.rows.push_back(sample_row(i));
  return to_csv(table);
}

std::vector<SweepRow> rows_of(const Shard& shard, std::size_t points) {
  std::vector<SweepRow> rows;
  for (std::size_t i = 0; i < points; ++i) {
    if (shard.holds(i)) rows.push_back(sample_row(i));
  }
  return rows;
}

RC_GTEST_PROP(MergeLaw, AnySplitInAnyOrderGivesTheTableOfTheWhole, ()) {
  const std::size_t points = *rc::gen::inRange<std::size_t>(0, 40);
  const std::size_t count = *rc::gen::inRange<std::size_t>(1, 6);
  std::vector<std::vector<SweepRow>> split(count);
  for (std::size_t i = 0; i < points; ++i) {
    // Each point is in at least one part; some are in several, with equal rows.
    const std::size_t owner = *rc::gen::inRange<std::size_t>(0, count);
    for (std::size_t part = 0; part < count; ++part) {
      if (part == owner || *rc::gen::inRange(0, 5) == 0) split[part].push_back(sample_row(i));
    }
  }
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  std::vector<MergePart> parts;
  for (const std::size_t i : order) parts.push_back(part_of("part " + std::to_string(i), {}, split[i]));
  RC_ASSERT(merged_csv(parts, points) == whole_csv(points));
}

TEST(Merge, ShardsGiveTheTableOfTheWhole) {
  std::vector<MergePart> parts;
  for (std::size_t i = 3; i >= 1; --i) parts.push_back(part_of("s", {i, 3}, rows_of({i, 3}, 10)));
  EXPECT_EQ(merged_csv(parts, 10), whole_csv(10));
}

TEST(Merge, MissingPointsAreNamedWithTheirShard) {
  std::vector<SweepRow> last = rows_of({3, 3}, 10);
  last.pop_back();
  const std::string message =
      message_of({part_of("a", {1, 3}, rows_of({1, 3}, 10)), part_of("b", {2, 3}, rows_of({2, 3}, 10)), part_of("c", {3, 3}, last)}, 10);
  EXPECT_NE(message.find("1 of 10 points is missing: 8; of shard 3 of 3"), std::string::npos) << message;
}

TEST(Merge, MissingShardIsNamed) {
  const std::string message = message_of({part_of("a", {1, 2}, rows_of({1, 2}, 40))}, 40);
  EXPECT_NE(message.find("20 of 40 points are missing: 1, 3, 5, 7, 9, 11, 13, 15, …; of shard 2 of 2"), std::string::npos) << message;
}

TEST(Merge, DifferentRowsOfAPointNameFoldersAndColumn) {
  std::vector<SweepRow> other = rows_of({1, 2}, 4);
  other[1].values.back() = "other";
  const std::string message =
      message_of({part_of("a", {1, 2}, rows_of({1, 2}, 4)), part_of("b", {2, 2}, rows_of({2, 2}, 4)), part_of("c", {1, 2}, other)}, 4);
  EXPECT_NE(message.find("point 2 differs: " + result_columns().back().name), std::string::npos) << message;
  EXPECT_NE(message.find("in a and 'other' in c"), std::string::npos) << message;
}

TEST(Merge, EachRowComesWithItsPart) {
  std::vector<std::size_t> from;
  merge_rows({part_of("b", {2, 2}, rows_of({2, 2}, 4)), part_of("a", {1, 2}, rows_of({1, 2}, 4))}, kAxes, 4,
             [&from](const StoredRow&, std::size_t part) { from.push_back(part); });
  EXPECT_EQ(from, (std::vector<std::size_t>{1, 0, 1, 0}));
}

}  // namespace
}  // namespace trnsim::app
