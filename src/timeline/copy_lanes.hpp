// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "timeline/tile_levels.hpp"
#include "timeline/writer.hpp"
#include "trnsim/observer.hpp"

namespace trnsim {

/// Slices of one DMA ring: each copy from its doorbell to its completion. Copies of a ring overlap, so that
/// it has as many tracks of one name as copies are under way at once.
class RingLane {
 public:
  RingLane(TimelineWriter& writer, TrackId group, std::string name) : writer_(&writer), group_(group), name_(std::move(name)) {}

  struct Planned {
    Opcode op = Opcode::DmaCopy;
    std::string operands, source;
    std::vector<TileLevels::Use> tiles;
  };
  void plan(Planned copy) { planned_.push_back(std::move(copy)); }
  void trigger(const TriggeredCopy& copy) { open_.push_back({copy, Time{}, false}); }
  void move(const MovedChunk& chunk);
  /// Of the copy that completes next: its start and the tiles that it touches.
  [[nodiscard]] std::pair<Time, const std::vector<TileLevels::Use>&> front_tiles() const {
    return {open_.front().copy.triggered, planned_.front().tiles};
  }
  void complete(const CompletedCopy& copy);
  /// Begins an arrow at a copy; false if it is written already.
  bool add_flow(std::uint64_t number, std::uint64_t flow);
  void finish(Time end);

 private:
  static constexpr std::size_t kHeld = 256, kMostTracks = 64;
  struct Open {
    TriggeredCopy copy;
    Time first_data;
    bool any_data;
  };
  struct Held {
    Open open;
    CompletedCopy done;
    Planned planned;
    std::vector<std::uint64_t> flows;
  };
  struct Track {
    TrackId id;
    Time until;
  };
  void write(const Held& held, Time end);
  Track& free_track(Time from);

  TimelineWriter* writer_;
  TrackId group_;
  std::string name_;
  std::deque<Planned> planned_;
  std::deque<Open> open_;
  std::deque<Held> held_;
  std::vector<Track> tracks_;
};

/// Slices of what a DMA engine or an HBM stack does: work without a pause and of one kind is one slice.
class WorkLane {
 public:
  WorkLane(TimelineWriter& writer, TrackId track) : writer_(&writer), track_(track) {}

  struct Piece {
    Time from, until;
    std::uint64_t kind = 0;  ///< Pieces of another kind do not share a slice, unless slices are merged.
    std::uint64_t read_bytes = 0, write_bytes = 0, busy_fs = 0;
  };
  void add(const Piece& piece, std::string_view name, std::uint64_t longest_fs);
  void finish(Time end);

 private:
  void write(Time end);

  TimelineWriter* writer_;
  TrackId track_;
  Piece open_;
  std::string_view name_;
  bool any_ = false;
};

}  // namespace trnsim
