// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/hbm_channel.hpp"

#include <algorithm>

namespace trnsim {

void HbmQueue::push(std::uint64_t done) {
  const std::size_t last = finish_.size() - 1;
  std::size_t at = head_;  // the slot that became free is the end of the ring once the head has moved on
  head_ = head_ == last ? 0 : head_ + 1;
  while (at != head_) {
    const std::size_t before = at == 0 ? last : at - 1;
    if (finish_[before] <= done) break;
    finish_[at] = finish_[before];
    at = before;
  }
  finish_[at] = done;
}

std::uint32_t HbmQueue::waiting(std::uint64_t now) const {
  const auto head = finish_.begin() + static_cast<std::ptrdiff_t>(head_);
  const auto later = [now](auto from, auto to) { return to - std::upper_bound(from, to, now); };
  return static_cast<std::uint32_t>(later(head, finish_.end()) + later(finish_.begin(), head));
}

std::uint64_t HbmBus::reserve(std::uint64_t earliest, std::uint64_t turn, std::uint64_t length) {
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    const std::uint64_t begin = std::max(earliest, gaps_[i].from + turn);
    if (begin + length <= gaps_[i].to) return fill(i, turn, begin, length);
  }
  const std::uint64_t begin = std::max(earliest, tail_ + turn);
  if (begin - turn >= tail_ + burst_) gaps_.push_back({tail_, begin - turn});
  tail_ = begin + length;
  return begin;
}

std::uint64_t HbmBus::fill(std::size_t gap, std::uint64_t turn, std::uint64_t begin, std::uint64_t length) {
  const auto at = gaps_.begin() + static_cast<std::ptrdiff_t>(gap);
  const Gap before{at->from, begin - turn};
  const Gap after{begin + length, at->to};
  const bool keep_before = before.to >= before.from + burst_;
  const bool keep_after = after.to >= after.from + burst_;
  if (keep_before && keep_after) {
    *at = after;
    gaps_.insert(at, before);
  } else if (keep_before || keep_after) {
    *at = keep_before ? before : after;
  } else {
    gaps_.erase(at);
  }
  return begin;
}

void HbmBus::drop_before(std::uint64_t time) {
  const auto useful = [&](const Gap& g) { return g.to >= time + burst_; };
  gaps_.erase(gaps_.begin(), std::find_if(gaps_.begin(), gaps_.end(), useful));
}

std::uint64_t HbmActivates::reserve(std::uint64_t earliest) {
  const auto own = static_cast<std::int64_t>(earliest);
  const bool newest = own >= last_.back();
  const std::int64_t t = newest ? std::max({own, last_[kKept - 1] + rrd_, last_[kKept - 4] + faw_}) : place(own);
  const auto at = newest ? last_.end() : std::upper_bound(last_.begin(), last_.end(), t);
  std::move(last_.begin() + 1, at, last_.begin());
  *(at - 1) = t;
  return static_cast<std::uint64_t>(t);
}

/// First time from `earliest` on between the kept activates or after them.
std::int64_t HbmActivates::place(std::int64_t earliest) const {
  std::int64_t t = std::max(earliest, last_[kKept - 5]);
  for (;;) {
    const auto next = static_cast<std::size_t>(std::upper_bound(last_.begin(), last_.end(), t) - last_.begin());
    const std::int64_t own = std::max({t, last_[next - 1] + rrd_, last_[next - 4] + faw_});
    if (next == kKept) return own;
    if (own < last_[next] && fits_before(next, own)) return own;
    t = last_[next];
  }
}

/// True if an activate at `t` just before the kept one `next` leaves that one and its followers legal.
bool HbmActivates::fits_before(std::size_t next, std::int64_t t) const {
  if (last_[next] - t < rrd_) return false;
  for (std::size_t i = next; i < kKept && i < next + 4; ++i) {
    const std::int64_t fourth_before = i == next + 3 ? t : last_[i - 3];
    if (last_[i] - fourth_before < faw_) return false;
  }
  return true;
}

}  // namespace trnsim
