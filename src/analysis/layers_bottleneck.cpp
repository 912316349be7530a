// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/layers_bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/text.hpp"

namespace trnsim {
namespace {

using Values = std::vector<std::pair<std::string, double>>;

/// Adds weighted values by name; all layers of one chip have the same names in the same order.
void add(Values& sum, const Values& next, double weight) {
  if (sum.empty()) {
    for (const auto& [name, value] : next) sum.emplace_back(name, 0.0);
  }
  for (std::size_t i = 0; i < std::min(sum.size(), next.size()); ++i) sum[i].second += weight * next[i].second;
}

/// Layers that one resource limits.
struct Limit {
  std::string resource;
  double ns = 0;
  std::size_t layers = 0;
};

std::vector<Limit> limits_of(const Result& result) {
  std::vector<Limit> limits;
  for (const LayerResult& layer : result.layers) {
    const std::string& name = layer.result->bottleneck.resource;
    auto at = std::find_if(limits.begin(), limits.end(), [&](const Limit& l) { return l.resource == name; });
    if (at == limits.end()) at = limits.insert(at, Limit{name, 0, 0});
    at->ns += layer.result->time_ns;
    ++at->layers;
  }
  std::stable_sort(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) { return a.ns > b.ns; });
  return limits;
}

std::string sentence_of(const Result& result, const std::vector<Limit>& limits) {
  std::string text = "Of the time of the layers, ";
  for (const Limit& limit : limits) {
    text += fmt::format("{}{} is limited by {} ({} layer{})", &limit == limits.data() ? "" : ", ", percent(limit.ns / result.time_ns),
                        limit.resource, limit.layers, limit.layers == 1 ? "" : "s");
  }
  const auto longest = std::max_element(result.layers.begin(), result.layers.end(),
                                        [](const LayerResult& a, const LayerResult& b) { return a.result->time_ns < b.result->time_ns; });
  return text + fmt::format("; the longest layer is {} with {}.", longest->layer.name, percent(longest->result->time_ns / result.time_ns));
}

}  // namespace

Bottleneck layers_bottleneck(const Result& result) {
  Bottleneck b;
  if (result.layers.empty() || result.time_ns <= 0) {
    b.resource = "none";
    b.sentence = "Nothing ran.";
    return b;
  }
  for (const LayerResult& layer : result.layers) {
    add(b.shares, layer.result->bottleneck.shares, layer.result->time_ns / result.time_ns);
    add(b.bounds_ns, layer.result->bottleneck.bounds_ns, 1);
  }
  for (auto& [name, share] : b.shares) share = std::min(share, 1.0);  // rounding of the mean
  const std::vector<Limit> limits = limits_of(result);
  b.resource = limits.front().resource;
  b.sentence = sentence_of(result, limits);
  return b;
}

}  // namespace trnsim
