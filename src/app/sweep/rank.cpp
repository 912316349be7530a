// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/rank.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "app/sweep/table_view.hpp"

namespace trnsim::app {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) rank[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return rank;
}

/// Pearson's correlation.
std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n, mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

/// Root of the part of the variance of `y` that lies between the groups of equal texts.
std::optional<double> correlation_ratio(const std::vector<std::string>& groups, const std::vector<double>& y) {
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  std::map<std::string, std::pair<double, double>> sums;  // sum and count
  double total = 0, between = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    sums[groups[i]].first += y[i];
    sums[groups[i]].second += 1;
    total += (y[i] - mean) * (y[i] - mean);
  }
  if (sums.size() < 2 || total == 0) return std::nullopt;
  for (const auto& [text, sum] : sums) between += sum.second * std::pow(sum.first / sum.second - mean, 2);
  return std::clamp(std::sqrt(between / total), 0.0, 1.0);
}

}  // namespace

std::optional<double> rank_relation(const std::vector<std::string>& axis, const std::vector<double>& objective) {
  if (axis.size() < 2) return std::nullopt;
  std::vector<double> numbers;
  for (const std::string& text : axis) {
    if (const auto number = number_of(text)) numbers.push_back(*number);
  }
  const std::vector<double> objective_ranks = ranks(objective);
  return numbers.size() == axis.size() ? correlation(ranks(numbers), objective_ranks) : correlation_ratio(axis, objective_ranks);
}

}  // namespace trnsim::app
