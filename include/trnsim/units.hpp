// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <compare>
#include <cstdint>

namespace trnsim {

/// A count with a unit that does not mix with counts of another unit.
template <class Tag>
struct Quantity {
  std::uint64_t value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(std::uint64_t v) : value(v) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, std::uint64_t n) { return Quantity{a.value * n}; }
};

using Cycles = Quantity<struct CyclesTag>;  ///< Of one clock domain; never compared across domains.
using Bytes = Quantity<struct BytesTag>;
using Flops = Quantity<struct FlopsTag>;

/// A point in simulated time or a duration, in femtoseconds. 64 bits reach 5.1 hours.
using Time = Quantity<struct TimeTag>;

inline constexpr std::uint64_t kFsPerPs = 1'000;
inline constexpr std::uint64_t kFsPerNs = 1'000'000;
inline constexpr std::uint64_t kFsPerUs = 1'000'000'000;
inline constexpr Time kForever{~std::uint64_t{0}};

inline constexpr std::uint64_t kKiB = 1ULL << 10;
inline constexpr std::uint64_t kMiB = 1ULL << 20;
inline constexpr std::uint64_t kGiB = 1ULL << 30;
inline constexpr std::uint64_t kGB = 1'000'000'000ULL;

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Nanoseconds of the configuration as femtoseconds, rounded up.
constexpr Time from_ns(double ns) {
  const double fs = ns * static_cast<double>(kFsPerNs);
  const auto whole = static_cast<std::uint64_t>(fs);
  return Time{whole + (static_cast<double>(whole) < fs ? 1 : 0)};
}

constexpr double to_ns(Time t) { return static_cast<double>(t.value) / static_cast<double>(kFsPerNs); }

}  // namespace trnsim
