// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "trnsim/isa/instruction.hpp"
#include "trnsim/snapshot.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// The run as a row of completions: each instruction or copy that completes later than everything
/// before it moves the end of the run from there to its own completion, and that time is its line's.
///
/// Completions are announced ahead of simulated time, so they wait here for their turn. At most
/// `kMost` wait; beyond that the earliest is taken before its time, which may give the time of
/// one line to another but neither loses nor counts any twice.
class CompletionFrontier {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  /// A completion at `at`, announced at `now`; adds to `exposed_fs` in its turn.
  void complete(Time now, Time at, std::uint64_t& exposed_fs);
  /// Takes what is left; nothing counts beyond `end`.
  void finish(Time end);
  /// Latest completion taken.
  [[nodiscard]] Time reached() const { return reached_; }

 private:
  struct Waiting {
    std::uint64_t at, order;
    std::uint64_t* exposed_fs;
    /// The earliest is the top of the heap, the first announced among equals.
    bool operator<(const Waiting& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  void take_earliest(Time end);
  void advance(Time at, std::uint64_t& exposed_fs);

  std::vector<Waiting> waiting_;  ///< A heap.
  Time reached_;
  std::uint64_t order_ = 0;
};

/// What the lines of a kernel's source cost on one core. Line 0 stands for instructions without a place.
class SourceAccount {
 public:
  explicit SourceAccount(CompletionFrontier& frontier) : frontier_(&frontier) {}

  /// Counters of a line, by the number the planner gave it; they keep their address.
  SourceCounters& operator[](std::uint32_t line) {
    if (line >= lines_.size()) lines_.resize(line + std::size_t{1});
    return lines_[line];
  }
  void complete(Time now, Time at, std::uint32_t line) { frontier_->complete(now, at, (*this)[line].exposed_fs); }
  [[nodiscard]] const std::deque<SourceCounters>& lines() const { return lines_; }

 private:
  CompletionFrontier* frontier_;
  std::deque<SourceCounters> lines_;
};

}  // namespace trnsim
