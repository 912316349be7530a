// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>
#include <utility>

#include "page/collected.hpp"

namespace trnsim {
namespace {

double amount(Time from, Time until) { return static_cast<double>((until - from).value); }

TileUses tiles_of(const Instruction& instruction, TileLevels& levels) {
  TileUses uses;
  instruction.for_each([&](const Operand& operand, bool) {
    if (operand.buffer == Buffer::Hbm) return;
    if (TileLevels::Use use = levels.use(operand.tensor)) uses.push_back(std::move(use));
  });
  return uses;
}

}  // namespace

struct PageObserver::Impl {
  explicit Impl(const PageBudget& budget) : all(budget) {}
  void finish_tiles(const ExecutedInstruction& executed);
  PageCollected all;
};

PageObserver::PageObserver(const PageBudget& budget) : impl_(std::make_unique<Impl>(budget)) {}
PageObserver::~PageObserver() = default;

void PageObserver::begin(const ChipConfig& chip, const std::vector<const ProgramInfo*>& programs) {
  impl_->all.open(chip, programs.size());
}

void PageObserver::placed(const PlacedTile& tile, const TensorInfo& info) { impl_->all.cores()[tile.core].tiles.place(tile.tile, info); }
void PageObserver::released(std::uint32_t core, TensorId tile) { impl_->all.cores()[core].tiles.release(tile); }

void PageObserver::planned(const PlannedInstruction& planned, const Instruction& instruction) {
  PageCore& core = impl_->all.cores()[planned.core];
  TileUses uses = tiles_of(instruction, core.tiles);
  auto& queue = core.planned[static_cast<std::size_t>(planned.engine)];
  if (planned.copy == 0) {
    queue.push_back(std::move(uses));
    return;
  }
  queue.emplace_back();  // a copy holds its tiles until it is complete
  impl_->all.ring(planned.core, planned.ring).tiles.push_back(std::move(uses));
}

void PageObserver::Impl::finish_tiles(const ExecutedInstruction& e) {
  PageCore& core = all.cores()[e.core];
  auto& queue = core.planned[static_cast<std::size_t>(e.engine)];
  if (queue.empty()) return;
  for (const TileLevels::Use& tile : queue.front()) core.tiles.done(*tile, e.start, std::max(e.visible, e.free));
  queue.pop_front();
}

void PageObserver::executed(const ExecutedInstruction& e) {
  PageCollected& all = impl_->all;
  PageCore& core = all.cores()[e.core];
  const auto engine = static_cast<std::size_t>(e.engine);
  for (const ObservedInterval& i : e.intervals) {
    if (i.busy) all.activity().engine_busy[engine].add(i.from, i.until, amount(i.from, i.until));
    all.add(*core.engines[engine], {i.from, i.until, i.cycles, e.line, i.busy ? kind_of(e.op) : kind_of(i.reason)});
  }
  if (!e.started) return;
  if (e.array_until > e.array_from) {
    core.array.add(e.array_from, e.array_until, amount(e.array_from, e.array_until));
    all.activity().array.add(e.array_from, e.array_until, amount(e.array_from, e.array_until));
  }
  impl_->finish_tiles(e);
}

void PageObserver::triggered(const TriggeredCopy& copy) {
  impl_->all.ring(copy.core, copy.ring).open.push_back({copy.triggered, kind_of_copy(copy.from_hbm, copy.to_hbm), copy.line});
}

void PageObserver::moved(const MovedChunk& chunk) {
  impl_->all.activity().dma.add(chunk.from, chunk.from + chunk.engine_time, static_cast<double>(chunk.bytes));
}

void PageObserver::completed(const CompletedCopy& copy) {
  PageRing& ring = impl_->all.ring(copy.core, copy.ring);
  if (!ring.tiles.empty() && !ring.open.empty()) {
    for (const TileLevels::Use& tile : ring.tiles.front())
      impl_->all.cores()[copy.core].tiles.done(*tile, ring.open.front().triggered, copy.usable);
    ring.tiles.pop_front();
  }
  impl_->all.complete(ring, copy.usable);
}

void PageObserver::accessed(const HbmAccess& access) {
  Activity& activity = impl_->all.activity();
  (access.write ? activity.hbm_write : activity.hbm_read).add(access.at, access.done, access.bytes);
}

void PageObserver::end(const Snapshot& snapshot) { impl_->all.finish(Time{snapshot.end_fs}, !snapshot.truncated.empty()); }

std::string PageObserver::timeline(const Result& result) {
  check_lanes(impl_->all, result.snapshot);
  return timeline_json(impl_->all, result);
}

}  // namespace trnsim
