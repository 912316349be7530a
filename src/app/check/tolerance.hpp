// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trnsim::app {

/// How far a value may be from the expected one. A change fails when it exceeds both.
struct Tolerance {
  std::uint64_t rel_ppb = 0;     ///< Of the expected value, in parts per billion.
  std::uint64_t min_cycles = 0;  ///< Cycles; says nothing about energy and bytes.
};

/// "2%" or "0.02" in parts per billion, at most 100 %, without rounding; nothing if it is neither. "2" is refused: percent or factor?
std::optional<std::uint64_t> parse_rel(std::string_view text);

/// In integers: exactly 2 % does not exceed 2 %.
bool exceeds(std::uint64_t expected, std::uint64_t got, const Tolerance& tolerance);
/// The same for a number with a fraction, whose last bits are no change: one part in a billion is always allowed.
bool exceeds(double expected, double got, const Tolerance& tolerance);

}  // namespace trnsim::app
