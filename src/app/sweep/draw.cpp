// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/draw.hpp"

#include <numeric>
#include <utility>

#include "app/fnv.hpp"

namespace trnsim::app {
namespace {

constexpr std::uint64_t kFirstOfPermutation = std::uint64_t{1} << 40;

/// Output function of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

Draws::Draws(std::uint64_t seed, std::string_view path) : start_(fnv1a(path) + mixed(seed)) {}

std::uint64_t Draws::bits(std::uint64_t index) const { return mixed(start_ + (index + 1) * 0x9E3779B97F4A7C15ULL); }

double Draws::share(std::uint64_t index) const { return static_cast<double>(bits(index) >> 11) * 0x1.0p-53; }

std::vector<std::uint32_t> Draws::permutation(std::uint32_t count) const {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) {
    const std::uint64_t chosen = ((bits(kFirstOfPermutation + i) >> 32) * i) >> 32;
    std::swap(order[i - 1], order[chosen]);
  }
  return order;
}

}  // namespace trnsim::app
