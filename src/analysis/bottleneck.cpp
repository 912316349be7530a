// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/totals.hpp"
#include "analysis/utilization.hpp"
#include "trnsim/text.hpp"

namespace trnsim {
namespace {

constexpr double kExplains = 0.6;  ///< Below this share of the time a resource does not limit on its own.
constexpr double kAlone = 0.85;    ///< From here on a faster one gains about what it takes less.
constexpr double kMostlyPayload = 0.5;

double count(std::uint64_t n) { return static_cast<double>(n); }

/// What one resource needed: time in use and the least time it could have needed for this work.
struct Use {
  std::string name;
  double in_use_ns = 0;
  double bound_ns = 0;
};

struct EngineName {
  EngineKind kind;
  const char* name;
};
constexpr EngineName kElementwise[]{{EngineKind::Vector, "vector"}, {EngineKind::Scalar, "scalar"}, {EngineKind::GpSimd, "gpsimd"}};

/// Largest value over the cores used.
template <class F>
double worst_core(const Snapshot& snapshot, F value) {
  double worst = 0;
  for (const CoreSnapshot& core : snapshot.cores) worst = std::max(worst, value(core));
  return worst;
}

/// Cycles of an engine as time. The last cycle may reach beyond the end by less than its length.
double cycles_ns(const Result& r, std::uint64_t cycles, EngineKind kind) {
  return std::min(count(cycles) / clock_ghz(r.chip, kind), to_ns(Time{r.snapshot.end_fs}));
}

/// Time an engine needs for its instructions: work, and the issue cost that comes with it.
double busy_ns(const Result& r, EngineKind kind) {
  return worst_core(r.snapshot, [&](const CoreSnapshot& c) {
    const EngineCounters& e = engine_of(c.engines, kind);
    return cycles_ns(r, e.busy_cycles + e.stall_cycles[static_cast<std::size_t>(StallReason::Issue)], kind);
  });
}

/// DMA engines that the rings in use reach; all, as long as none is.
double reached(const Result& r, const CoreSnapshot& core) {
  return count(core.dma.engines_used > 0 ? core.dma.engines_used : r.chip.dma.engines);
}

double descriptor_ns(const Result& r, const CoreSnapshot& core) {
  return count(core.dma.descriptors) * r.chip.dma.descriptor_ns / reached(r, core);
}

double payload_ns(const Result& r, const CoreSnapshot& core) {
  return count(core.dma.completed_bytes) / (r.chip.dma.engine_gb_per_s * reached(r, core));
}

double engine_busy_ns(const Result& r, const CoreSnapshot& core) { return to_ns(Time{core.dma.engine_busy_fs}) / reached(r, core); }

/// Payload at the sustained rate and the fixed cost per descriptor, as far as the engines really spent it.
double dma_bound_ns(const Result& r, const CoreSnapshot& core) {
  const double payload = payload_ns(r, core);
  return std::max(payload, std::min(payload + descriptor_ns(r, core), engine_busy_ns(r, core)));
}

Use dma_engines(const Result& r) {
  const double bound = worst_core(r.snapshot, [&](const CoreSnapshot& c) { return dma_bound_ns(r, c); });
  return {"DMA engines", std::max(worst_core(r.snapshot, [&](const CoreSnapshot& c) { return engine_busy_ns(r, c); }), bound), bound};
}

Use hbm(const Result& r) {
  double in_use = 0, bound = 0;
  for (const HbmStackCounters& stack : r.snapshot.hbm) {
    in_use = std::max(in_use, to_ns(Time{stack.data_bus_fs}) / r.chip.hbm.pseudo_channels);
    bound = std::max(bound, count(stack.read_bytes + stack.write_bytes) / r.chip.hbm.stack_gb_per_s);
  }
  return {"HBM bandwidth", std::max(in_use, bound), bound};
}

/// A stopped run has work booked beyond its end.
void cut(std::vector<Use>& list, double time_ns) {
  for (Use& use : list) {
    use.in_use_ns = std::min(use.in_use_ns, time_ns);
    use.bound_ns = std::min(use.bound_ns, time_ns);
  }
}

std::vector<Use> uses(const Result& r) {
  std::vector<Use> list;
  const double array =
      worst_core(r.snapshot, [&](const CoreSnapshot& c) { return cycles_ns(r, c.tensor.array_cycles, EngineKind::Tensor); });
  const double issued = std::max(busy_ns(r, EngineKind::Tensor), array);
  list.push_back({"tensor array", array, array});
  list.push_back({"tensor instructions", issued, issued});
  for (const EngineName& e : kElementwise) list.push_back({e.name, busy_ns(r, e.kind), busy_ns(r, e.kind)});
  const double issue = worst_core(r.snapshot, [](const CoreSnapshot& c) { return to_ns(Time{c.dma.issue_limited_fs}); });
  list.push_back({"DMA issue", issue, issue});
  list.push_back(dma_engines(r));
  list.push_back(hbm(r));
  if (!r.snapshot.truncated.empty()) cut(list, to_ns(Time{r.snapshot.end_fs}));
  return list;
}

const Use& find(const std::vector<Use>& list, std::string_view name) {
  return *std::find_if(list.begin(), list.end(), [&](const Use& u) { return u.name == name; });
}

/// The resource with the largest bound. Loading and issue belong to the Tensor instructions only when
/// the array itself explains clearly less.
const Use& largest(const std::vector<Use>& list) {
  const Use* best = &list.front();
  for (const Use& use : list) {
    const double needed = use.name == "tensor instructions" ? 1.1 * best->bound_ns : best->bound_ns;
    if (use.bound_ns > needed) best = &use;
  }
  return *best;
}

/// Cause of most stall time of the engine that works most, as text; empty without stalls.
std::string main_stall(const Totals& totals) {
  const EngineCounters* busiest = nullptr;
  std::string_view engine;
  for (std::size_t i = 0; i < kEngineCount; ++i) {
    const EngineCounters& e = totals.engines[i];
    if (e.instructions == 0 || static_cast<EngineKind>(i) == EngineKind::Sync) continue;
    if (busiest != nullptr &&
        count(e.busy_cycles) * count(busiest->elapsed_cycles) <= count(busiest->busy_cycles) * count(e.elapsed_cycles))
      continue;
    busiest = &e;
    engine = name_of(static_cast<EngineKind>(i));
  }
  if (busiest == nullptr || sum_of(busiest->stall_cycles) == 0) return {};
  const auto worst = std::max_element(busiest->stall_cycles.begin(), busiest->stall_cycles.end());
  const auto reason = static_cast<StallReason>(worst - busiest->stall_cycles.begin());
  return fmt::format("{} stalls {} on {}", engine, percent(count(*worst) / count(busiest->elapsed_cycles)), name_of(reason));
}

/// "64 B per descriptor and 8.0 KiB per copy".
std::string copy_sizes(const Totals& t) {
  const auto each = [&](std::uint64_t n) { return bytes_text(count(t.dma.completed_bytes) / count(std::max<std::uint64_t>(n, 1))); };
  return fmt::format("{} per descriptor and {} per copy", each(t.dma.descriptors), each(t.dma.transfers));
}

/// How far HBM is from mattering, when it does not limit.
std::string hbm_slack(const std::vector<Use>& list, double time_ns) {
  const Use& use = find(list, "HBM bandwidth");
  if (use.bound_ns <= 0) return "; HBM is not used";
  return fmt::format("; HBM alone would need {}, a slack of {}", time_text(use.bound_ns),
                     percent(std::max(0.0, 1 - use.bound_ns / time_ns)));
}

std::string dma_sentence(const Result& r, const Totals& t, const std::vector<Use>& list, const Use& limit) {
  const double payload = worst_core(r.snapshot, [&](const CoreSnapshot& c) { return payload_ns(r, c); });
  if (limit.name == "DMA issue") {
    return fmt::format(
        "DMA issue limits (descriptor overhead): the front end of a ring is busy {} of the time, with {}; payload alone would need {}",
        percent(limit.in_use_ns / r.time_ns), copy_sizes(t), time_text(payload));
  }
  if (payload < kMostlyPayload * limit.in_use_ns) {
    return fmt::format("Descriptor overhead of the DMA engines limits: {} move payload for {} of the {} they are busy", copy_sizes(t),
                       time_text(payload), time_text(limit.in_use_ns));
  }
  const bool all = t.dma.engines_used == 0 || t.dma.engines_used >= t.dma.engines;
  const double sustained = r.dma_utilization.value_or(0) * (all ? 1 : count(t.dma.engines) / count(t.dma.engines_used));
  return fmt::format("The DMA engines{} limit: {} at {:.0f} GB/s, {} of what they sustain{}", all ? "" : " of the rings in use",
                     bytes_text(count(t.dma.completed_bytes)), r.dma_gb_per_s.value_or(0), percent(sustained), hbm_slack(list, r.time_ns));
}

/// "; activation exp is 99.0 % of that": what an engine does most.
std::string main_work(const Result& r, EngineKind kind) {
  const auto work = [&](const CoreSnapshot& c) { return sum_of(engine_of(c.engines, kind).op_cycles); };
  const auto core = std::max_element(r.snapshot.cores.begin(), r.snapshot.cores.end(),
                                     [&](const CoreSnapshot& a, const CoreSnapshot& b) { return work(a) < work(b); });
  if (core == r.snapshot.cores.end() || work(*core) == 0) return {};
  const EngineCounters& e = engine_of(core->engines, kind);
  std::string what;
  std::uint64_t most = 0;
  const auto consider = [&](std::uint64_t cycles, const std::string& name) {
    if (cycles > most) most = cycles, what = name;
  };
  for (std::size_t f = 0; f < kActFnCount; ++f)
    consider(e.function_cycles[f], fmt::format("activation {}", name_of(static_cast<ActFn>(f))));
  for (std::size_t op = 0; op < kOpcodeCount; ++op) {
    const bool by_function = op == static_cast<std::size_t>(Opcode::Activation) ||
                             op == static_cast<std::size_t>(Opcode::ActivationReduce) || op == static_cast<std::size_t>(Opcode::Activate2);
    if (!by_function) consider(e.op_cycles[op], std::string(info(static_cast<Opcode>(op)).name));
  }
  return fmt::format("; {} is {} of that", what, percent(count(most) / count(work(*core))));
}

std::string limit_sentence(const Result& r, const Totals& t, const std::vector<Use>& list, const Use& limit) {
  const std::string share = percent(limit.in_use_ns / r.time_ns);
  if (limit.name.starts_with("DMA")) return dma_sentence(r, t, list, limit);
  if (limit.name == "HBM bandwidth") {
    return fmt::format("HBM bandwidth limits: {:.0f} GB/s, {} of the peak of the stacks in use", r.hbm_gb_per_s.value_or(0),
                       percent(r.hbm_utilization.value_or(0)));
  }
  if (limit.name == "tensor array")
    return fmt::format("The Tensor array limits: it has data {} of the time{}", share, hbm_slack(list, r.time_ns));
  if (limit.name == "tensor instructions") {
    return fmt::format("Tensor instructions limit: the engine is busy {} of the time, the array has data only {}{}", share,
                       percent(find(list, "tensor array").in_use_ns / r.time_ns), hbm_slack(list, r.time_ns));
  }
  const auto* engine =
      std::find_if(std::begin(kElementwise), std::end(kElementwise), [&](const EngineName& e) { return limit.name == e.name; });
  return fmt::format("The {} engine limits: it is busy {} of the time{}{}", limit.name, share, main_work(r, engine->kind),
                     hbm_slack(list, r.time_ns));
}

/// Said of a limit that leaves much of the time to something else: being in use is not being waited for.
std::string not_alone(const Use& limit, double time_ns) {
  if (limit.bound_ns >= kAlone * time_ns) return {};
  return fmt::format(
      "; the {} alone needs {} of the time, latency and dependencies have a part in the rest: trnsim explain says what a faster one gains",
      limit.name, percent(limit.bound_ns / time_ns));
}

std::string latency_sentence(const Result& r, const Totals& t, const std::vector<Use>& list, const Use& most) {
  std::string text = fmt::format("Latency and dependencies limit: no resource alone needs 60 % of the time, {} is in use most with {}",
                                 most.name, percent(most.in_use_ns / r.time_ns));
  if (const std::string stall = main_stall(t); !stall.empty()) text += ", " + stall;
  return text + hbm_slack(list, r.time_ns);
}

}  // namespace

Bottleneck bottleneck_of(const Result& result, const Totals& totals) {
  Bottleneck b;
  const std::vector<Use> list = uses(result);
  const double time = to_ns(Time{result.snapshot.end_fs});
  double most = 0;
  for (const Use& use : list) {
    const double part = share("time in use of " + use.name + " in ns", use.in_use_ns, "device time in ns", time).value_or(0);
    most = std::max(most, part);
    b.shares.emplace_back(use.name, part);
    b.bounds_ns.emplace_back(use.name, use.bound_ns);
  }
  b.shares.emplace_back("latency", time > 0 ? 1 - most : 0.0);
  if (time <= 0) {
    b.resource = "none";
    b.sentence = "Nothing ran.";
    return b;
  }
  const Use& limit = largest(list);
  const bool explains = limit.bound_ns >= kExplains * time;
  b.resource = explains ? limit.name : "latency";
  b.sentence =
      (explains ? limit_sentence(result, totals, list, limit) + not_alone(limit, time) : latency_sentence(result, totals, list, limit)) +
      ".";
  return b;
}

}  // namespace trnsim
