// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/uncertainty/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

#include "app/job_pool.hpp"
#include "app/sweep/rank.hpp"

namespace trnsim::app {
namespace {

/// Of sorted values, between its neighbours in proportion.
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Slope of the straight line through the points, by least squares; 0 when all x are equal.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n, mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0 ? xy / xx : 0;
}

UncertainParameter effect_of(const Drawn& number, const std::vector<double>& values, const std::vector<double>& times) {
  UncertainParameter parameter{number.path, number.confidence, number.value, number.lo, number.hi, 0, 0, 0};
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{}", value));
  parameter.rank_correlation = rank_relation(texts, times).value_or(0);
  parameter.share = parameter.rank_correlation * parameter.rank_correlation;
  parameter.change_ns = slope(values, times) * (number.hi - number.lo);
  return parameter;
}

/// Time and values of one sample, to the last digit.
std::string simulate_sample(const RunRequest& request, const Sampler& sampler, std::size_t number) {
  const Sample sample = sampler.draw(number);
  if (!sample.problem.empty()) throw InputError(sample.problem);
  RunRequest alone = request;
  alone.jobs = 1;
  const Result result = execute_quietly(alone, sample.chip);
  return fmt::format("{} {}", result.time_ns, fmt::join(sample.values, " "));
}

SampleTime parsed(const std::string& text) {
  std::istringstream words(text);
  SampleTime sample;
  words >> sample.ns;
  for (double value = 0; words >> value;) sample.values.push_back(value);
  return sample;
}

}  // namespace

Uncertainty summarize(const std::vector<Drawn>& numbers, const std::vector<SampleTime>& samples) {
  Uncertainty result;
  if (samples.empty()) return result;
  std::vector<double> times;
  for (const SampleTime& sample : samples) times.push_back(sample.ns);
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    std::vector<double> values;
    for (const SampleTime& sample : samples) values.push_back(sample.values.at(n));
    result.parameters.push_back(effect_of(numbers[n], values, times));
  }
  std::stable_sort(result.parameters.begin(), result.parameters.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  std::sort(times.begin(), times.end());
  result.p5_ns = percentile(times, 0.05);
  result.p50_ns = percentile(times, 0.5);
  result.p95_ns = percentile(times, 0.95);
  return result;
}

Uncertainty study(const RunRequest& request, const Result& base, const StudyRequest& wanted, ProgressMode mode, Console& console) {
  DrawnNumbers numbers = drawn_numbers(base);
  const Sampler sampler(request, std::move(numbers.drawn), wanted.samples, wanted.seed);
  Progress progress(mode, wanted.samples, console);
  const auto outcomes = run_jobs(
      wanted.samples, [&](std::size_t i) { return simulate_sample(request, sampler, i); }, wanted.workers, wanted.limits,
      [&](std::size_t done) { progress.update(done, fmt::format("{} of {} samples", done, wanted.samples)); });
  progress.finish();

  std::vector<SampleTime> times;
  std::vector<std::string> failures;
  for (const JobOutcome& outcome : outcomes) {
    if (outcome.end == JobEnd::Done) {
      times.push_back(parsed(outcome.text));
    } else {
      failures.push_back(fmt::format("sample {}: {}", outcome.id, outcome.text.substr(0, outcome.text.find('\n'))));
    }
  }
  if (times.empty()) throw InternalError("no sample gave a time; " + failures.front());
  Uncertainty result = summarize(sampler.numbers(), times);
  result.samples = wanted.samples;
  result.seed = wanted.seed;
  result.failures = std::move(failures);
  result.held = std::move(numbers.held);
  return result;
}

}  // namespace trnsim::app
