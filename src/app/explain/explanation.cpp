// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/explain/explanation.hpp"

#include <algorithm>

namespace trnsim::app {
namespace {

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
