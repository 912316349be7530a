// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "page/collected.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/totals.hpp"
#include "trnsim/error.hpp"

namespace trnsim {

void PageCollected::open(const ChipConfig& chip, std::size_t cores) {
  for (std::uint32_t number = 0; number < cores; ++number) {
    PageCore& core = cores_.emplace_back();
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      const auto kind = static_cast<EngineKind>(e);
      core.engines.push_back(&lanes_.emplace_back(number, std::string(name_of(kind)), Clock(clock_ghz(chip, kind))));
    }
  }
}

PageRing& PageCollected::ring(std::uint32_t core, std::uint8_t number) {
  PageRing& ring = cores_[core].rings[number];
  if (ring.lane == nullptr) ring.lane = &lanes_.emplace_back(core, fmt::format("ring {}", number), std::nullopt);
  return ring;
}

void PageCollected::add(PageLane& lane, const PageSlice& slice) {
  const std::size_t before = lane.slices().size();
  lane.add(slice);
  slices_ += lane.slices().size() - before;
  if (slices_ > budget_.slices) keep_budget();
}

void PageCollected::keep_budget() {
  const auto longest = std::ranges::max_element(lanes_, {}, [](const PageLane& lane) { return lane.slices().size(); });
  slices_ -= longest->slices().size();
  longest->to_bins();
}

void PageCollected::complete(PageRing& ring, Time usable) {
  if (ring.open.empty()) return;
  const PageRing::Open& copy = ring.open.front();
  const Time from = std::max(copy.triggered, ring.done);
  if (usable > from) add(*ring.lane, {from, usable, {}, copy.line, copy.kind});
  ring.done = std::max(ring.done, usable);
  ring.open.pop_front();
}

void PageCollected::finish(Time end, bool stopped) {
  end_ = end;
  stopped_ = stopped;
  for (PageCore& core : cores_) {
    for (auto& [number, ring] : core.rings) {
      while (!ring.open.empty()) complete(ring, end);
    }
  }
  for (PageLane& lane : lanes_) {
    const std::size_t before = lane.slices().size();
    lane.finish(end);
    slices_ += lane.slices().size() - before;
  }
  while (slices_ > budget_.slices) keep_budget();
}

std::vector<const PageLane*> PageCollected::lanes() const {
  std::vector<const PageLane*> all;
  for (std::uint32_t number = 0; number < cores_.size(); ++number) {
    for (const PageLane* engine : cores_[number].engines) all.push_back(engine);
    for (const auto& [ring, state] : cores_[number].rings) {
      if (state.lane != nullptr) all.push_back(state.lane);
    }
  }
  return all;
}

void check_lanes(PageCollected& collected, const Snapshot& snapshot) {
  for (const CoreSnapshot& core : snapshot.cores) {
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      const PageLane& lane = *collected.cores()[core.core].engines[e];
      std::uint64_t busy = 0;
      for (std::size_t kind = 0; kind < kFirstStall; ++kind) busy += lane.totals()[kind];
      bool same = busy == core.engines[e].busy_cycles;
      for (std::size_t r = 0; r < kStallReasonCount; ++r) same &= lane.totals()[kFirstStall + r] == core.engines[e].stall_cycles[r];
      if (same) continue;
      throw InternalError(fmt::format("page: the lane of core {} {} has {} busy cycles of {}, or other stalls than the account", core.core,
                                      lane.name(), busy, core.engines[e].busy_cycles));
    }
  }
}

}  // namespace trnsim
