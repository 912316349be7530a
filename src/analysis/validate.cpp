// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/validate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

constexpr double kNear = 0.2;
constexpr double kDistinct = 0.05;  ///< Measurements closer than that have no order.

constexpr std::array<std::string_view, 7> kMetrics{"time_us", "gb_per_s",    "relative_gb_per_s", "mfu",
                                                   "tflops",  "interval_ns", "latency_ns"};

constexpr std::array<std::string_view, 4> kFollows{"", "exact", "close", "loose"};

/// A run that was done before, or why it could not be.
struct Outcome {
  Simulated result;
  std::string failure;
};

class Runner {
 public:
  explicit Runner(const std::function<Simulated(const ValidationRun&)>& simulate) : simulate_(&simulate) {}

  const Outcome& outcome(const ValidationRun& run) {
    const auto [entry, first] = done_.try_emplace(run);
    if (first) {
      try {
        entry->second.result = (*simulate_)(run);
      } catch (const Error& e) {
        entry->second.failure = e.what();
      }
    }
    return entry->second;
  }

 private:
  const std::function<Simulated(const ValidationRun&)>* simulate_;
  std::map<ValidationRun, Outcome> done_;
};

ValidationRecord record_of(const ValidationPoint& point, Runner& runner) {
  ValidationRecord record{point, {}, {}, {}};
  std::vector<Simulated> results;
  for (const ValidationRun& run : runs_of(point)) {
    const Outcome& outcome = runner.outcome(run);
    if (!outcome.failure.empty()) {
      record.failure = outcome.failure;
      return record;
    }
    results.push_back(outcome.result);
  }
  const double value = simulated_value(point, results);
  if (!std::isfinite(value)) {
    record.failure = "the run has no such value";
    return record;
  }
  record.simulated = value;
  record.assumed = results.front().assumed;
  record.error = value / point.measured - 1;
  return record;
}

ValidationGroup group_of(const std::string& name, const std::vector<const ValidationRecord*>& records) {
  ValidationGroup group;
  group.name = name;
  std::vector<double> simulated, measured;
  double sum = 0, size = 0, worst = 0, near = 0;
  for (const ValidationRecord* record : records) {
    if (!record->error) continue;
    ++group.n;
    sum += *record->error;
    size += std::abs(*record->error);
    near += std::abs(*record->error) <= kNear ? 1 : 0;
    if (std::abs(*record->error) >= std::abs(worst)) worst = *record->error;
    simulated.push_back(*record->simulated);
    measured.push_back(record->point.measured);
  }
  if (group.n == 0) return group;
  group.mean_abs_error = size / static_cast<double>(group.n);
  group.near = near / static_cast<double>(group.n);
  group.bias = sum / static_cast<double>(group.n);
  group.worst = worst;
  group.tau = kendall_tau(simulated, measured);
  return group;
}

/// The records by one of their texts, in order of first appearance.
std::vector<ValidationGroup> grouped(const std::vector<ValidationRecord>& records, std::string ValidationPoint::*by) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<const ValidationRecord*>> members;
  for (const ValidationRecord& record : records) {
    const std::string& name = record.point.*by;
    if (!members.contains(name)) names.push_back(name);
    members[name].push_back(&record);
  }
  std::vector<ValidationGroup> groups;
  for (const std::string& name : names) groups.push_back(group_of(name, members[name]));
  return groups;
}

template <class F>
ValidationGroup those(const std::string& name, const std::vector<ValidationRecord>& records, F belongs) {
  std::vector<const ValidationRecord*> members;
  for (const ValidationRecord& record : records) {
    if (belongs(record.point)) members.push_back(&record);
  }
  return group_of(name, members);
}

/// Adds what a variant says about the order of those before it.
void add_step(ValidationLadder& ladder, const ValidationRecord& step, const std::vector<const ValidationRecord*>& before) {
  ++ladder.steps;
  for (const ValidationRecord* other : before) {
    const double measured = step.point.measured / other->point.measured;
    if (std::max(measured, 1 / measured) <= 1 + kDistinct) continue;
    ++ladder.pairs;
    const bool kept = measured > 1 ? *step.simulated > *other->simulated : *step.simulated < *other->simulated;
    if (!kept) ladder.swapped.emplace_back(other->point.id, step.point.id);
  }
}

std::vector<ValidationLadder> ladders_of(const std::vector<ValidationRecord>& records) {
  std::vector<ValidationLadder> ladders;
  std::map<std::string, std::vector<const ValidationRecord*>> steps;
  for (const ValidationRecord& record : records) {
    const std::string& name = record.point.ladder;
    if (name.empty() || !record.simulated) continue;
    if (!steps.contains(name)) ladders.push_back({name, 0, 0, {}});
    const auto ladder = std::find_if(ladders.begin(), ladders.end(), [&](const ValidationLadder& l) { return l.name == name; });
    add_step(*ladder, record, steps[name]);
    steps[name].push_back(&record);
  }
  return ladders;
}

/// Values of different units have no common order.
void drop_order(ValidationGroup& group) { group.tau.reset(); }

}  // namespace

std::string_view name_of(Metric m) { return kMetrics[static_cast<std::size_t>(m)]; }
std::string_view name_of(Follows f) { return kFollows[static_cast<std::size_t>(f)]; }

std::vector<ValidationRun> runs_of(const ValidationPoint& point) {
  ValidationRun run{point.chip, point.cores, point.kernel, point.params, point.probe, point.probe ? point.probe->count : 0,
                    point.nki,  point.trace};
  std::vector<ValidationRun> runs{run};
  if (point.probe) {
    run.count *= 2;
    runs.push_back(run);
  } else if (point.metric == Metric::RelativeGbPerS) {
    for (const auto& [key, value] : point.reference) run.params[key] = value;
    runs.push_back(run);
  }
  return runs;
}

double simulated_value(const ValidationPoint& point, std::span<const Simulated> r) {
  const Simulated& first = r.front();
  const Simulated& last = r.back();
  const double time_ns = first.time_ns + (point.includes_launch ? first.launch_ns : 0);
  const double slope_ns = point.probe ? (last.time_ns - first.time_ns) / point.probe->count : 0;
  switch (point.metric) {
    case Metric::TimeUs: return time_ns / 1e3;
    case Metric::GbPerS: return first.dma_bytes / first.time_ns;
    case Metric::RelativeGbPerS: return (first.dma_bytes / first.time_ns) / (last.dma_bytes / last.time_ns);
    case Metric::Mfu: return first.mfu;
    case Metric::Tflops: return (last.flops - first.flops) / (last.time_ns - first.time_ns) / 1e3;
    case Metric::IntervalNs: return slope_ns;
    case Metric::LatencyNs: return slope_ns - first.semaphore_hop_ns;
  }
  return 0;
}

std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b) {
  double concordant = 0, ordered_a = 0, ordered_b = 0;
  const auto sign = [](double x) { return static_cast<double>((x > 0) - (x < 0)); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      const double da = sign(a[i] - a[j]), db = sign(b[i] - b[j]);
      concordant += da * db;
      ordered_a += da * da;
      ordered_b += db * db;
    }
  }
  if (ordered_a == 0 || ordered_b == 0) return std::nullopt;
  return concordant / std::sqrt(ordered_a * ordered_b);
}

ValidationReport validate(const ValidationFile& file, const std::function<Simulated(const ValidationRun&)>& simulate) {
  ValidationReport report;
  Runner runner(simulate);
  for (const ValidationPoint& point : file.points) report.records.push_back(record_of(point, runner));
  report.groups = grouped(report.records, &ValidationPoint::group);
  const auto kernel = [](const ValidationPoint& p) { return !p.probe && p.metric == Metric::TimeUs && p.quality == 'A'; };
  const auto instruction = [](const ValidationPoint& p) { return p.probe && p.quality == 'A'; };
  const ValidationGroup best[] = {those("kernels of quality A", report.records, kernel),
                                  those("instructions of quality A", report.records, instruction)};
  for (const ValidationGroup& group : best) {
    if (group.n > 0) report.groups.push_back(group);
  }
  report.groups.push_back(those("all", report.records, [](const ValidationPoint&) { return true; }));
  drop_order(report.groups.back());
  report.chips = grouped(report.records, &ValidationPoint::chip);
  std::for_each(report.chips.begin(), report.chips.end(), drop_order);
  report.ladders = ladders_of(report.records);
  report.not_run = file.not_run;
  return report;
}

}  // namespace trnsim
