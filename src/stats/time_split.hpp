// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>

#include "trnsim/snapshot.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Time account of one engine. Every cycle goes, in order, under busy, idle or one stall reason, so
/// that the parts add up by construction; a state may be booked ahead of simulated time.
class TimeSplit {
 public:
  /// First cycle that is not booked yet.
  [[nodiscard]] Cycles booked() const { return Cycles{booked_}; }
  /// Start of the segment booked last.
  [[nodiscard]] Cycles last_start() const { return Cycles{last_start_}; }

  /// Books everything up to `to`; nothing if that is booked already.
  void busy(Cycles to) { book(busy_, to); }
  void stall(StallReason reason, Cycles to) { book(stalls_[static_cast<std::size_t>(reason)], to); }
  void idle(Cycles to) { book(idle_, to); }

  /// Closes the account at `end`: what is left is idle. A segment that reaches beyond the end of a run
  /// that was stopped is cut there.
  EngineCounters finish(Cycles end) {
    if (booked_ > end.value) {
      *last_ -= booked_ - end.value;
      booked_ = end.value;
    }
    idle(end);
    EngineCounters counters;
    counters.elapsed_cycles = booked_;
    counters.busy_cycles = busy_;
    counters.idle_cycles = idle_;
    counters.stall_cycles = stalls_;
    return counters;
  }

 private:
  void book(std::uint64_t& account, Cycles to) {
    if (to.value <= booked_) return;
    account += to.value - booked_;
    last_ = &account;
    last_start_ = booked_;
    booked_ = to.value;
  }

  std::uint64_t booked_ = 0, last_start_ = 0;
  std::uint64_t busy_ = 0, idle_ = 0;
  std::array<std::uint64_t, kStallReasonCount> stalls_{};
  std::uint64_t* last_ = &idle_;
};

}  // namespace trnsim
