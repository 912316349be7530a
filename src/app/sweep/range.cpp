// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trnsim::app {
namespace {

constexpr double kMostWhole = 9007199254740992.0;  // 2^53: every whole number below has a double of its own

bool whole(double value) { return value == std::floor(value) && std::abs(value) <= kMostWhole; }

/// Values that a range with a step has; a last one that misses `to` by rounding alone counts.
double count_by_step(const AxisRange& range) {
  constexpr double kSlack = 1e-9;
  const double steps = range.log ? std::log(range.to / range.from) / std::log(range.step) : (range.to - range.from) / range.step;
  return std::floor(steps + kSlack) + 1;
}

double value_at_step(const AxisRange& range, std::uint64_t index, std::uint64_t count) {
  const auto i = static_cast<double>(index);
  if (index == 0) return range.from;
  if (range.steps > 0 && index + 1 == count) return range.to;
  if (range.step != 0) return range.log ? range.from * std::pow(range.step, i) : range.from + i * range.step;
  const double share = i / static_cast<double>(count - 1);
  return range.log ? range.from * std::pow(range.to / range.from, share) : range.from + share * (range.to - range.from);
}

std::string step_problem(const AxisRange& range) {
  const bool up = range.to >= range.from;
  if (range.steps == 1 && range.from != range.to) return "1 step has no room for both ends; want at least 2 steps";
  if (range.step == 0) return {};
  if (range.log && (range.step <= 0 || range.step == 1 || (range.step > 1) != up)) {
    return fmt::format("a step of {} on a log scale does not lead from {} to {}; it is the ratio of neighbours", plain_number(range.step),
                       plain_number(range.from), plain_number(range.to));
  }
  if (!range.log && (range.step > 0) != up) {
    return fmt::format("a step of {} does not lead from {} to {}", plain_number(range.step), plain_number(range.from),
                       plain_number(range.to));
  }
  return {};
}

}  // namespace

double range_count(const AxisRange& range) { return range.steps > 0 ? static_cast<double>(range.steps) : count_by_step(range); }

std::string plain_number(double value) {
  if (value == 0) return "0";
  if (whole(value)) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

double rounded(double value) {
  const std::string text = fmt::format("{:.11e}", value);
  double read = value;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

std::string range_problem(const AxisRange& range, const Target& target, bool sampled) {
  if (!takes_numbers(target)) return "a range gives numbers, this path takes text; want values";
  if (range.steps > 0 && range.step != 0) return "steps and step exclude each other";
  if (range.continuous() && !sampled) return "want steps (number of values) or step";
  if (range.log && (range.from <= 0 || range.to <= 0)) return "a log scale needs from and to above 0";
  if (takes_whole_numbers(target) && !(whole(range.from) && whole(range.to))) {
    return fmt::format("from {} to {}: this path takes whole numbers", plain_number(range.from), plain_number(range.to));
  }
  if (std::string problem = step_problem(range); !problem.empty()) return problem;
  return {};
}

std::vector<std::string> range_values(const AxisRange& range, const Target& target) {
  const auto count = static_cast<std::uint64_t>(range_count(range));
  std::vector<std::string> values;
  values.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double value = rounded(value_at_step(range, i, count));
    std::string text = plain_number(takes_whole_numbers(target) ? std::round(value) : value);
    if (values.empty() || values.back() != text) values.push_back(std::move(text));
  }
  return values;
}

std::string range_value_at(const AxisRange& range, const Target& target, double u) {
  const double low = std::min(range.from, range.to), high = std::max(range.from, range.to);
  if (range.log) {
    const double value = std::clamp(rounded(low * std::pow(high / low, u)), low, high);
    return plain_number(takes_whole_numbers(target) ? std::round(value) : value);
  }
  if (takes_whole_numbers(target)) return plain_number(std::min(high, low + std::floor(u * (high - low + 1))));
  return plain_number(std::clamp(rounded(low + u * (high - low)), low, high));
}

}  // namespace trnsim::app
