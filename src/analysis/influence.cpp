// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/influence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/influence_load.hpp"
#include "config/field_table.hpp"
#include "trnsim/config/causes.hpp"

namespace trnsim {
namespace {

constexpr double kLimits = 0.75;      ///< Share of the time from which a resource sets the time.
constexpr double kStreams = 0.5;      ///< Below this share of the time no stage of the copies is seen to limit them.
constexpr double kNoticeable = 1e-4;  ///< Smaller changes are left out.

double count(std::uint64_t n) { return static_cast<double>(n); }

/// Shares of the device time by what it follows from, and the copies that follow each other.
struct Weights {
  std::array<double, kEngineCount> engine{};   ///< Its instructions one after another.
  std::array<double, kEngineCount> results{};  ///< Their results, which others wait for.
  double latency = 0, issue = 0, dma = 0, hbm = 0;
  double loads = 1, stores = 1;  ///< Copies that everything waited for; the first load and the last store always are.
};

double sum(const std::array<double, kEngineCount>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Where the time of a run goes, and how it follows a change of its loads.
class TimeModel {
 public:
  TimeModel(const ChipConfig& chip, const Totals& totals, double time_ns, double cores)
      : loads_(chip, totals, cores), base_(loads_.loads(chip)), time_ns_(time_ns) {
    share_out(totals);
    unmoved_ = 1 - sum(weights_.engine) - sum(weights_.results) - weights_.latency - weights_.issue - weights_.dma - weights_.hbm;
  }

  [[nodiscard]] double time_ns(const ChipConfig& changed) const {
    const Loads now = loads_.loads(changed);
    const auto ratio = [](double after, double before) { return before > 0 ? after / before : 1.0; };
    double share = weights_.latency * ratio(sum(now.latency), sum(base_.latency)) + weights_.issue * ratio(now.issue, base_.issue) +
                   weights_.dma * ratio(now.dma, base_.dma) + weights_.hbm * ratio(now.hbm, base_.hbm);
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      share += weights_.engine[e] * ratio(now.engine[e], base_.engine[e]) + weights_.results[e] * ratio(now.latency[e], base_.latency[e]);
    }
    share += unmoved_;
    const double trips = weights_.loads * (now.load_trip - base_.load_trip) + weights_.stores * (now.store_trip - base_.store_trip);
    // A resource that grows beyond the time of the run sets it.
    double least = std::max({now.issue, now.dma, now.hbm});
    for (const double engine : now.engine) least = std::max(least, engine);
    const double then = std::max({base_.issue, base_.dma, base_.hbm, *std::max_element(base_.engine.begin(), base_.engine.end())});
    return std::max(share * time_ns_ + trips, least > then ? least : 0.0);
  }

 private:
  void share_out(const Totals& totals);
  void give_waits(const EngineCounters& e, double own);
  double* busiest_resource(double& load);

  LoadModel loads_;
  Loads base_;
  double time_ns_;
  Weights weights_;
  double unmoved_ = 0;  ///< Rest of the time, which no load explains; what is counted twice makes it negative.
};

/// The weight of the resource with the largest load.
double* TimeModel::busiest_resource(double& load) {
  double* weight = nullptr;
  load = 0;
  const auto offer = [&](double candidate, double& its_weight) {
    if (candidate <= load) return;
    load = candidate;
    weight = &its_weight;
  };
  for (std::size_t e = 0; e < kEngineCount; ++e) offer(base_.engine[e], weights_.engine[e]);
  offer(base_.issue, weights_.issue);
  offer(base_.dma, weights_.dma);
  offer(base_.hbm, weights_.hbm);
  return weight;
}

/// Shares out what the work of the engine does not explain, by what the engine waited for.
void TimeModel::give_waits(const EngineCounters& e, double own) {
  const auto stalled = [&](StallReason reason) { return count(e.stall_cycles[static_cast<std::size_t>(reason)]); };
  const double buffers = stalled(StallReason::WaitBuffer) / 2;
  const double engines = stalled(StallReason::WaitEngine) + stalled(StallReason::PortConflict) + stalled(StallReason::PsumBank) + buffers;
  const double copies = stalled(StallReason::WaitDma) + stalled(StallReason::QueueFull) + count(e.idle_cycles) + buffers;
  const double all = engines + copies;
  if (all <= 0) return;
  const double rest = std::max(0.0, 1 - own);
  weights_.latency += rest * engines / all;
  // Copies are a stream that some stage limits, or wait for each other.
  const double stream = std::max({base_.issue, base_.dma, base_.hbm});
  double& stage = stream == base_.issue ? weights_.issue : stream == base_.dma ? weights_.dma : weights_.hbm;
  const double use = std::min(1.0, stream / time_ns_), streamed = use * std::clamp((use - kStreams) / (1 - kStreams), 0.0, 1.0);
  stage += rest * copies / all * streamed;
  const double waits = rest * copies / all * (1 - streamed) * time_ns_;
  const double trip = std::max(base_.load_trip, base_.store_trip);
  if (trip > 0) weights_.loads = std::max(1.0, waits / trip - 1);
}

void TimeModel::share_out(const Totals& totals) {
  std::size_t busiest = 0;
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    if (base_.engine[e] > base_.engine[busiest]) busiest = e;
  }
  double load = 0;
  double* const weight = busiest_resource(load);
  if (weight == nullptr) return;
  const double share = std::min(1.0, load / time_ns_);
  if (share >= kLimits) {
    *weight = share;
    return give_waits(totals.engines[busiest], share);
  }
  // The less an engine works, the less of its work lies on the longest path, and the less it matters when it takes the next one.
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    const double use = std::min(1.0, base_.engine[e] / time_ns_);
    const bool array = static_cast<EngineKind>(e) == EngineKind::Tensor;  // of many multiplies into one tile the last result counts
    const double queued = array ? 1 : std::clamp((use - kStreams) / (kLimits - kStreams), 0.0, 1.0);
    weights_.engine[e] = use * use * queued;
    weights_.results[e] = use * use * (1 - queued);
  }
  give_waits(totals.engines[busiest], std::min(1.0, base_.engine[busiest] / time_ns_));
}

/// A description without its sources, which are slow to copy.
ChipConfig numbers_of(const ChipConfig& chip) {
  ChipConfig numbers;
  numbers.generation = chip.generation;
  numbers.chip = chip.chip, numbers.sequencer = chip.sequencer, numbers.tensor = chip.tensor, numbers.vector = chip.vector;
  numbers.scalar = chip.scalar, numbers.gpsimd = chip.gpsimd, numbers.sbuf = chip.sbuf, numbers.psum = chip.psum;
  numbers.dma = chip.dma, numbers.hbm = chip.hbm, numbers.energy = chip.energy;
  return numbers;
}

void set(const FieldRef& field, double value) {
  if (std::holds_alternative<double*>(field.member)) return field.store(value);
  if (std::holds_alternative<std::uint32_t*>(field.member)) field.store(static_cast<std::uint32_t>(std::llround(value)));
}

double number_of(const FieldRef& field) {
  const FieldValue value = field.value();
  if (const auto* number = std::get_if<double>(&value)) return *number;
  const auto* whole = std::get_if<std::uint32_t>(&value);
  return whole == nullptr ? 0 : *whole;
}

}  // namespace

double share_of(const Influence& i, double time_ns) {
  if (time_ns <= 0) return 0;
  return (std::max({i.lo_ns, i.hi_ns, time_ns}) - std::min({i.lo_ns, i.hi_ns, time_ns})) / time_ns;
}

std::vector<Influence> influences_of(const Result& result, const Totals& totals) {
  std::vector<Influence> list;
  const double time_ns = to_ns(Time{result.snapshot.end_fs});
  if (time_ns <= 0 || !result.snapshot.truncated.empty()) return list;
  ChipConfig changed = numbers_of(result.chip);
  const ChipConfig base = changed;
  const TimeModel model(base, totals, time_ns, count(std::max<std::size_t>(result.snapshot.cores.size(), 1)));
  std::map<std::string_view, const FieldRef*> by_path;
  const std::vector<FieldRef> fields = fields_of(changed);
  for (const FieldRef& field : fields) by_path.emplace(field.path, &field);
  for (const std::string& path : result.assumed) {
    const auto& range = result.chip.sources.at(path).range;
    if (!range || range->lo >= range->hi || !takes_time(path)) continue;
    const FieldRef& field = *by_path.at(path);
    Influence influence{path, number_of(field), range->lo, range->hi, 0, 0};
    set(field, range->lo);
    influence.lo_ns = model.time_ns(changed);
    set(field, range->hi);
    influence.hi_ns = model.time_ns(changed);
    set(field, influence.value);
    if (share_of(influence, time_ns) >= kNoticeable) list.push_back(std::move(influence));
  }
  std::stable_sort(list.begin(), list.end(),
                   [&](const Influence& a, const Influence& b) { return share_of(a, time_ns) > share_of(b, time_ns); });
  return list;
}

}  // namespace trnsim
