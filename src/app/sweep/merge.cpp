// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/sweep/cells.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

constexpr std::size_t kNamed = 8;  // points or shards in a message

/// A part with its next row.
struct Head {
  const MergePart* part;
  std::optional<StoredRow> row;
};

void check_equal(const Head& a, const Head& b, const std::vector<std::string>& axes) {
  if (a.row->row == b.row->row) return;
  const std::vector<std::string> names = column_names(axes), va = column_values(a.row->row), vb = column_values(b.row->row);
  const auto different = std::mismatch(va.begin(), va.end(), vb.begin(), vb.end());
  const auto column = static_cast<std::size_t>(different.first - va.begin());
  throw InputError(fmt::format("point {} differs: {} is '{}' in {} and '{}' in {}", a.row->row.point, names.at(column), va.at(column),
                               a.part->name, vb.at(column), b.part->name));
}

/// Points without a row, and the first of them.
struct Missing {
  std::size_t count = 0;
  std::vector<std::size_t> points;
  std::set<std::size_t> shards;

  void add(std::size_t point, std::size_t shard_count) {
    ++count;
    if (points.size() < kNamed) points.push_back(point);
    if (shard_count > 1) shards.insert(point % shard_count + 1);
  }
};

std::string list(const auto& numbers, std::size_t count) {
  std::string text;
  std::size_t named = 0;
  for (const std::size_t number : numbers) {
    if (named++ == kNamed) break;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  }
  return text + (count > kNamed ? ", …" : "");
}

[[noreturn]] void refuse(const Missing& missing, std::size_t points, std::size_t shard_count) {
  std::string text = fmt::format("{} of {} points {} missing: {}", missing.count, points, missing.count == 1 ? "is" : "are",
                                 list(missing.points, missing.count));
  if (!missing.shards.empty()) text += fmt::format("; of shard {} of {}", list(missing.shards, missing.shards.size()), shard_count);
  throw InputError(text + "; run them with --resume first");
}

}  // namespace

void merge_rows(const std::vector<MergePart>& parts, const std::vector<std::string>& axes, std::size_t points,
                const std::function<void(const StoredRow&, std::size_t)>& row) {
  std::vector<Head> heads;
  std::size_t shard_count = 1;
  for (const MergePart& part : parts) {
    heads.push_back({&part, part.next()});
    shard_count = std::max(shard_count, part.shard.count);
  }
  Missing missing;
  for (std::size_t point = 0; point < points; ++point) {
    const Head* first = nullptr;
    for (Head& head : heads) {
      if (!head.row || head.row->row.point != point) continue;
      if (first != nullptr) check_equal(*first, head, axes);
      if (first == nullptr) first = &head;
    }
    if (first == nullptr) {
      missing.add(point, shard_count);
      continue;
    }
    row(*first->row, static_cast<std::size_t>(first - heads.data()));
    for (Head& head : heads) {
      if (head.row && head.row->row.point == point) head.row = head.part->next();
    }
  }
  if (missing.count > 0) refuse(missing, points, shard_count);
}

}  // namespace trnsim::app
