// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "trnsim/snapshot.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// What an engine's time account books in one go.
struct BookedInterval {
  bool busy = false;
  StallReason reason = StallReason::Issue;  ///< Unless busy.
  Cycles from, to;
};

/// Time account of one engine. Every cycle goes, in order, under busy, idle or one stall reason, so
/// that the parts add up by construction; a state may be booked ahead of simulated time.
class TimeSplit {
 public:
  /// First cycle that is not booked yet.
  [[nodiscard]] Cycles booked() const { return Cycles{booked_}; }
  /// Start of the segment booked last.
  [[nodiscard]] Cycles last_start() const { return Cycles{last_start_}; }

  /// What is booked from now on is time of this line of the source too; null for none.
  void charge(SourceEngineTime* line) { line_ = line; }

  /// Busy and stalled time booked from now on is added to the list too; null for none.
  void record(std::vector<BookedInterval>* to) { record_ = to; }

  /// Books everything up to `to`; nothing if that is booked already.
  void busy(Cycles to) { book(kBusy, to); }
  void stall(StallReason reason, Cycles to) { book(static_cast<std::size_t>(reason), to); }
  void idle(Cycles to) { book(kIdle, to); }

  /// Closes the account at `end`: what is left is idle. Segments that reach beyond the end of a run
  /// that was stopped are cut there, the latest first.
  EngineCounters finish(Cycles end) {
    cut(end.value);
    line_ = nullptr;
    record_ = nullptr;
    idle(end);
    EngineCounters counters;
    counters.elapsed_cycles = booked_;
    counters.busy_cycles = accounts_[kBusy];
    counters.idle_cycles = accounts_[kIdle];
    std::copy_n(accounts_.begin(), kStallReasonCount, counters.stall_cycles.begin());
    return counters;
  }

 private:
  static constexpr std::size_t kBusy = kStallReasonCount, kIdle = kStallReasonCount + 1, kAccounts = kStallReasonCount + 2;
  /// Segments remembered: one instruction books up to five, and only the end of a run cuts any.
  static constexpr std::size_t kHistory = 16;

  struct Segment {
    std::uint64_t cycles = 0;
    std::size_t account = kIdle;
    SourceEngineTime* line = nullptr;
  };

  static std::uint64_t& of_line(SourceEngineTime& line, std::size_t account) {
    return account == kBusy ? line.busy_cycles : line.stall_cycles[account];
  }

  void book(std::size_t account, Cycles to) {
    if (to.value <= booked_) return;
    accounts_[account] += to.value - booked_;
    if (line_ != nullptr) of_line(*line_, account) += to.value - booked_;
    history_[newest_ = (newest_ + 1) % kHistory] = {to.value - booked_, account, line_};
    if (record_ != nullptr && account != kIdle)
      record_->push_back({account == kBusy, static_cast<StallReason>(account), Cycles{booked_}, to});
    last_start_ = booked_;
    booked_ = to.value;
  }

  void cut(std::uint64_t end) {
    const auto take = [&](std::size_t account, std::uint64_t most, SourceEngineTime* line) {
      const std::uint64_t cycles = std::min({booked_ > end ? booked_ - end : 0, most, accounts_[account]});
      accounts_[account] -= cycles;
      booked_ -= cycles;
      if (line != nullptr) of_line(*line, account) -= cycles;
    };
    for (std::size_t i = 0; i < kHistory; ++i) {
      const Segment& segment = history_[(newest_ + kHistory - i) % kHistory];
      take(segment.account, segment.cycles, segment.line);
    }
    for (std::size_t account = kAccounts; account-- > 0;)
      take(account, accounts_[account], nullptr);  // booked further ahead than remembered
  }

  std::uint64_t booked_ = 0, last_start_ = 0;
  std::array<std::uint64_t, kAccounts> accounts_{};
  std::array<Segment, kHistory> history_{};
  std::size_t newest_ = 0;
  SourceEngineTime* line_ = nullptr;
  std::vector<BookedInterval>* record_ = nullptr;
};

}  // namespace trnsim
