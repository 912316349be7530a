// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/copy_lanes.hpp"

#include <algorithm>
#include <utility>

namespace trnsim {

void RingLane::move(const MovedChunk& chunk) {
  if (open_.empty() || chunk.copy < open_.front().copy.copy) return;
  const std::uint64_t at = chunk.copy - open_.front().copy.copy;
  if (at >= open_.size() || open_[at].any_data) return;
  open_[at].first_data = chunk.from;
  open_[at].any_data = true;
}

void RingLane::complete(const CompletedCopy& copy) {
  Held held{open_.front(), copy, std::move(planned_.front()), {}};
  open_.pop_front();
  planned_.pop_front();
  held.planned.tiles.clear();
  held_.push_back(std::move(held));
  if (held_.size() <= kHeld) return;
  write(held_.front(), kForever);
  held_.pop_front();
}

bool RingLane::add_flow(std::uint64_t number, std::uint64_t flow) {
  if (held_.empty() || number < held_.front().done.copy || number > held_.back().done.copy || writer_->merge() > 1) return false;
  held_[number - held_.front().done.copy].flows.push_back(flow);
  return true;
}

RingLane::Track& RingLane::free_track(Time from) {
  const auto free = std::ranges::find_if(tracks_, [&](const Track& t) { return t.until <= from; });
  if (free != tracks_.end()) return *free;
  if (tracks_.size() == kMostTracks) return *std::ranges::min_element(tracks_, {}, &Track::until);
  return tracks_.emplace_back(Track{writer_->sink().track(group_, name_), Time{}});
}

void RingLane::write(const Held& held, Time end) {
  const TriggeredCopy& copy = held.open.copy;
  if (writer_->summary().cut || copy.triggered >= end) return;
  Track& track = free_track(copy.triggered);
  const TraceArg args[] = {{"bytes", copy.bytes, {}},
                           {"copy", copy.copy, {}},
                           {"engines", copy.engines, {}},
                           {"wait_ring_ps", (copy.front - copy.triggered).value / kFsPerPs, {}},
                           {"first_data_ps", (held.open.first_data - copy.triggered).value / kFsPerPs, {}},
                           {"last_data_ps", (held.done.last_data - copy.triggered).value / kFsPerPs, {}},
                           {"operands", 0, held.planned.operands},
                           {"source", 0, held.planned.source}};
  const std::size_t count = held.planned.source.empty() ? std::size(args) - 1 : std::size(args);
  const Time from = std::max(copy.triggered, track.until);
  track.until = std::max(from, std::min(held.done.usable, end));
  writer_->slice({track.id, from, track.until, info(held.planned.op).name, {args, count}, held.flows, {}});
}

void RingLane::finish(Time end) {
  for (const Held& held : held_) write(held, end);
  for (const Open& open : open_) {  // the run was stopped before they were complete
    CompletedCopy done;
    done.copy = open.copy.copy;
    done.usable = done.last_data = std::max(end, open.copy.triggered);
    Open started = open;
    if (!started.any_data) started.first_data = done.last_data;
    write({started, done, std::move(planned_.front()), {}}, end);
    planned_.pop_front();
  }
}

void WorkLane::add(const Piece& piece, std::string_view name, std::uint64_t longest_fs) {
  const std::uint64_t merge = writer_->merge();
  const bool fits = any_ && piece.from <= open_.until && (piece.kind == open_.kind || merge > 1) &&
                    piece.until.value - std::min(piece.until, open_.from).value <= longest_fs * merge;
  if (!fits) {
    write(kForever);
    open_ = piece;
    open_.from = any_ ? std::max(piece.from, open_.from) : piece.from;
    name_ = name;
    any_ = true;
    return;
  }
  open_.until = std::max(open_.until, piece.until);
  open_.read_bytes += piece.read_bytes;
  open_.write_bytes += piece.write_bytes;
  open_.busy_fs += piece.busy_fs;
}

void WorkLane::write(Time end) {
  if (!any_ || open_.from >= end) return;
  const Time until = std::max(open_.from, std::min(open_.until, end));
  TraceArg args[4];
  std::size_t count = 0;
  if (open_.read_bytes != 0) args[count++] = {"read_bytes", open_.read_bytes, {}};
  if (open_.write_bytes != 0) args[count++] = {"write_bytes", open_.write_bytes, {}};
  if (open_.busy_fs != 0) args[count++] = {"busy_fs", open_.busy_fs, {}};
  writer_->slice({track_, open_.from, until, name_, {args, count}, {}, {}});
}

void WorkLane::finish(Time end) {
  write(end);
  any_ = false;
}

}  // namespace trnsim
