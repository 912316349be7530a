// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

constexpr double kSeldom = 0.5;  ///< Share on the path over share of the time that the limit needs, below which they disagree.

/// DMA issue, DMA engines and HBM bandwidth, as `bottleneck.bounds_ns` names them.
bool moves_data(std::string_view resource) { return resource.starts_with("DMA") || resource.starts_with("HBM"); }

double largest_bound(const Result& result, bool of_dma) {
  double most = 0;
  for (const auto& [resource, ns] : result.bottleneck.bounds_ns) {
    if (moves_data(resource) == of_dma) most = std::max(most, ns);
  }
  return most;
}

}  // namespace

double path_share(const CriticalPath& path, PathPart part) {
  if (path.length_fs == 0) return 0;
  return static_cast<double>(path.fs[static_cast<std::size_t>(part)]) / static_cast<double>(path.length_fs);
}

double path_share(const CriticalPath& path, std::string_view group) {
  double share = 0;
  for (std::size_t i = 0; i < kPathPartCount; ++i) {
    if (group_of(static_cast<PathPart>(i)) == group) share += path_share(path, static_cast<PathPart>(i));
  }
  return share;
}

std::optional<double> limit_on_path(const Explanation& x) {
  const std::string& limit = x.result.bottleneck.resource;
  if (limit.starts_with("tensor")) return path_share(x.path, "tensor");
  for (const char* engine : {"vector", "scalar", "gpsimd"}) {
    if (limit == engine) return path_share(x.path, engine);
  }
  if (limit == "DMA issue") return path_share(x.path, PathPart::DmaIssue);
  if (limit == "DMA engines" || limit == "HBM bandwidth") return path_share(x.path, PathPart::DmaTransfer) + path_share(x.path, "hbm");
  return std::nullopt;
}

std::string path_remark(const Explanation& x) {
  const Bottleneck& verdict = x.result.bottleneck;
  const std::optional<double> on_path = limit_on_path(x);
  if (!on_path || x.result.time_ns <= 0) return {};
  double bound = 0;
  for (const auto& [resource, ns] : verdict.bounds_ns) bound = resource == verdict.resource ? ns : bound;
  if (*on_path >= kSeldom * bound / x.result.time_ns) return {};
  const auto most = static_cast<PathPart>(std::ranges::max_element(x.path.fs) - x.path.fs.begin());
  return fmt::format(
      "Yet only {} of the critical path is {}: mostly it works while something else is waited for, and a faster one gains little. "
      "{} has most of the path, {}.",
      percent(*on_path), verdict.resource, name_of(most), percent(path_share(x.path, most)));
}

double stall_share(const Result& result, EngineKind engine, StallReason reason) {
  std::uint64_t stalled = 0, elapsed = 0;
  for (const CoreSnapshot& core : result.snapshot.cores) {
    const EngineCounters& counters = core.engines[static_cast<std::size_t>(engine)];
    if (counters.instructions == 0) continue;
    stalled += counters.stall_cycles[static_cast<std::size_t>(reason)];
    elapsed += counters.elapsed_cycles;
  }
  return elapsed == 0 ? 0 : static_cast<double>(stalled) / static_cast<double>(elapsed);
}

double compute_bound_ns(const Result& result) { return largest_bound(result, false); }
double dma_bound_ns(const Result& result) { return largest_bound(result, true); }

std::optional<double> time_if_free(const std::vector<WhatIf>& list, std::string_view resource) {
  for (const WhatIf& w : list) {
    if (w.free && w.resource == resource) return w.time_ns;
  }
  return std::nullopt;
}

}  // namespace trnsim::app
