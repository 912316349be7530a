// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <utility>

#include "trnsim/critical_path.hpp"

namespace trnsim {
namespace {

using Interval = std::pair<std::uint64_t, std::uint64_t>;

/// Sorted and without overlap.
std::vector<Interval> united(std::vector<Interval> all) {
  std::sort(all.begin(), all.end());
  std::vector<Interval> result;
  for (const Interval& next : all) {
    if (!result.empty() && next.first <= result.back().second) {
      result.back().second = std::max(result.back().second, next.second);
    } else if (next.first < next.second) {
      result.push_back(next);
    }
  }
  return result;
}

std::uint64_t length(const std::vector<Interval>& all) {
  std::uint64_t sum = 0;
  for (const auto& [from, to] : all) sum += to - from;
  return sum;
}

std::uint64_t common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t from = std::max(a[i].first, b[j].first), to = std::min(a[i].second, b[j].second);
    if (from < to) sum += to - from;
    ++(a[i].second < b[j].second ? i : j);
  }
  return sum;
}

}  // namespace

Overlap overlap_of(const RunRecord& record) {
  std::vector<Interval> compute, dma;
  for (const CoreRecord& core : record.cores) {
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      if (static_cast<EngineKind>(e) == EngineKind::Sync) continue;
      std::vector<Interval> own;
      for (const PathInstruction& done : core.engines()[e]) {
        if (is_dma(done.op)) continue;
        if (!own.empty() && done.start_fs <= own.back().second && done.start_fs >= own.back().first) {
          own.back().second = std::max(own.back().second, done.free_fs);
        } else {
          own.emplace_back(done.start_fs, done.free_fs);
        }
      }
      compute.insert(compute.end(), own.begin(), own.end());
    }
    for (const auto& ring : core.rings()) {
      for (const PathCopy& copy : ring) dma.emplace_back(copy.front_fs, copy.data_fs);
    }
  }
  compute = united(std::move(compute));
  dma = united(std::move(dma));
  return {length(compute), length(dma), common(compute, dma)};
}

}  // namespace trnsim
