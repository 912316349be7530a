// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace trnsim::app {

/// The random numbers of one axis of a sweep: draw number i is SplitMix64's output function of
/// start + (i + 1) × 0x9E3779B97F4A7C15, where start is the 64-bit FNV-1a hash of the axis' path added to the
/// output function of the seed. Nothing else enters, so one seed gives the same points on every machine, and another
/// axis changes none of this one's.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view path);

  [[nodiscard]] std::uint64_t bits(std::uint64_t index) const;
  /// 0 <= u < 1, from the upper 53 bits.
  [[nodiscard]] double share(std::uint64_t index) const;
  /// 0, 1, …, count-1 in an order of chance: Fisher and Yates from the last down, each with one draw
  /// from number 2^40 on. At most 2^32 of them.
  [[nodiscard]] std::vector<std::uint32_t> permutation(std::uint32_t count) const;

 private:
  std::uint64_t start_;
};

}  // namespace trnsim::app
