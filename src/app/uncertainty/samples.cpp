// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/uncertainty/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "trnsim/config/causes.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim::app {
namespace {

constexpr unsigned kAttempts = 50;

bool power_of_two(double x) { return x >= 1 && x < 4294967296.0 && std::has_single_bit(static_cast<std::uint64_t>(x)); }

std::string text_of(const Drawn& number, double value) {
  return number.whole ? fmt::format("{}", static_cast<std::uint64_t>(value)) : fmt::format("{}", value);
}

/// Whether a message names the key, not just one that begins with it.
bool names(const std::string& message, const std::string& path) {
  for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path, at + 1)) {
    const std::size_t end = at + path.size();
    if (end == message.size() || (std::isalnum(static_cast<unsigned char>(message[end])) == 0 && message[end] != '_')) return true;
  }
  return false;
}

}  // namespace

double Drawn::at(double u) const {
  if (!whole) return std::min(hi, lo + u * (hi - lo));
  if (power_of_two(lo) && power_of_two(hi) && power_of_two(value)) {
    const double steps = std::log2(hi / lo) + 1;
    return std::min(hi, lo * std::exp2(std::floor(u * steps)));
  }
  return std::min(hi, lo + std::floor(u * (hi - lo + 1)));
}

DrawnNumbers drawn_numbers(const Result& result) {
  DrawnNumbers numbers;
  const auto set_by_hand = [&](const std::string& path) {
    return std::any_of(result.chip.overrides.begin(), result.chip.overrides.end(), [&](const auto& o) { return o.first == path; });
  };
  std::vector<std::string> paths = result.assumed;
  paths.insert(paths.end(), result.derived.begin(), result.derived.end());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const ValueSource& source = result.chip.sources.at(path);
    if (!source.range || source.range->lo >= source.range->hi || !takes_time(path) || set_by_hand(path)) continue;
    Drawn number{path, source.confidence, 0, source.range->lo, source.range->hi, is_whole_number_key(path)};
    (void)std::from_chars(source.value.data(), source.value.data() + source.value.size(), number.value);
    numbers.drawn.push_back(std::move(number));
  }
  for (const auto& [path, value] : result.chip.overrides) numbers.held.push_back(path);
  std::sort(numbers.held.begin(), numbers.held.end());
  numbers.held.erase(std::unique(numbers.held.begin(), numbers.held.end()), numbers.held.end());
  return numbers;
}

Sampler::Sampler(const RunRequest& request, std::vector<Drawn> numbers, std::size_t count, std::uint64_t seed)
    : request_(&request), numbers_(std::move(numbers)), count_(count) {
  for (const Drawn& number : numbers_) {
    draws_.emplace_back(seed, number.path);
    parts_.push_back(draws_.back().permutation(static_cast<std::uint32_t>(count)));
  }
}

/// The rules across keys are checked as for any chip file.
ChipConfig Sampler::chip_with(const std::vector<double>& values) const {
  std::vector<std::string> set = request_->set, warnings;
  for (std::size_t i = 0; i < numbers_.size(); ++i) set.push_back(numbers_[i].path + "=" + text_of(numbers_[i], values[i]));
  return load_chip(request_->chip, {set, request_->allow_unknown}, warnings);
}

Sample Sampler::draw(std::size_t s) const {
  Sample sample;
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    sample.values.push_back(numbers_[i].at((parts_[i][s] + draws_[i].share(s)) / static_cast<double>(count_)));
  for (unsigned attempt = 1; attempt <= kAttempts; ++attempt) {
    try {
      sample.chip = chip_with(sample.values);
      sample.problem.clear();
      return sample;
    } catch (const InputError& error) {
      sample.problem = error.what();
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (names(sample.problem, numbers_[i].path)) sample.values[i] = numbers_[i].at(draws_[i].share(count_ * attempt + s));
    }
  }
  return sample;
}

}  // namespace trnsim::app
