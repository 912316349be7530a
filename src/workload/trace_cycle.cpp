// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_cycle.hpp"

#include <algorithm>

namespace trnsim {
namespace {

constexpr std::uint64_t kMostSteps = 200'000'000;

/// Edges by their start, and a breadth-first search over them.
class Graph {
 public:
  Graph(const std::vector<WaitEdge>& edges, std::uint32_t count)
      : first_(count + std::size_t{2}), to_(edges.size()), depth_(first_.size()), from_(first_.size()) {
    for (const WaitEdge& e : edges) ++first_[e.first + std::size_t{1}];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::uint32_t> next = first_;
    for (const WaitEdge& e : edges) to_[next[e.first]++] = e.second;
  }

  /// Removes, again and again, what waits for nothing: what is left lies on a cycle or before one.
  std::vector<std::uint32_t> left() const {
    const std::size_t n = first_.size() - 1;
    std::vector<std::uint32_t> waits(n), start(n + 1), back(to_.size());
    for (const std::uint32_t t : to_) ++start[t + std::size_t{1}];
    for (std::size_t i = 1; i <= n; ++i) start[i] += start[i - 1];
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1), ready;
    for (std::uint32_t v = 0; v < n; ++v) {
      waits[v] = first_[v + 1] - first_[v];
      for (std::uint32_t e = first_[v]; e < first_[v + 1]; ++e) back[next[to_[e]]++] = v;
      if (waits[v] == 0) ready.push_back(v);
    }
    while (!ready.empty()) {
      const std::uint32_t v = ready.back();
      ready.pop_back();
      for (std::uint32_t e = start[v]; e < start[v + std::size_t{1}]; ++e) {
        if (--waits[back[e]] == 0) ready.push_back(back[e]);
      }
    }
    std::vector<std::uint32_t> left;
    for (std::uint32_t v = 0; v < n; ++v) {
      if (waits[v] != 0) left.push_back(v);
    }
    return left;
  }

  /// Shortest way from `start` back to it, in fewer than `limit` steps; empty if there is none.
  std::vector<std::uint32_t> cycle_through(std::uint32_t start, std::size_t limit) {
    std::vector<std::uint32_t> queue{start};
    std::vector<std::uint32_t> cycle;
    depth_[start] = 1;
    for (std::size_t at = 0; at < queue.size() && cycle.empty() && depth_[queue[at]] < limit; ++at) {
      const std::uint32_t v = queue[at];
      for (std::uint32_t e = first_[v]; e < first_[v + std::size_t{1}] && cycle.empty(); ++e, ++steps_) {
        const std::uint32_t w = to_[e];
        if (w == start) {
          for (std::uint32_t x = v; x != start; x = from_[x]) cycle.push_back(x);
          cycle.push_back(start);
        } else if (depth_[w] == 0) {
          depth_[w] = depth_[v] + 1;
          from_[w] = v;
          queue.push_back(w);
        }
      }
    }
    for (const std::uint32_t v : queue) depth_[v] = 0;
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  std::vector<std::uint32_t> first_;  ///< Index of a node's first edge in `to_`.
  std::vector<std::uint32_t> to_;
  std::vector<std::uint32_t> depth_, from_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::vector<std::uint32_t> shortest_cycle(const std::vector<WaitEdge>& edges, std::uint32_t count) {
  Graph graph(edges, count);
  std::vector<std::uint32_t> best;
  for (const std::uint32_t start : graph.left()) {
    if (!best.empty() && graph.steps() > kMostSteps) break;
    const std::size_t limit = best.empty() ? ~std::size_t{0} : best.size();
    if (auto cycle = graph.cycle_through(start, limit); !cycle.empty()) best = std::move(cycle);
    if (best.size() == 1) break;
  }
  if (!best.empty()) std::rotate(best.begin(), std::min_element(best.begin(), best.end()), best.end());
  return best;
}

}  // namespace trnsim
