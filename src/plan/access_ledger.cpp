// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/access_ledger.hpp"

#include <algorithm>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kGranuleLimit = 24;

bool is_ring(Actor actor) { return actor >= kFirstRing; }

StallReason read_reason(Actor writer) { return is_ring(writer) ? StallReason::WaitDma : StallReason::WaitEngine; }

/// Whether an actor's earlier access cannot hold back its later write.
bool ordered_by_actor(Actor earlier, bool earlier_writes, Actor later) { return earlier == later && (earlier_writes || !is_ring(earlier)); }

/// What a write waits for because of `entry`. A copy onto its own source does not wait for itself, but
/// for the ring's copies before it: one of them may have read the same place.
template <class Entry>
std::uint64_t count_to_wait_for(const Entry& entry, const Access& access) {
  return entry.actor == access.actor ? std::min(entry.count, access.count - 1) : entry.count;
}

bool covers(const Region& outer, const Region& inner, std::uint32_t lo, std::uint32_t hi) {
  return !outer.pattern && outer.partition_step == 1 && outer.lo <= std::max(inner.lo, lo) && outer.hi >= std::min(inner.hi, hi) &&
         outer.first_partition <= inner.first_partition && outer.end_partition >= inner.end_partition;
}

bool same(const Region& a, const Region& b) {
  if (a.lo != b.lo || a.hi != b.hi || a.first_partition != b.first_partition || a.end_partition != b.end_partition) return false;
  if (a.partition_step != b.partition_step) return false;
  if (!a.pattern && !b.pattern) return true;
  return a.pattern && b.pattern && *a.pattern == *b.pattern;
}

/// Whether two steps of partitions meet; their ranges do.
bool steps_meet(const Region& a, const Region& b) {
  const Region& walked = a.partition_step >= b.partition_step ? a : b;
  const Region& other = &walked == &a ? b : a;
  for (std::uint32_t p = walked.first_partition; p < walked.end_partition; p += walked.partition_step) {
    if (p >= other.first_partition && p < other.end_partition && (p - other.first_partition) % other.partition_step == 0) return true;
  }
  return false;
}

Pattern as_pattern(const Region& r) {
  if (r.pattern) return *r.pattern;
  Pattern pattern;
  pattern.lo = r.lo;
  pattern.run = r.hi - r.lo;
  return pattern;
}

}  // namespace

void WaitSet::add(Actor actor, std::uint64_t count, StallReason reason, bool for_load) {
  for (std::size_t i = 0; i < size_; ++i) {
    Wait& wait = waits_[i];
    if (wait.actor != actor || wait.for_load != for_load) continue;
    if (count > wait.count) wait = make_wait(actor, count, static_cast<unsigned>(reason), for_load);
    return;
  }
  if (size_ == waits_.size()) throw InternalError("an instruction waits for more actors than a core has");
  waits_[size_++] = make_wait(actor, count, static_cast<unsigned>(reason), for_load);
}

bool overlap(const Region& a, const Region& b) {
  if (a.hi <= b.lo || b.hi <= a.lo) return false;
  if (a.end_partition <= b.first_partition || b.end_partition <= a.first_partition) return false;
  if ((a.partition_step != 1 || b.partition_step != 1) && !steps_meet(a, b)) return false;
  if (!a.pattern && !b.pattern) return true;
  return overlap(as_pattern(a), as_pattern(b));
}

AccessLedger::AccessLedger(std::uint64_t bytes_per_partition, std::uint32_t granule_bytes, const Progress& progress)
    : granule_bytes_(granule_bytes), progress_(&progress), granules_(ceil_div(bytes_per_partition, granule_bytes)) {}

void AccessLedger::read(const Region& region, const Access& access, WaitSet& waits) {
  const std::uint32_t last = (region.hi - 1) / granule_bytes_;
  for (std::uint32_t g = region.lo / granule_bytes_; g <= last; ++g) {
    Granule& granule = granules_[g];
    for (const Entry& entry : granule) {
      if (entry.write && overlap(entry.region, region)) waits.add(entry.actor, entry.count, read_reason(entry.actor), access.for_load);
    }
    remember(granule, region, access, false);
  }
}

void AccessLedger::write(const Region& region, const Access& access, WaitSet& waits) {
  const std::uint32_t last = (region.hi - 1) / granule_bytes_;
  for (std::uint32_t g = region.lo / granule_bytes_; g <= last; ++g) {
    Granule& granule = granules_[g];
    const std::uint32_t lo = g * granule_bytes_;
    const auto superseded = [&](const Entry& entry) {
      if (!overlap(entry.region, region)) return false;
      if (!ordered_by_actor(entry.actor, entry.write, access.actor)) {
        waits.add(entry.actor, count_to_wait_for(entry, access), StallReason::WaitBuffer, access.for_load);
      }
      return covers(region, entry.region, lo, lo + granule_bytes_);
    };
    granule.erase(std::remove_if(granule.begin(), granule.end(), superseded), granule.end());
    remember(granule, region, access, true);
  }
}

void AccessLedger::remember(Granule& granule, const Region& region, const Access& access, bool write) {
  for (Entry& entry : granule) {
    if (entry.actor == access.actor && entry.write == write && same(entry.region, region)) {
      entry.count = access.count;
      return;
    }
  }
  if (granule.size() >= kGranuleLimit) forget_settled(granule);
  granule.push_back({region, access.count, access.actor, write});
}

void AccessLedger::forget_settled(Granule& granule) const {
  granule.erase(std::remove_if(granule.begin(), granule.end(), [&](const Entry& e) { return e.count <= progress_->settled(e.actor); }),
                granule.end());
}

void TensorLedger::read(const Pattern& pattern, const Access& access, const Progress& progress, WaitSet& waits) {
  for (const Entry& entry : entries_) {
    if (entry.write && overlap(entry.pattern, pattern)) waits.add(entry.actor, entry.count, read_reason(entry.actor), access.for_load);
  }
  remember(pattern, access, false, progress);
}

void TensorLedger::write(const Pattern& pattern, const Access& access, const Progress& progress, WaitSet& waits) {
  for (const Entry& entry : entries_) {
    if (!ordered_by_actor(entry.actor, entry.write, access.actor) && overlap(entry.pattern, pattern)) {
      waits.add(entry.actor, count_to_wait_for(entry, access), StallReason::WaitBuffer, access.for_load);
    }
  }
  remember(pattern, access, true, progress);
}

void TensorLedger::remember(const Pattern& pattern, const Access& access, bool write, const Progress& progress) {
  if (entries_.size() >= limit_) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.count <= progress.settled(e.actor); }),
                   entries_.end());
    limit_ = std::max<std::size_t>(64, 2 * entries_.size());
  }
  entries_.push_back({pattern, access.count, access.actor, write});
}

}  // namespace trnsim
