// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <span>
#include <string>

#include "trnsim/snapshot.hpp"

namespace trnsim {

/// Skew above which the use of a memory is called uneven: the fullest partition holds more than twice the mean.
inline constexpr double kUnevenSkew = 0.5;

/// Peaks of one memory of one core, in the order of its partitions.
std::span<const PartitionPeak> partitions_of(const Snapshot& snapshot, std::uint32_t core, Buffer buffer);

/// 1 − mean peak / largest peak, of the core where that is largest; nothing if no tile lives in the memory.
std::optional<double> partition_skew(const Snapshot& snapshot, Buffer buffer);
inline bool is_skewed(const std::optional<double>& skew) { return skew && *skew > kUnevenSkew; }

/// "by partition: 0: 9.00 KiB; 1-127: 8.00 KiB" of the core with the largest skew, with a remark above the threshold; "" when all
/// partitions are used alike.
std::string partition_text(const Snapshot& snapshot, Buffer buffer);

}  // namespace trnsim
