// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/estimate.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <unordered_set>

#include "app/sweep/look_ahead.hpp"
#include "app/sweep/point_job.hpp"

namespace trnsim::app {
namespace {

constexpr double kMeasureSeconds = 5;
constexpr std::size_t kMostLookedAt = 20'000;

std::size_t point_of(const Shard& shard, std::size_t number) { return number * shard.count + shard.index - 1; }

}  // namespace

PointCount count_points(const PointSource& source, const Shard& shard, unsigned workers) {
  PointCount count;
  count.points = shard.size(source.size);
  count.looked_at = count.points <= kMostLookedAt;
  if (!count.looked_at) return count;
  const auto look = [&](std::size_t chunk) {
    std::string lines;  // identities, empty ones of refused points
    for (std::size_t i = chunk * kLookAhead; i < std::min(count.points, (chunk + 1) * kLookAhead); ++i) {
      lines += look_at(source.point(point_of(shard, i)), source.chips, true).identity + '\n';
    }
    return lines;
  };
  std::unordered_set<std::string> seen;
  for (const JobOutcome& outcome : run_jobs((count.points + kLookAhead - 1) / kLookAhead, look, workers, kLookAheadLimits)) {
    if (outcome.end != JobEnd::Done) continue;
    std::istringstream lines(outcome.text);
    for (std::string identity; std::getline(lines, identity);) {
      if (identity.empty()) {
        ++count.refused;
      } else if (!seen.insert(identity).second) {
        ++count.copies;
      }
    }
  }
  return count;
}

PointSeconds measure_points(const PointSource& source, const Shard& shard) {
  const std::size_t points = shard.size(source.size);
  PointSeconds seconds;
  if (points == 0) return seconds;
  JobLimits limits = source.limits;
  limits.seconds = limits.seconds > 0 ? std::min(limits.seconds, kMeasureSeconds) : kMeasureSeconds;
  const std::set<std::size_t> chosen{0, points / 2, points - 1};
  const std::vector<std::size_t> numbers(chosen.begin(), chosen.end());
  std::set<std::string> configs;
  const auto job = [&](std::size_t i) { return simulate_point(source.point(point_of(shard, numbers[i])), source.chips, configs); };
  for (const JobOutcome& outcome : run_jobs(numbers.size(), job, 1, limits)) {
    if (outcome.end == JobEnd::Refused) continue;  // at once
    seconds.mean += outcome.seconds;
    ++seconds.measured;
    seconds.at_least |= outcome.end == JobEnd::TimedOut && outcome.seconds >= kMeasureSeconds;
  }
  if (seconds.measured > 0) seconds.mean /= static_cast<double>(seconds.measured);
  return seconds;
}

}  // namespace trnsim::app
