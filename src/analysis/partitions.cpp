// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/partitions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/text.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kRangesShown = 8;

std::optional<double> skew_of(std::span<const PartitionPeak> list) {
  double sum = 0, largest = 0;
  for (const PartitionPeak& p : list) {
    sum += static_cast<double>(p.peak_bytes) * (p.end - p.first);
    largest = std::max(largest, static_cast<double>(p.peak_bytes));
  }
  if (largest == 0) return std::nullopt;
  return 1 - sum / list.back().end / largest;
}

/// Core with the most uneven use.
std::span<const PartitionPeak> most_uneven(const Snapshot& snapshot, Buffer buffer) {
  std::span<const PartitionPeak> worst;
  for (const CoreSnapshot& core : snapshot.cores) {
    const auto list = partitions_of(snapshot, core.core, buffer);
    if (worst.empty() || skew_of(list) > skew_of(worst)) worst = list;
  }
  return worst;
}

std::string range_text(const PartitionPeak& p) {
  const std::string numbers = p.end - p.first == 1 ? fmt::format("{}", p.first) : fmt::format("{}-{}", p.first, p.end - 1);
  return fmt::format("{}: {}", numbers, bytes_text(static_cast<double>(p.peak_bytes)));
}

}  // namespace

std::span<const PartitionPeak> partitions_of(const Snapshot& snapshot, std::uint32_t core, Buffer buffer) {
  const auto here = [&](const PartitionPeak& p) { return p.core == core && p.buffer == buffer; };
  const auto from = std::find_if(snapshot.partitions.begin(), snapshot.partitions.end(), here);  // sorted by both
  const auto to = std::find_if_not(from, snapshot.partitions.end(), here);
  return {from, to};
}

std::optional<double> partition_skew(const Snapshot& snapshot, Buffer buffer) {
  const auto list = most_uneven(snapshot, buffer);
  return list.empty() ? std::nullopt : skew_of(list);
}

std::string partition_text(const Snapshot& snapshot, Buffer buffer) {
  const auto list = most_uneven(snapshot, buffer);
  const std::optional<double> skew = list.empty() ? std::nullopt : skew_of(list);
  if (!skew || list.size() < 2) return {};
  std::string text = snapshot.cores.size() > 1 ? fmt::format("core {} by partition", list.front().core) : "by partition";
  for (std::size_t i = 0; i < std::min(list.size(), kRangesShown); ++i) text += (i == 0 ? " " : "; ") + range_text(list[i]);
  if (list.size() > kRangesShown) text += fmt::format("; {} more ranges in the result file", list.size() - kRangesShown);
  if (is_skewed(skew)) text += fmt::format("; uneven: the fullest holds {:.1f} times the mean", 1 / (1 - *skew));
  return text;
}

}  // namespace trnsim
