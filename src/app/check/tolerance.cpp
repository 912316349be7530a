// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace trnsim::app {
namespace {

constexpr std::uint64_t kOne = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<std::uint64_t> parse_rel(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point), rest = text.substr(std::min(point + 1, text.size()));
  if (whole.empty() || whole.size() > 3 || (rest.empty() && point < text.size())) return std::nullopt;
  if (!std::all_of(whole.begin(), whole.end(), is_digit) || !std::all_of(rest.begin(), rest.end(), is_digit)) return std::nullopt;
  std::uint64_t unit = percent ? kOne / 100 : kOne, value = 0;
  for (const char c : whole) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  if (!percent && value > 0) return std::nullopt;
  value *= unit;
  for (const char c : rest) {
    unit /= 10;
    if (unit == 0 && c != '0') return std::nullopt;
    value += unit * static_cast<std::uint64_t>(c - '0');
  }
  return value <= kOne ? std::optional(value) : std::nullopt;
}

bool exceeds(std::uint64_t expected, std::uint64_t got, const Tolerance& tolerance) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t change = expected > got ? expected - got : got - expected;
  return change > tolerance.min_cycles && Wide{change} * kOne > Wide{expected} * tolerance.rel_ppb;
}

bool exceeds(double expected, double got, const Tolerance& tolerance) {
  const double allowed = static_cast<double>(std::max<std::uint64_t>(tolerance.rel_ppb, 1)) / kOne;
  return std::abs(got - expected) > allowed * std::abs(expected);
}

}  // namespace trnsim::app
