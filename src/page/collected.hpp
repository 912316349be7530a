// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "page/lane.hpp"
#include "timeline/counters.hpp"
#include "timeline/tile_levels.hpp"
#include "trnsim/observer.hpp"
#include "trnsim/page.hpp"

namespace trnsim {

/// Tiles that an instruction or a copy touches, until it is done.
using TileUses = std::vector<TileLevels::Use>;

/// Copies of a ring that are under way. Its lane shows the oldest of them at each moment: they complete in order.
struct PageRing {
  struct Open {
    Time triggered;
    PageKind kind = 0;
    std::uint32_t line = 0;
  };

  PageLane* lane = nullptr;
  std::deque<Open> open;
  std::deque<TileUses> tiles;  ///< Of the copies that are not complete, planned ones too.
  Time done;                   ///< Of the last complete one.
};

struct PageCore {
  std::vector<PageLane*> engines;                          ///< By EngineKind.
  std::array<std::deque<TileUses>, kEngineCount> planned;  ///< Not executed yet.
  std::map<std::uint8_t, PageRing> rings;
  TileLevels tiles;
  TimeBins array;  ///< fs with moving data.
};

/// All that an observer has of a run.
class PageCollected {
 public:
  explicit PageCollected(const PageBudget& budget) : budget_(budget) {}

  void open(const ChipConfig& chip, std::size_t cores);
  PageRing& ring(std::uint32_t core, std::uint8_t number);
  /// Gives bins to the lane with the most slices when they are more than the budget.
  void add(PageLane& lane, const PageSlice& slice);
  /// Lets go of the oldest copy, which is done.
  void complete(PageRing& ring, Time usable);
  /// `stopped`: before the end of the program.
  void finish(Time end, bool stopped);

  [[nodiscard]] const PageBudget& budget() const { return budget_; }
  [[nodiscard]] std::deque<PageCore>& cores() { return cores_; }
  /// Engines and then rings of each core.
  [[nodiscard]] std::vector<const PageLane*> lanes() const;
  [[nodiscard]] Activity& activity() { return activity_; }
  [[nodiscard]] Time end() const { return end_; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  void keep_budget();

  PageBudget budget_;
  std::deque<PageLane> lanes_;
  std::deque<PageCore> cores_;
  Activity activity_;
  std::size_t slices_ = 0;  ///< Exact ones of all lanes.
  Time end_;
  bool stopped_ = false;
};

/// InternalError unless the lane of each engine adds up to its account.
void check_lanes(PageCollected& collected, const Snapshot& snapshot);

std::string timeline_json(PageCollected& collected, const Result& result);

}  // namespace trnsim
