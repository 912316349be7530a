// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "page/series.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "page/json_text.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kMostValues = 1024;
constexpr double kMwPerW = 1000;

void add_core_series(std::string& text, PageCore& core, std::size_t number, const Parts& parts) {
  const std::string name = std::to_string(number);
  std::vector<double> used = parts.rates(core.array, 100.0 / static_cast<double>(kFsPerNs));
  for (double& percent : used) percent = std::min(percent, 100.0);
  const auto& levels = core.tiles.changes();
  text += ',';
  add_one_series(text, "PE utilisation", "%", name, parts, used, add_number);
  text += ',';
  add_one_series(text, "SBUF in use", "B", name, parts, level_values(levels[0], parts.edges), add_whole);
  text += ',';
  add_one_series(text, "PSUM in use", "B", name, parts, level_values(levels[1], parts.edges), add_whole);
}

}  // namespace

Parts::Parts(Time end, std::size_t most) {
  while (ceil_div(end.value, width_ns * kFsPerNs) > most) width_ns *= 2;
  for (std::uint64_t at = 0; at < end.value; at += width_ns * kFsPerNs) edges.push_back(Time{at});
  if (edges.empty()) edges.push_back(Time{0});
  edges.push_back(std::max(end, Time{1}));
}

std::vector<double> Parts::shares(const TimeBins& amounts) const { return rates(amounts, 1.0 / static_cast<double>(kFsPerNs)); }

std::vector<double> Parts::rates(const TimeBins& amounts, double scale) const {
  std::vector<Time> until_forever = edges;
  until_forever.push_back(kForever);
  std::vector<double> values = rate_values(amounts, scale, until_forever);
  values.pop_back();
  return values;
}

void add_one_series(std::string& text, std::string_view name, std::string_view unit, std::string_view core, const Parts& parts,
                    const std::vector<double>& values, void (*add)(std::string&, double)) {
  text +=
      fmt::format(R"({{"name":{},"unit":{},"core":{},"width_ns":{},"values":)", json_string(name), json_string(unit), core, parts.width_ns);
  add_list(text, values, add);
  text += '}';
}

void add_series(std::string& text, PageCollected& collected, const Result& result) {
  const std::size_t count = 4 + 3 * collected.cores().size();
  const Parts parts(collected.end(), std::clamp<std::size_t>(collected.budget().values / count, 1, kMostValues));
  const Activity& activity = collected.activity();
  std::vector<double> power = power_values(activity, result.energy, parts.edges);
  for (double& watts : power) watts /= kMwPerW;
  text += '[';
  add_one_series(text, "HBM read", "GB/s", "null", parts, parts.rates(activity.hbm_read, 1), add_number);  // 1 B/ns
  text += ',';
  add_one_series(text, "HBM write", "GB/s", "null", parts, parts.rates(activity.hbm_write, 1), add_number);
  text += ',';
  add_one_series(text, "DMA", "GB/s", "null", parts, parts.rates(activity.dma, 1), add_number);
  text += ',';
  add_one_series(text, "power", "W", "null", parts, power, add_number);
  for (std::size_t i = 0; i < collected.cores().size(); ++i) add_core_series(text, collected.cores()[i], i, parts);
  text += ']';
}

}  // namespace trnsim
