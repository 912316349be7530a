// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// Places the tiles of one on-chip memory by lifetime.
///
/// Next fit: the search starts where the last one ended, so that space is reused as late as possible
/// and a new tile seldom has to wait for the readers of an old one. Tiles on different quarters of the
/// partitions may share byte addresses. A tile of at most one bank never crosses a bank border.
class TileAllocator {
 public:
  /// `bank_bytes` 0 means no banks. `partitions` of the memory, a multiple of 4.
  TileAllocator(Buffer buffer, std::uint64_t bytes_per_partition, std::uint32_t bank_bytes, std::uint32_t partitions);

  /// Byte address in its partitions. Throws ProgramError with the tiles alive if there is no room.
  std::uint32_t place(TensorId id, const TensorInfo& tile, std::uint32_t line);
  /// Whether there is room for it. One with an address of its own always fits.
  [[nodiscard]] bool fits(const TensorInfo& tile) const;
  /// Whether the two could lie at one byte address.
  [[nodiscard]] bool share_partitions(const TensorInfo& a, const TensorInfo& b) const { return (quarters_of(a) & quarters_of(b)) != 0; }
  void release(TensorId id);
  /// Takes `bytes` from the end of every partition, for software descriptors.
  void reserve_top(std::uint64_t bytes, std::uint32_t line);

  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_bytes_; }
  /// Partitions [previous end, end) and the sum of the tiles that are alive in each of them.
  struct Range {
    std::uint32_t end = 0;
    std::uint64_t live = 0, peak = 0;
  };
  /// In the order of the partitions, all of them.
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  [[nodiscard]] std::uint64_t peak_bytes_per_partition() const;
  [[nodiscard]] std::uint64_t capacity_per_partition() const { return capacity_; }

 private:
  struct Block {
    std::uint64_t lo = 0, hi = 0;
    std::uint32_t quarters;    ///< Bit set of the quarters of the partitions it occupies.
    std::uint32_t first, end;  ///< The partitions themselves.
    TensorId id;
    std::string name;
    std::uint64_t bytes;  ///< All partitions.
  };
  [[nodiscard]] std::uint32_t quarters_of(const TensorInfo& tile) const;
  [[nodiscard]] bool find_any(const TensorInfo& tile, std::uint64_t& at) const;
  [[nodiscard]] bool find(std::uint64_t from, std::uint64_t to, std::uint64_t size, std::uint32_t quarters, std::uint64_t& at) const;
  void insert(Block block);
  /// Number of the range that begins at `partition`, cut out of the one that holds it.
  std::size_t range_from(std::uint32_t partition);
  [[noreturn]] void overflow(const TensorInfo& tile, std::uint32_t line) const;

  Buffer buffer_;
  std::uint64_t capacity_;
  std::uint64_t bank_bytes_;
  std::uint32_t quarter_;
  std::uint64_t cursor_ = 0;
  std::multimap<std::uint64_t, Block> blocks_;  ///< By lo.
  std::vector<std::uint64_t> lo_of_;            ///< By id, valid while the tile is alive.
  std::uint64_t longest_ = 0;                   ///< No block is longer.
  std::uint64_t live_bytes_ = 0, peak_bytes_ = 0;
  std::vector<Range> ranges_;
};

}  // namespace trnsim
