// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/time_bins.hpp"

#include <algorithm>
#include <numeric>

namespace trnsim {

void TimeBins::reach(std::uint64_t fs) {
  while (fs / width_ >= kMost) {
    for (std::size_t i = 0; 2 * i < bins_.size(); ++i) bins_[i] = bins_[2 * i] + (2 * i + 1 < bins_.size() ? bins_[2 * i + 1] : 0);
    bins_.resize((bins_.size() + 1) / 2);
    width_ *= 2;
  }
  if (fs / width_ >= bins_.size()) bins_.resize(fs / width_ + 1);
}

void TimeBins::add(Time from, Time until, double amount) {
  const std::uint64_t last = until > from ? until.value - 1 : from.value;
  reach(last);
  const std::uint64_t first_bin = from.value / width_, last_bin = last / width_;
  if (first_bin == last_bin) {
    bins_[first_bin] += amount;
    return;
  }
  const double per_fs = amount / static_cast<double>(until.value - from.value);
  for (std::uint64_t b = first_bin; b <= last_bin; ++b) {
    const std::uint64_t begin = std::max(from.value, b * width_), end = std::min(until.value, (b + 1) * width_);
    bins_[b] += per_fs * static_cast<double>(end - begin);
  }
}

double TimeBins::sum() const { return std::accumulate(bins_.begin(), bins_.end(), 0.0); }

std::vector<double> TimeBins::between(const std::vector<Time>& edges) const {
  std::vector<double> result(edges.size() - 1, 0.0);
  std::size_t part = 0;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    std::uint64_t at = b * width_;
    const std::uint64_t until = at + width_;
    double left = bins_[b];
    for (; part + 1 < result.size() && edges[part + 1].value < until; ++part) {
      if (edges[part + 1].value <= at) continue;
      const double share = bins_[b] * static_cast<double>(edges[part + 1].value - at) / static_cast<double>(width_);
      result[part] += share;
      left -= share;
      at = edges[part + 1].value;
    }
    result[part] += left;
  }
  return result;
}

}  // namespace trnsim
