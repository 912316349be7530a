// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/chip_config.hpp"

namespace trnsim {

/// Groups of keys by which the difference between two chips is explained. Every key of a description
/// belongs to exactly one; what must agree for a chip to be possible belongs together.
enum class Cause : std::uint8_t {
  Clock,   ///< Clocks of the engines and sequencers.
  Array,   ///< The array but for its clock: size, rates by data type, weight load, power ramp; the generation and the data types it has.
  Cores,   ///< How many cores and stacks the chip has, and which share one.
  Hbm,     ///< Size, bandwidth and timing of a stack.
  Dma,     ///< DMA rings and engines.
  Vector,  ///< Vector, Scalar and GpSimd but for their clocks: rates, modes, latencies.
  OnChip,  ///< SBUF and PSUM: size, banks, and who excludes whom.
  Other,   ///< Synchronisation, launch, energy, names.
};
inline constexpr std::size_t kCauseCount = 8;
inline constexpr std::array<Cause, kCauseCount> kCauses{Cause::Clock, Cause::Array,  Cause::Cores,  Cause::Hbm,
                                                        Cause::Dma,   Cause::Vector, Cause::OnChip, Cause::Other};

std::string_view name_of(Cause cause);  ///< "clock", "array", "cores", "HBM", "DMA", "vector", "SBUF/PSUM", "other"
std::string_view help_of(Cause cause);  ///< What belongs to it, in a line.

/// Set of causes, one bit each.
using CauseSet = std::uint32_t;
constexpr CauseSet bit_of(Cause cause) { return CauseSet{1} << static_cast<unsigned>(cause); }
inline constexpr CauseSet kAllCauses = (CauseSet{1} << kCauseCount) - 1;

/// The group of a key path such as "hbm.stack_gb_per_s"; nothing when no group claims it.
std::optional<Cause> cause_of(std::string_view path);

/// False for keys that cannot change device time: energy, names, what is only reported.
bool takes_time(std::string_view path);

/// Paths of all keys of a chip description, in the order of `describe`.
std::vector<std::string> key_paths();

/// Keys in which two descriptions differ, per cause.
std::array<std::vector<std::string>, kCauseCount> differences(const ChipConfig& a, const ChipConfig& b);

/// Chip `a` with the keys of some groups taken from `b`. It may be one that cannot exist: check_chip says so.
ChipConfig mixed(const ChipConfig& a, const ChipConfig& b, CauseSet from_b);

}  // namespace trnsim
