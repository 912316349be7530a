// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "analysis/report_tables.hpp"
#include "trnsim/text.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kLayerRows = 16;  ///< Of a longer list the longest layers; the others share a row.
constexpr unsigned kRatios = 72;        ///< Columns from which there is room for the ratio to the bound.
constexpr unsigned kWide = 100;         ///< For the sizes too.
constexpr unsigned kBounds = 113;       ///< For the bounds too.

std::string sizes(const Layer& layer) {
  return fmt::format("{}{}x{}x{}", layer.groups > 1 ? fmt::format("{}*", layer.groups) : "", layer.m, layer.n, layer.k);
}

/// Columns of the name: what the numbers and the longest limit leave, within reason.
std::size_t name_width(const ReportStyle& style) {
  const unsigned others = style.width < kRatios ? 46 : style.width < kWide ? 54 : style.width < kBounds ? 77 : 87;
  return std::clamp<std::size_t>(style.width - std::min(style.width, others), 14, 26);
}

std::string row(const std::string& name, const std::string& sizes, double ns, double whole_ns, const std::optional<double>& mfu,
                double bound_ns, const std::string& limit, const ReportStyle& style) {
  std::string text = fitted(name, name_width(style)) + ' ';
  if (style.width >= kWide) text += fitted(sizes, 22) + ' ';
  text += pad_left(time_text(ns), 9) + pad_left(percent(whole_ns > 0 ? ns / whole_ns : 0), 8);
  text += pad_left(or_dash(mfu, percent), 8);
  if (style.width >= kBounds) text += pad_left(bound_ns > 0 ? time_text(bound_ns) : "-", 10);
  if (style.width >= kRatios) text += pad_left(bound_ns > 0 ? fmt::format("{:.2f}", ns / bound_ns) : "-", 8);
  return text + ' ' + limit;
}

/// The layers to show, in the order of the list.
std::vector<std::size_t> shown(const std::vector<LayerResult>& layers) {
  std::vector<std::size_t> order(layers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (layers.size() <= kLayerRows) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return layers[a].result->time_ns > layers[b].result->time_ns; });
  order.resize(kLayerRows - 1);
  std::sort(order.begin(), order.end());
  return order;
}

std::size_t distinct(const std::vector<LayerResult>& layers) {
  std::set<const Result*> results;
  for (const LayerResult& layer : layers) results.insert(layer.result.get());
  return results.size();
}

}  // namespace

std::vector<std::string> layer_table(const Result& result, const ReportStyle& style) {
  std::vector<std::string> lines;
  const auto& layers = result.layers;
  if (layers.empty()) return lines;
  const Paint paint = paint_of(style);
  lines.push_back(fmt::format("layers: {} ({} simulated, the others are equal to one of them)", layers.size(), distinct(layers)));
  if (distinct(layers) == layers.size()) lines.back() = fmt::format("layers: {}", layers.size());
  lines.push_back(paint.bold + pad_right("Layer", name_width(style) + 1) + (style.width >= kWide ? pad_right("M x N x K", 23) : "") +
                  "     time   share     MFU" + (style.width >= kBounds ? "     bound" : "") + (style.width >= kRatios ? " x bound" : "") +
                  " limit" + paint.off);
  double rest = result.time_ns;
  for (const std::size_t i : shown(layers)) {
    const Result& r = *layers[i].result;
    rest -= r.time_ns;
    lines.push_back(row(layers[i].layer.name, sizes(layers[i].layer), r.time_ns, result.time_ns, r.mfu, layers[i].bound_ns,
                        r.bottleneck.resource, style));
  }
  if (layers.size() > kLayerRows) {
    const std::size_t others = layers.size() - kLayerRows + 1;
    lines.push_back(row(fmt::format("{} shorter", others), "", std::max(0.0, rest), result.time_ns, {}, 0, "", style));
  }
  return lines;
}

}  // namespace trnsim
