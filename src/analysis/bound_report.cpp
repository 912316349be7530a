// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/report_tables.hpp"
#include "trnsim/bound.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/text.hpp"
#include "trnsim/version.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kNarrowest = 60, kWidest = 120;

Json map_of(const auto& entries) {
  Json json = Json::object();
  for (const auto& [name, value] : entries) json[name] = value;
  return json;
}

Json layers_json(const BoundReport& report) {
  Json list = Json::array();
  for (const LayerBound& l : report.layers) {
    list.push_back({{"name", l.layer.name},
                    {"m", l.layer.m},
                    {"n", l.layer.n},
                    {"k", l.layer.k},
                    {"bound_ns", l.bound.ns},
                    {"resource", l.bound.resource}});
  }
  return list;
}

std::string row(const std::string& name, double ns, double most, const std::string& remark) {
  return fmt::format("{}{}{}  {}", pad_right(name, 26), pad_left(ns > 0 ? time_text(ns) : "-", 10),
                     pad_left(most > 0 ? percent(ns / most) : "-", 9), remark);
}

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line + '\n';
}

}  // namespace

void add_bound(Bound& sum, const Bound& next) {
  sum.ns += next.ns;
  sum.instructions += next.instructions;
  sum.macs += next.macs;
  sum.whole = sum.whole && next.whole;
  if (sum.resources_ns.empty()) {
    for (const auto& [name, ns] : next.resources_ns) sum.resources_ns.emplace_back(name, 0.0);
  }
  for (std::size_t i = 0; i < std::min(sum.resources_ns.size(), next.resources_ns.size()); ++i)
    sum.resources_ns[i].second += next.resources_ns[i].second;
  const auto most =
      std::max_element(sum.resources_ns.begin(), sum.resources_ns.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  sum.resource = most == sum.resources_ns.end() || most->second <= 0 ? "none" : most->first;
}

std::string to_json(const BoundReport& r) {
  const Json json = {{"trnsim_bound", "1.0"},
                     {"tool", {{"name", "trnsim"}, {"version", tool_version()}, {"commit", tool_commit()}}},
                     {"model", "bound"},
                     {"command", r.command},
                     {"warnings", r.warnings},
                     {"chip",
                      {{"name", r.chip.name},
                       {"projected", r.chip.projected},
                       {"config_hash", config_hash(r.chip)},
                       {"overrides", map_of(r.chip.overrides)}}},
                     {"workload",
                      {{"name", r.workload_name},
                       {"source", r.workload_source},
                       {"params", map_of(r.params)},
                       {"instructions", r.bound.instructions},
                       {"macs", r.bound.macs}}},
                     {"bound_ns", r.bound.ns},
                     {"resource", r.bound.resource},
                     {"whole", r.bound.whole},
                     {"bounds_ns", map_of(r.bound.resources_ns)},
                     {"layers", layers_json(r)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string terminal_report(const BoundReport& r, const ReportStyle& asked) {
  ReportStyle style = asked;
  style.width = std::clamp(asked.width, kNarrowest, kWidest);
  const Paint paint = paint_of(style);
  std::string page = paint.bold +
                     wrap(fmt::format("{}{} on {}: lower bound, nothing was simulated", r.chip.projected ? "PROJECTED · " : "",
                                      r.workload_name, r.chip.name),
                          style.width, 2) +
                     paint.off + '\n';
  std::string params;
  for (const auto& [name, value] : r.params) params += (params.empty() ? "" : " ") + name + "=" + value;
  for (const auto& [path, value] : r.chip.overrides) params += (params.empty() ? "" : " ") + path + "=" + value;
  if (!params.empty()) page += wrap(params, style.width, 2) + '\n';
  page += paint.bold + fmt::format("at least {} · {}", time_text(r.bound.ns), r.bound.resource) + paint.off + "\n\n";
  for (const LayerBound& l : r.layers) page += trimmed(row(fitted(l.layer.name, 25), l.bound.ns, r.bound.ns, l.bound.resource));
  if (!r.layers.empty()) page += '\n';
  page += paint.bold + trimmed(pad_right("Resource", 26) + pad_left("at least", 10) + pad_left("of bound", 9)) + paint.off;
  for (const auto& [name, ns] : r.bound.resources_ns) page += trimmed(row(name, ns, r.bound.ns, ""));
  page += '\n' + wrap("Each resource by itself: dependencies, conflicts, waits and the power ramp only add to it.", style.width, 0) + '\n';
  if (!r.bound.whole) {
    page += wrap(fmt::format("The first {} instructions were read; the rest counts by its MACs alone.", with_commas(r.bound.instructions)),
                 style.width, 0) +
            '\n';
  }
  for (const std::string& warning : r.warnings) page += paint.warn + wrap("warning: " + warning, style.width, 2) + paint.off + '\n';
  return style.utf8 ? page : to_ascii(page);
}

}  // namespace trnsim
