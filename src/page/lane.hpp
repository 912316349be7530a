// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "page/kinds.hpp"
#include "timeline/time_bins.hpp"
#include "timing/clock.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

struct PageSlice {
  Time from, until;
  Cycles cycles;  ///< Of the engine's account.
  std::uint32_t line = 0;
  PageKind kind = 0;
};

/// What one engine or ring did over time: slices as they are, or amounts in bins, whose sums are the same.
///
/// The last slices are held back, since only at the end it is known where a run that was stopped has to be cut.
class PageLane {
 public:
  /// A lane of an engine has its clock.
  PageLane(std::uint32_t core, std::string name, std::optional<Clock> clock) : core_(core), name_(std::move(name)), clock_(clock) {}

  /// In the order of time; slices do not overlap.
  void add(const PageSlice& slice);
  /// Nothing comes any more; what lies after the end is cut off.
  void finish(Time end);
  /// Gives the slices up for bins.
  void to_bins();

  [[nodiscard]] bool binned() const { return !bins_.empty(); }
  /// Exact ones that are kept.
  [[nodiscard]] const std::vector<PageSlice>& slices() const { return slices_; }
  /// fs of a kind over time, of a lane of bins.
  [[nodiscard]] const TimeBins& amounts(std::size_t kind) const { return bins_[kind]; }
  /// Cycles by kind; of a ring fs.
  [[nodiscard]] const std::array<std::uint64_t, kPageKindCount>& totals() const { return totals_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint32_t core() const { return core_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::optional<Clock>& clock() const { return clock_; }

 private:
  static constexpr std::size_t kHeld = 256;

  void keep(const PageSlice& slice);
  void put_in_bins(const PageSlice& slice);
  bool cut(PageSlice& slice, Time end) const;

  std::uint32_t core_;
  std::string name_;
  std::optional<Clock> clock_;
  std::deque<PageSlice> held_;
  std::vector<PageSlice> slices_;
  std::vector<TimeBins> bins_;  ///< By kind; empty while slices are kept.
  std::array<std::uint64_t, kPageKindCount> totals_{};
  std::uint64_t count_ = 0;
};

}  // namespace trnsim
