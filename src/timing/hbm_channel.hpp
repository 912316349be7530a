// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trnsim {

/// Slots of a pseudo-channel's request queue: when the request in each will leave. Times in femtoseconds.
class HbmQueue {
 public:
  explicit HbmQueue(std::uint32_t depth) : finish_(depth, 0) {}

  /// When a slot becomes free for the next request.
  [[nodiscard]] std::uint64_t free_at() const { return finish_[head_]; }
  /// The next request takes the slot that is free first and keeps it until `done`.
  void push(std::uint64_t done);
  /// Requests still in the queue just after `now`.
  [[nodiscard]] std::uint32_t waiting(std::uint64_t now) const;
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(finish_.size()); }

 private:
  std::vector<std::uint64_t> finish_;  ///< A ring that grows from head_ on.
  std::size_t head_ = 0;
};

/// Data bus of a pseudo-channel. A transfer takes the first idle interval that holds it, also one
/// that an earlier request had to leave while its bank opened a row. Transfers never overlap.
class HbmBus {
 public:
  explicit HbmBus(std::uint64_t burst) : burst_(burst) {}

  /// Reserves `length` after an idle `turn`, not before `earliest`; gives the begin of the data.
  std::uint64_t reserve(std::uint64_t earliest, std::uint64_t turn, std::uint64_t length);
  /// No later transfer will begin before `time`.
  void forget_before(std::uint64_t time) {
    if (!gaps_.empty() && gaps_.front().to < time + burst_) drop_before(time);
  }

 private:
  struct Gap {
    std::uint64_t from;
    std::uint64_t to;
  };

  std::uint64_t fill(std::size_t gap, std::uint64_t turn, std::uint64_t begin, std::uint64_t length);
  void drop_before(std::uint64_t time);

  std::uint64_t burst_;
  std::uint64_t tail_ = 0;  ///< End of the last transfer.
  std::vector<Gap> gaps_;   ///< Idle intervals before tail_, in order, each as long as a burst or longer.
};

/// Activates of a pseudo-channel: two of them tRRD apart, any five over more than tFAW. An activate
/// may overtake those that wait for their bank, but at most four.
class HbmActivates {
 public:
  HbmActivates(std::uint64_t rrd, std::uint64_t faw) : rrd_(static_cast<std::int64_t>(rrd)), faw_(static_cast<std::int64_t>(faw)) {
    last_.fill(kLongAgo);
  }

  /// Reserves the first possible activate at or after `earliest`.
  std::uint64_t reserve(std::uint64_t earliest);

 private:
  static constexpr std::int64_t kLongAgo = -(std::int64_t{1} << 62);
  static constexpr std::size_t kKept = 8;

  [[nodiscard]] std::int64_t place(std::int64_t earliest) const;
  [[nodiscard]] bool fits_before(std::size_t next, std::int64_t t) const;

  std::int64_t rrd_;
  std::int64_t faw_;
  std::array<std::int64_t, kKept> last_{};  ///< The latest activates, in order of time.
};

}  // namespace trnsim
