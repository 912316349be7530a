// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/race_ledger.hpp"

#include <algorithm>

namespace trnsim {
namespace {

constexpr std::size_t kMostInGranule = 2048, kMostInTensor = 16384;

template <class Granule, class Gone>
void drop(Granule& granule, Gone gone) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < granule.entries.size(); ++k) {
    if (gone(granule.entries[k])) continue;
    if (kept != k) {
      granule.entries[kept] = granule.entries[k];
      granule.hulls[kept] = granule.hulls[k];
    }
    ++kept;
  }
  granule.entries.resize(kept);
  granule.hulls.resize(kept);
}

}  // namespace

RaceLedger::RaceLedger(std::uint64_t bytes, std::uint64_t granule_bytes)
    : granule_bytes_(granule_bytes),
      most_(granule_bytes == 0 ? kMostInTensor : kMostInGranule),
      granules_(granule_bytes == 0 ? 1 : (bytes + granule_bytes - 1) / granule_bytes) {}

std::pair<std::size_t, std::size_t> RaceLedger::granules_of(const Footprint& footprint) const {
  if (granule_bytes_ == 0) return {0, 0};
  const std::size_t last = granules_.size() - 1;
  return {std::min<std::size_t>(footprint.pattern.lo / granule_bytes_, last),
          std::min<std::size_t>((hull_end(footprint) - 1) / granule_bytes_, last)};
}

bool RaceLedger::add(const Footprint& footprint, const Toucher& by, const WaitClocks& clocks) {
  bool complete = true;
  const auto [first, last] = granules_of(footprint);
  const std::uint64_t end = hull_end(footprint);
  for (std::size_t g = first; g <= last; ++g) {
    Granule& granule = granules_[g];
    const std::uint64_t lo = g * granule_bytes_, hi = granule_bytes_ == 0 ? ~std::uint64_t{0} : lo + granule_bytes_;
    bool known = false;
    for (std::size_t k = 0; k < granule.entries.size() && !known && !by.write; ++k) {
      Entry& entry = granule.entries[k];
      known = granule.hulls[k].begin == footprint.pattern.lo && entry.by.completion.actor == by.completion.actor && !entry.by.write &&
              entry.footprint == footprint;
      if (known) entry.by = by;  // the later of two reads stands for both
    }
    if (known) continue;
    if (by.write) {
      drop(granule, [&](const Entry& entry) {
        return entry.footprint.pattern.lo < end && footprint.pattern.lo < hull_end(entry.footprint) &&
               overlap(entry.footprint, footprint) && covers(footprint, entry.footprint, lo, hi);
      });
    }
    if (granule.entries.size() >= granule.limit) complete = make_room(granule, clocks) && complete;
    granule.entries.push_back({footprint, by});
    granule.hulls.push_back({footprint.pattern.lo, end});
  }
  return complete;
}

bool RaceLedger::make_room(Granule& granule, const WaitClocks& clocks) const {
  drop(granule, [&](const Entry& entry) { return clocks.settled(entry.by.completion); });
  const bool complete = granule.entries.size() < most_;
  if (!complete) {
    const auto half = static_cast<std::ptrdiff_t>(granule.entries.size() / 2);
    granule.entries.erase(granule.entries.begin(), granule.entries.begin() + half);
    granule.hulls.erase(granule.hulls.begin(), granule.hulls.begin() + half);
  }
  granule.limit = std::clamp<std::size_t>(2 * granule.entries.size(), 64, most_);
  return complete;
}

}  // namespace trnsim
