// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/tile_levels.hpp"

#include <algorithm>

namespace trnsim {

void TileLevels::place(TensorId id, const TensorInfo& info) {
  if (id >= tiles_.size()) tiles_.resize(id + std::size_t{1});
  tiles_[id] = std::make_shared<Tile>();
  tiles_[id]->name = info.name;
  tiles_[id]->psum = info.buffer == Buffer::Psum;
  tiles_[id]->bytes = static_cast<double>(info.bytes_per_partition) * info.partitions;
}

void TileLevels::release(TensorId id) {
  const Use tile = std::move(tiles_[id]);
  tile->released = true;
  if (tile->users == 0) count(*tile);
}

TileLevels::Use TileLevels::use(TensorId id) {
  if (id >= tiles_.size() || !tiles_[id]) return nullptr;
  ++tiles_[id]->users;
  return tiles_[id];
}

std::string_view TileLevels::name(TensorId id) const {
  return id < tiles_.size() && tiles_[id] ? std::string_view(tiles_[id]->name) : std::string_view("?");
}

void TileLevels::done(Tile& tile, Time from, Time until) {
  tile.first = tile.touched ? std::min(tile.first, from) : from;
  tile.last = std::max(tile.last, until);
  tile.touched = true;
  if (--tile.users == 0 && tile.released) count(tile);
}

void TileLevels::count(Tile& tile) {
  if (!tile.touched) return;
  changes_[tile.psum ? 1 : 0].add(tile.first, tile.bytes);
  if (tile.released) changes_[tile.psum ? 1 : 0].add(tile.last, -tile.bytes);
}

const std::array<TimeBins, 2>& TileLevels::changes() {
  for (const Use& tile : tiles_) {
    if (tile) count(*tile);
  }
  tiles_.clear();
  return changes_;
}

}  // namespace trnsim
