// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>

#include "app/explain/explanation.hpp"
#include "app/json.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

constexpr std::size_t kSegments = 100;

double ns(std::uint64_t fs) { return to_ns(Time{fs}); }

Json path_json(const CriticalPath& path) {
  Json parts = Json::object(), groups = Json::object(), segments = Json::array();
  for (std::size_t i = 0; i < kPathPartCount; ++i) {
    const auto part = static_cast<PathPart>(i);
    parts[name_of(part)] = {{"ns", ns(path.fs[i])}, {"share", path_share(path, part)}};
    groups[group_of(part)] = path_share(path, group_of(part));
  }
  for (std::size_t i = 0; i < std::min(kSegments, path.segments.size()); ++i) {
    const PathSegment& s = path.segments[i];
    Json segment{{"part", name_of(s.part)}, {"opcode", s.opcode}, {"ns", ns(s.fs)}, {"count", s.count}};
    if (s.line != 0) segment.update({{"file", s.file}, {"line", s.line}});
    segments.push_back(std::move(segment));
  }
  return {{"length_ns", ns(path.length_fs)}, {"steps", path.steps}, {"parts", parts}, {"groups", groups}, {"segments", segments}};
}

Json resources_json(const Result& result) {
  Json resources = Json::object();
  for (const auto& [name, bound] : result.bottleneck.bounds_ns) {
    const double slack = result.time_ns > 0 ? std::max(0.0, 1 - bound / result.time_ns) : 0;
    resources[name] = {{"bound_ns", bound}, {"slack", slack}};
  }
  for (const auto& [name, share] : result.bottleneck.shares) {
    if (resources.contains(name)) resources[name]["in_use"] = share;
  }
  return resources;
}

/// By engine and cause.
Json stalls_json(const Result& result) {
  Json stalls = Json::object();
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    const auto kind = static_cast<EngineKind>(e);
    for (std::size_t r = 0; r < kStallReasonCount; ++r) {
      const double share = stall_share(result, kind, static_cast<StallReason>(r));
      if (share > 0) stalls[name_of(kind)][name_of(static_cast<StallReason>(r))] = share;
    }
  }
  return stalls;
}

Json overlap_json(const Overlap& o, double compute_bound, double dma_bound) {
  const auto share = overlap_share(o);
  return {{"compute_ns", ns(o.compute_fs)},
          {"dma_ns", ns(o.dma_fs)},
          {"both_ns", ns(o.both_fs)},
          {"exposed_dma_ns", ns(o.dma_fs - o.both_fs)},
          {"overlap", share ? Json(*share) : Json(nullptr)},
          {"compute_bound_ns", compute_bound},
          {"dma_bound_ns", dma_bound}};
}

Json variants_json(const Variants& variants) {
  Json list = Json::array();
  for (const Variant& v : variants.list) {
    Json item{{"parameter", variants.parameter}, {"value", v.value}, {"time_ns", nullptr}};
    if (v.times) {
      item["time_ns"] = v.times->time_ns;
      item["overlap"] = overlap_json(v.times->overlap, v.times->compute_bound_ns, v.times->dma_bound_ns);
    } else {
      item["reason"] = v.reason;
    }
    list.push_back(std::move(item));
  }
  return list;
}

Json what_if_json(const Explanation& x) {
  Json list = Json::array();
  for (const WhatIf& w : x.what_if) {
    Json item{{"resource", w.resource}, {"change", w.change}, {"free", w.free}, {"time_ns", nullptr}};
    if (w.time_ns) item.update({{"time_ns", *w.time_ns}, {"gain_ns", x.result.time_ns - *w.time_ns}});
    if (!w.reason.empty()) item["reason"] = w.reason;
    list.push_back(std::move(item));
  }
  return list;
}

Json lines_json(const Result& result) {
  Json list = Json::array();
  for (const SourceLineResult& line : result.source_lines) {
    Json stalls = Json::object();
    for (std::size_t r = 0; r < kStallReasonCount; ++r) {
      if (line.stall_ns[r] > 0) stalls[std::string(name_of(static_cast<StallReason>(r)))] = line.stall_ns[r];
    }
    list.push_back({{"file", line.file}, {"line", line.line}, {"exposed_ns", ns(line.exposed_fs)}, {"stall_ns", stalls}});
  }
  return list;
}

}  // namespace

std::string explain_json(const Explanation& x) {
  Json json;
  json["trnsim_explanation"] = "1.0";
  json["tool"] = {{"version", tool_version()}, {"commit", tool_commit()}};
  json["command"] = x.result.context.command;
  json["warnings"] = x.result.context.warnings;
  json["chip"] = {{"name", x.result.chip.name}, {"config_hash", x.result.config_hash}};
  json["workload"] = {{"name", x.result.context.workload_name}, {"hash", x.result.context.workload_hash}};
  json["time_ns"] = x.result.time_ns;
  json["launch_ns"] = x.result.launch_ns;
  json["cycles"] = x.result.cycles;
  const auto on_path = limit_on_path(x);
  json["bottleneck"] = {{"resource", x.result.bottleneck.resource},
                        {"sentence", x.result.bottleneck.sentence},
                        {"on_path", on_path ? Json(*on_path) : Json(nullptr)},
                        {"remark", path_remark(x)}};
  json["critical_path"] = path_json(x.path);
  json["resources"] = resources_json(x.result);
  json["overlap"] = overlap_json(x.overlap, compute_bound_ns(x.result), dma_bound_ns(x.result));
  json["stalls"] = stalls_json(x.result);
  json["source_lines"] = lines_json(x.result);
  json["what_if"] = what_if_json(x);
  json["vary"] = variants_json(x.variants);
  json["advice"] = Json::array();
  for (const Advice& a : x.advice)
    json["advice"].push_back({{"rule", a.rule}, {"text", a.text}, {"number", a.number}, {"source", a.source}});
  return json.dump(2) + "\n";
}

}  // namespace trnsim::app
