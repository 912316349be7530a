// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/counters.hpp"

#include <algorithm>
#include <string_view>

namespace trnsim {
namespace {

void write_values(TimelineWriter& writer, TrackId counter, const std::vector<double>& values, const std::vector<Time>& edges) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0 || values[i] != values[i - 1]) writer.value(counter, edges[i], values[i]);
  }
  writer.value(counter, edges.back(), 0);
}

double width_ns(const std::vector<Time>& edges, std::size_t i) { return to_ns(edges[i + 1] - edges[i]); }

/// Units of a component and their weights relative to each other.
std::vector<const TimeBins*> units_of(std::string_view component, const Activity& a) {
  const auto busy = [&](EngineKind kind) { return &a.engine_busy[static_cast<std::size_t>(kind)]; };
  if (component == "tensor_array") return {&a.array};
  if (component == "vector") return {busy(EngineKind::Vector)};
  if (component == "scalar") return {busy(EngineKind::Scalar)};
  if (component == "gpsimd") return {busy(EngineKind::GpSimd)};
  if (component == "sbuf") return {&a.array, busy(EngineKind::Vector), busy(EngineKind::Scalar), busy(EngineKind::GpSimd)};
  if (component == "psum") return {&a.array, busy(EngineKind::Vector), busy(EngineKind::Scalar)};
  if (component == "dma") return {&a.dma};
  if (component == "hbm") return {&a.hbm_read, &a.hbm_write};
  return {};
}

}  // namespace

std::vector<Time> counter_edges(Time end, std::size_t most) {
  const std::uint64_t end_ns = std::max<std::uint64_t>(1, ceil_div(end.value, kFsPerNs));
  const std::uint64_t parts = std::min<std::uint64_t>(std::max<std::size_t>(1, most), end_ns);
  std::vector<Time> edges;
  for (std::uint64_t i = 0; i <= parts; ++i) edges.push_back(Time{(end_ns / parts * i + end_ns % parts * i / parts) * kFsPerNs});
  return edges;
}

std::vector<double> rate_values(const TimeBins& amounts, double scale, const std::vector<Time>& edges) {
  std::vector<double> values = amounts.between(edges);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scale / width_ns(edges, i);
  return values;
}

std::vector<double> level_values(const TimeBins& changes, const std::vector<Time>& edges) {
  std::vector<double> values = changes.between(edges);
  double level = 0;
  for (double& value : values) value = level += value;
  return values;
}

std::vector<double> power_values(const Activity& activity, const EnergyBreakdown& energy, const std::vector<Time>& edges) {
  std::vector<double> mw(edges.size() - 1, 0.0);  // 1 mW for 1 ns is 1 pJ
  const double total_ns = to_ns(edges.back());
  for (const auto& [component, pj] : energy.components_pj) {
    std::vector<double> weights(mw.size(), 0.0);
    double sum = 0;
    for (const TimeBins* unit : units_of(component, activity)) {
      const std::vector<double> part = unit->between(edges);
      for (std::size_t i = 0; i < part.size(); ++i) weights[i] += part[i];
      sum += unit->sum();
    }
    for (std::size_t i = 0; i < mw.size(); ++i) mw[i] += sum > 0 ? pj * weights[i] / sum / width_ns(edges, i) : pj / total_ns;
  }
  return mw;
}

void write_rate(TimelineWriter& writer, TrackId counter, const TimeBins& amounts, double scale, const std::vector<Time>& edges) {
  write_values(writer, counter, rate_values(amounts, scale, edges), edges);
}

void write_level(TimelineWriter& writer, TrackId counter, const TimeBins& changes, const std::vector<Time>& edges) {
  write_values(writer, counter, level_values(changes, edges), edges);
}

void write_power(TimelineWriter& writer, TrackId counter, const Activity& activity, const EnergyBreakdown& energy,
                 const std::vector<Time>& edges) {
  write_values(writer, counter, power_values(activity, energy, edges), edges);
}

}  // namespace trnsim
