// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>

#include "plan/pattern.hpp"

namespace trnsim {

/// Bytes that an access touches in a memory or an HBM tensor, which counts as one partition.
struct Footprint {
  Pattern pattern;
  std::uint32_t first_partition = 0, end_partition = 1, partition_step = 1;
  bool operator==(const Footprint&) const = default;
};

/// Whether two footprints share a byte; as exact as that of patterns.
bool overlap(const Footprint& a, const Footprint& b);
/// Whether `outer` holds all bytes of `inner` that lie in [lo, hi) of the partitions; false for what is not dense.
bool covers(const Footprint& outer, const Footprint& inner, std::uint64_t lo, std::uint64_t hi);

}  // namespace trnsim
