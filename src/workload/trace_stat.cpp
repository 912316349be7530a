// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <algorithm>

#include "trnsim/trace.hpp"
#include "workload/check.hpp"

namespace trnsim {
namespace {

/// Live tiles, by memory and partition.
class Occupancy {
 public:
  explicit Occupancy(TraceStatistics& to) : to_(&to) {}

  void add(TensorId id, const TensorInfo& tile) {
    if (id >= tiles_.size()) tiles_.resize(id + std::size_t{1});
    tiles_[id] = {tile.buffer, tile.partition, tile.partitions, tile.bytes_per_partition, false};
    const auto b = static_cast<std::size_t>(tile.buffer);
    live_[b] += bytes_of(tile);
    to_->peak_live_bytes[b] = std::max(to_->peak_live_bytes[b], live_[b]);
    for (std::size_t p = tile.partition; p < std::size_t{tile.partition} + tile.partitions; ++p) {
      if (p >= partitions_[b].size()) partitions_[b].resize(p + 1);
      partitions_[b][p] += tile.bytes_per_partition;
      to_->peak_live_bytes_per_partition[b] = std::max(to_->peak_live_bytes_per_partition[b], partitions_[b][p]);
    }
  }

  void use(TensorId id) {
    if (id < tiles_.size()) tiles_[id].used = true;
  }

  void remove(TensorId id) {
    if (id >= tiles_.size() || tiles_[id].partitions == 0) return;
    Tile& tile = tiles_[id];
    const auto b = static_cast<std::size_t>(tile.buffer);
    live_[b] -= std::uint64_t{tile.partitions} * tile.bytes;
    for (std::size_t p = tile.partition; p < std::size_t{tile.partition} + tile.partitions; ++p) partitions_[b][p] -= tile.bytes;
    finish(tile);
  }

  void finish() {
    for (Tile& tile : tiles_) finish(tile);
  }

 private:
  struct Tile {
    Buffer buffer = Buffer::Sbuf;
    std::uint16_t partition = 0, partitions = 0;
    std::uint32_t bytes = 0;
    bool used = false;
  };

  void finish(Tile& tile) {
    if (tile.partitions != 0 && !tile.used) ++to_->unused_tiles;
    tile.partitions = 0;
  }

  TraceStatistics* to_;
  std::vector<Tile> tiles_;
  std::array<std::uint64_t, 3> live_{};
  std::array<std::vector<std::uint64_t>, 3> partitions_;
};

void count(const Instruction& i, TraceStatistics& to, Occupancy& occupancy) {
  ++to.instructions;
  ++to.by_op[static_cast<std::size_t>(i.op)];
  ++to.by_engine[static_cast<std::size_t>(i.engine)];
  to.macs += macs_of(i);
  to.explicit_dependencies += i.after_count;
  i.for_each([&](const Operand& o, bool written) {
    occupancy.use(o.tensor);
    (written ? to.written_bytes : to.read_bytes)[static_cast<std::size_t>(o.buffer)] += o.bytes();
  });
  if (const Operand* source = i.find(Role::Src)) to.dma_bytes += source->bytes();
}

}  // namespace

TraceStatistics trace_statistics(Program& program) {
  TraceStatistics statistics;
  Occupancy occupancy(statistics);
  for (const TensorInfo& tensor : program.info().tensors)
    statistics.peak_live_bytes[static_cast<std::size_t>(Buffer::Hbm)] += bytes_of(tensor);
  while (const Record* record = program.next()) {
    switch (record->kind) {
      case Record::Kind::Instruction: count(record->instruction, statistics, occupancy); break;
      case Record::Kind::Tile:
        ++statistics.tiles;
        occupancy.add(record->tile, record->tensor);
        break;
      case Record::Kind::Release: occupancy.remove(record->tile); break;
    }
  }
  occupancy.finish();
  return statistics;
}

}  // namespace trnsim
