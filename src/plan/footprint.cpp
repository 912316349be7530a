// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/footprint.hpp"

#include <algorithm>

namespace trnsim {
namespace {

/// Whether two steps of partitions meet.
bool partitions_meet(const Footprint& a, const Footprint& b) {
  if (a.end_partition <= b.first_partition || b.end_partition <= a.first_partition) return false;
  if (a.partition_step == 1 && b.partition_step == 1) return true;
  for (std::uint32_t p = a.first_partition; p < a.end_partition; p += a.partition_step) {
    if (p >= b.first_partition && p < b.end_partition && (p - b.first_partition) % b.partition_step == 0) return true;
  }
  return false;
}

}  // namespace

bool overlap(const Footprint& a, const Footprint& b) { return partitions_meet(a, b) && overlap(a.pattern, b.pattern); }

bool covers(const Footprint& outer, const Footprint& inner, std::uint64_t lo, std::uint64_t hi) {
  if (outer == inner) return true;
  return outer.pattern.dense() && outer.partition_step == 1 && outer.pattern.lo <= std::max(inner.pattern.lo, lo) &&
         outer.pattern.hi() >= std::min(inner.pattern.hi(), hi) && outer.first_partition <= inner.first_partition &&
         outer.end_partition >= inner.end_partition;
}

}  // namespace trnsim
