// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "page/lane.hpp"

#include <algorithm>

#include "timeline/engine_lane.hpp"

namespace trnsim {

void PageLane::add(const PageSlice& slice) {
  if (held_.size() == kHeld) {
    keep(held_.front());
    held_.pop_front();
  }
  held_.push_back(slice);
}

void PageLane::keep(const PageSlice& slice) {
  totals_[slice.kind] += clock_ ? slice.cycles.value : (slice.until - slice.from).value;
  ++count_;
  if (binned()) {
    put_in_bins(slice);
  } else {
    slices_.push_back(slice);
  }
}

void PageLane::put_in_bins(const PageSlice& slice) {
  bins_[slice.kind].add(slice.from, slice.until, static_cast<double>((slice.until - slice.from).value));
}

void PageLane::to_bins() {
  if (binned()) return;
  bins_.resize(kPageKindCount);
  for (const PageSlice& slice : slices_) put_in_bins(slice);
  slices_ = {};
}

bool PageLane::cut(PageSlice& slice, Time end) const {
  if (!clock_) {
    slice.until = std::min(slice.until, end);
    return slice.until > slice.from;
  }
  ObservedInterval interval;
  interval.cycles = slice.cycles;
  interval.from = slice.from;
  interval.until = slice.until;
  if (!cut_at(interval, *clock_, end)) return false;
  slice.cycles = interval.cycles;
  slice.until = interval.until;
  return true;
}

void PageLane::finish(Time end) {
  for (PageSlice& slice : held_) {
    if (cut(slice, end)) keep(slice);
  }
  held_.clear();
}

}  // namespace trnsim
