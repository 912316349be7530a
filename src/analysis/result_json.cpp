// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "analysis/energy.hpp"
#include "analysis/influence.hpp"
#include "analysis/partitions.hpp"
#include "analysis/totals.hpp"
#include "analysis/utilization.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/result.hpp"
#include "trnsim/version.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53;
constexpr const char* kCoresScope = "cores used, summed";

/// Readers that hold numbers as doubles lose digits above 2^53; those counts are strings.
Json count(std::uint64_t n) { return n <= kLargestExact ? Json(n) : Json(std::to_string(n)); }
Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

template <class Map>
Json object(const Map& entries) {
  Json json = Json::object();
  for (const auto& [name, value] : entries) json[name] = value;
  return json;
}

Json run_info(const Result& r) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {{"host", host.data()},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"seconds", r.context.host_seconds}};
}

Json model_fidelity() {
  return {{"engines", "event driven, one event per instruction"},
          {"dma", "event driven, one event per chunk of at most 1 KiB"},
          {"hbm", "closed form per run of row hits, bounded queues"},
          {"sbuf_psum", "closed form: capacity, ports, bank conflicts"},
          {"semaphores", "event driven, constant hop"},
          {"launch", "constant"},
          {"energy", "closed form: counts and coefficients"}};
}

Json chip(const Result& r) {
  return {{"name", r.chip.name},           {"marketing_name", r.chip.marketing_name}, {"generation", r.chip.generation},
          {"projected", r.chip.projected}, {"carried_over", r.chip.carried_over},     {"config", Json::parse(to_json(r.chip))},
          {"config_hash", r.config_hash},  {"overrides", object(r.chip.overrides)},   {"assumed", r.assumed}};
}

/// The type whose peak MFU refers to; layers of a list may differ.
Json dtype(const Result& r) {
  if (r.context.programs.empty()) return nullptr;
  const DType first = r.context.programs.front().dtype;
  for (const LayerResult& l : r.layers) {
    if (l.result->context.programs.front().dtype != first) return nullptr;
  }
  return name_of(first);
}

Json workload(const Result& r) {
  const bool known = !r.context.programs.empty();
  return {{"name", r.context.workload_name},
          {"source", r.context.workload_source},
          {"order", known ? name_of(r.context.programs.front().order) : name_of(IssueOrder::Written)},
          {"params", known ? object(r.context.programs.front().params) : Json::object()},
          {"dtype", dtype(r)},
          {"instructions", count(r.instructions)},
          {"macs", count(r.macs)},
          {"flops", count(r.flops)},
          {"hash", r.context.workload_hash.empty() ? Json(nullptr) : Json(r.context.workload_hash)}};
}

Json engine(const EngineCounters& e, double ghz) {
  Json stalls = Json::object();
  for (std::size_t i = 0; i < kStallReasonCount; ++i) stalls[std::string(name_of(static_cast<StallReason>(i)))] = count(e.stall_cycles[i]);
  return {{"clock_ghz", ghz},
          {"elapsed_cycles", count(e.elapsed_cycles)},
          {"busy_cycles", count(e.busy_cycles)},
          {"idle_cycles", count(e.idle_cycles)},
          {"stall_cycles", stalls},
          {"utilization", optional(ratio(static_cast<double>(e.busy_cycles), static_cast<double>(e.elapsed_cycles)))},
          {"instructions", count(e.instructions)},
          {"elements", count(e.elements)}};
}

Json engines(const std::array<EngineCounters, kEngineCount>& list, const ChipConfig& config) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kEngineCount; ++i) {
    const auto kind = static_cast<EngineKind>(i);
    json[std::string(name_of(kind))] = engine(list[i], clock_ghz(config, kind));
  }
  return json;
}

Json tensor(const TensorCounters& t) {
  return {{"executed_macs", count(sum_of(t.macs))},
          {"transpose_macs", count(sum_of(t.transpose_macs))},
          {"idle_slot_macs", count(sum_of(t.idle_slot_macs))},
          {"array_cycles", count(t.array_cycles)},
          {"matmuls", count(t.matmuls)},
          {"loads", count(t.loads)},
          {"loads_skipped", count(t.loads_skipped)}};
}

Json traffic(const TrafficCounters& t) {
  return {{"peak_bytes", count(t.peak_bytes)},
          {"peak_bytes_per_partition", count(t.peak_bytes_per_partition)},
          {"capacity_bytes", count(t.capacity_bytes)},
          {"read_bytes", count(t.read_bytes)},
          {"write_bytes", count(t.write_bytes)}};
}

/// The same of one core, with its partitions.
Json traffic(const TrafficCounters& t, const Snapshot& snapshot, std::uint32_t core, Buffer buffer) {
  Json json = traffic(t);
  Json& list = json["partitions"] = Json::array();
  for (const PartitionPeak& p : partitions_of(snapshot, core, buffer)) {
    list.push_back({{"first", p.first}, {"last", p.end - 1}, {"peak_bytes", count(p.peak_bytes)}});
  }
  return json;
}

/// That of all cores, with how uneven the use is.
Json traffic(const TrafficCounters& t, const Snapshot& snapshot, Buffer buffer) {
  Json json = traffic(t);
  const std::optional<double> skew = partition_skew(snapshot, buffer);
  json["partition_skew"] = optional(skew);
  json["skewed"] = is_skewed(skew);
  return json;
}

Json dma(const DmaCounters& d, const std::optional<double>& gb_per_s, const std::optional<double>& utilization) {
  return {{"bytes", count(d.completed_bytes)},
          {"descriptors", count(d.descriptors)},
          {"transfers", count(d.transfers)},
          {"gb_per_s", optional(gb_per_s)},
          {"utilization", optional(utilization)},
          {"hbm_read_bytes", count(d.hbm_read_bytes)},
          {"hbm_write_bytes", count(d.hbm_write_bytes)}};
}

Json core(const Result& r, const CoreSnapshot& c) {
  const double time = to_ns(Time{r.snapshot.end_fs});
  const double bytes = static_cast<double>(c.dma.completed_bytes);
  const auto utilization =
      used_share(r, "dma.completed_bytes", bytes, "sustained rate", time * r.chip.dma.engines * r.chip.dma.engine_gb_per_s);
  Json moved = dma(c.dma, ratio(bytes, time), utilization);
  moved["engines_used"] = count(c.dma.engines_used);
  return {{"core", count(c.core)},
          {"end_ns", ns_to_picosecond(c.end_fs)},
          {"window_limited", count(c.window_limited)},
          {"engines", engines(c.engines, r.chip)},
          {"tensor", tensor(c.tensor)},
          {"dma", std::move(moved)},
          {"sbuf", traffic(c.sbuf, r.snapshot, c.core, Buffer::Sbuf)},
          {"psum", traffic(c.psum, r.snapshot, c.core, Buffer::Psum)}};
}

Json hbm(const Result& r, const Totals& t) {
  return {{"scope", "stacks in use"},
          {"stacks_in_use", count(t.stacks_in_use)},
          {"read_bytes", count(t.hbm.read_bytes)},
          {"write_bytes", count(t.hbm.write_bytes)},
          {"gb_per_s", optional(r.hbm_gb_per_s)},
          {"utilization", optional(r.hbm_utilization)},
          {"row_hit_rate", optional(r.row_hit_rate)},
          {"row_hits", count(t.hbm.row_hits)},
          {"row_misses", count(t.hbm.row_misses)},
          {"refreshes", count(t.hbm.refreshes)},
          {"back_pressure", count(t.hbm.back_pressure)}};
}

Json scoped(const char* scope, const Json& values) {
  Json json = {{"scope", scope}};
  json.update(values);
  return json;
}

Json energy(const Result& r) {
  return {{"scope", "chip, idle cores included"},
          {"total_pj", r.energy.total_pj},
          {"components", object(r.energy.components_pj)},
          {"cores_used_pj", r.energy.cores_used_pj},
          {"source", energy_source(r.chip)}};
}

Json source_line(const SourceLineResult& s) {
  Json busy = Json::object(), stalls = Json::object();
  for (std::size_t e = 0; e < kEngineCount; ++e) busy[std::string(name_of(static_cast<EngineKind>(e)))] = s.busy_ns[e];
  for (std::size_t i = 0; i < kStallReasonCount; ++i) stalls[std::string(name_of(static_cast<StallReason>(i)))] = s.stall_ns[i];
  return {{"file", s.line == 0 ? Json(nullptr) : Json(s.file)},
          {"line", s.line == 0 ? Json(nullptr) : Json(s.line)},
          {"text", s.text ? Json(*s.text) : Json(nullptr)},
          {"instructions", count(s.instructions)},
          {"dma_bytes", count(s.dma_bytes)},
          {"exposed_ns", ns_to_picosecond(s.exposed_fs)},
          {"engine_ns", s.engine_ns},
          {"busy_ns", busy},
          {"stall_ns", stalls}};
}

Json source_lines(const Result& r) {
  Json list = Json::array();
  for (const SourceLineResult& s : r.source_lines) list.push_back(source_line(s));
  return list;
}

Json layer(const LayerResult& l) {
  const Result& r = *l.result;
  const Totals t = totals_of(r.snapshot);
  return {{"name", l.layer.name},
          {"m", count(l.layer.m)},
          {"n", count(l.layer.n)},
          {"k", count(l.layer.k)},
          {"batch", count(l.layer.batch)},
          {"groups", count(l.layer.groups)},
          {"dtype", name_of(r.context.programs.front().dtype)},
          {"repeats", count(l.repeats)},
          {"input_elements", count(l.layer.input_elements())},
          {"lowered_elements", count(l.layer.lowered_elements())},
          {"time_ns", r.time_ns},
          {"cycles", count(r.cycles)},
          {"instructions", count(r.instructions)},
          {"macs", count(r.macs)},
          {"flops", count(r.flops)},
          {"dma_bytes", count(t.dma.completed_bytes)},
          {"hbm_read_bytes", count(t.hbm.read_bytes)},
          {"hbm_write_bytes", count(t.hbm.write_bytes)},
          {"energy_pj", r.energy.total_pj},
          {"mfu", optional(r.mfu)},
          {"array_utilization", optional(r.array_utilization)},
          {"bottleneck", r.bottleneck.resource},
          {"bound_ns", l.bound_ns > 0 ? Json(l.bound_ns) : Json(nullptr)},
          {"bound_ratio", optional(ratio(r.time_ns, l.bound_ns))}};
}

Json border(const BorderTraffic& b) {
  return {{"input_bytes", count(b.input_bytes)}, {"output_bytes", count(b.output_bytes)}, {"read_bytes", count(b.read_bytes)},
          {"write_bytes", count(b.write_bytes)}, {"reread_bytes", count(b.reread_bytes)}, {"inner_bytes", count(b.inner_bytes)}};
}

Json layers(const Result& r) {
  Json list = Json::array();
  for (const LayerResult& l : r.layers) list.push_back(layer(l));
  return list;
}

Json influences(const Result& r) {
  Json list = Json::array();
  for (const Influence& i : r.influences) {
    list.push_back({{"path", i.path},
                    {"value", i.value},
                    {"range", {i.lo, i.hi}},
                    {"lo_ns", i.lo_ns},
                    {"hi_ns", i.hi_ns},
                    {"share", share_of(i, r.time_ns)},
                    {"simulated", i.simulated}});
  }
  return list;
}

Json parameter(const UncertainParameter& p) {
  return {{"path", p.path},
          {"confidence", p.confidence},
          {"value", p.value},
          {"range", {p.lo, p.hi}},
          {"rank_correlation", p.rank_correlation},
          {"share", p.share},
          {"change_ns", p.change_ns}};
}

Json uncertainty(const Result& r) {
  const bool known = r.uncertainty.has_value();
  const Uncertainty study = r.uncertainty.value_or(Uncertainty{});
  const auto if_known = [known](const Json& value) { return known ? value : Json(nullptr); };
  Json parameters = Json::array();
  for (const UncertainParameter& p : study.parameters) parameters.push_back(parameter(p));
  return {{"samples", count(study.samples)},
          {"failed", count(study.failures.size())},
          {"seed", if_known(count(study.seed))},
          {"time_ns", {{"p5", if_known(study.p5_ns)}, {"p50", if_known(study.p50_ns)}, {"p95", if_known(study.p95_ns)}}},
          {"parameters", parameters},
          {"failures", study.failures},
          {"held", study.held}};
}

Json iterations(const Result& r) {
  const IterationTimes times = iteration_times(r);
  return {{"count", count(times.count)},
          {"first_run_ns", r.first_run_ns},
          {"first_ns", times.first_ns},
          {"warm_ns", times.warm_ns},
          {"all_ns", times.all_ns}};
}

void add_counters(Json& json, const Result& r) {
  const Totals t = totals_of(r.snapshot);
  Json cores = Json::array();
  for (const CoreSnapshot& c : r.snapshot.cores) cores.push_back(core(r, c));
  json["cores"] = cores;
  json["engines"] = engines(t.engines, r.chip);
  json["tensor"] = scoped(kCoresScope, tensor(t.tensor));
  json["dma"] = scoped(kCoresScope, dma(t.dma, r.dma_gb_per_s, r.dma_utilization));
  json["hbm"] = hbm(r, t);
  json["border"] = border(r.border);
  json["sbuf"] = scoped(kCoresScope, traffic(t.sbuf, r.snapshot, Buffer::Sbuf));
  json["psum"] = scoped(kCoresScope, traffic(t.psum, r.snapshot, Buffer::Psum));
}

}  // namespace

std::string to_json(const Result& r) {
  Json json = {{"trnsim_result", "1.0"},
               {"tool", {{"name", "trnsim"}, {"version", tool_version()}, {"commit", tool_commit()}}},
               {"model", "timing"},
               {"model_fidelity", model_fidelity()},
               {"command", r.context.command},
               {"warnings", r.context.warnings},
               {"truncated", r.snapshot.truncated.empty() ? Json(nullptr) : Json(r.snapshot.truncated)},
               {"run_info", run_info(r)},
               {"chip", chip(r)},
               {"workload", workload(r)},
               {"time_ns", r.time_ns},
               {"launch_ns", r.launch_ns},
               {"kernels", count(r.kernels)},
               {"host_gap_ns", r.host_gap_ns},
               {"total_ns", r.total_ns},
               {"iterations", iterations(r)},
               {"cycles", count(r.cycles)},
               {"tflops", optional(r.tflops)},
               {"mfu", optional(r.mfu)},
               {"array_utilization", optional(r.array_utilization)},
               {"array_busy", optional(r.array_busy)}};
  add_counters(json, r);
  json["energy"] = energy(r);
  json["power"] = {{"average_w", optional(r.average_w)}, {"limit_w", r.chip.energy.power_limit_w}};
  json["bottleneck"] = {{"resource", r.bottleneck.resource},
                        {"sentence", r.bottleneck.sentence},
                        {"shares", object(r.bottleneck.shares)},
                        {"bounds_ns", object(r.bottleneck.bounds_ns)}};
  json["influences"] = influences(r);
  json["uncertainty"] = uncertainty(r);
  json["source_lines"] = source_lines(r);
  json["layers"] = layers(r);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';  // a command line may hold any bytes
}

}  // namespace trnsim
