// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/tile_allocator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trnsim/error.hpp"
#include "trnsim/units.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kListedTiles = 12;

std::string at_line(std::uint32_t line) { return line == 0 ? std::string{} : fmt::format("line {}: ", line); }

}  // namespace

TileAllocator::TileAllocator(Buffer buffer, std::uint64_t bytes_per_partition, std::uint32_t bank_bytes, std::uint32_t partitions)
    : buffer_(buffer),
      capacity_(bytes_per_partition),
      bank_bytes_(bank_bytes),
      quarter_(std::max(1U, partitions / 4)),
      ranges_{{partitions, 0, 0}} {}

std::uint32_t TileAllocator::quarters_of(const TensorInfo& tile) const {
  const std::uint32_t first = tile.partition / quarter_;
  const std::uint32_t last = (tile.partition + std::max<std::uint32_t>(tile.partitions, 1) - 1) / quarter_;
  std::uint32_t quarters = 0;
  for (std::uint32_t q = first; q <= std::min(last, 3U); ++q) quarters |= 1U << q;
  return quarters;
}

std::uint32_t TileAllocator::place(TensorId id, const TensorInfo& tile, std::uint32_t line) {
  const std::uint64_t size = std::max<std::uint64_t>(tile.bytes_per_partition, 1);
  std::uint64_t at = 0;
  if (tile.address >= 0) {
    at = static_cast<std::uint64_t>(tile.address);
    if (at + size > capacity_) overflow(tile, line);
  } else if (!find_any(tile, at)) {
    overflow(tile, line);
  }
  if (tile.address < 0) cursor_ = at + size < capacity_ ? at + size : 0;
  insert({at, at + size, quarters_of(tile), tile.partition, std::uint32_t{tile.partition} + tile.partitions, id, tile.name,
          size * tile.partitions});
  return static_cast<std::uint32_t>(at);
}

bool TileAllocator::find_any(const TensorInfo& tile, std::uint64_t& at) const {
  const std::uint64_t size = std::max<std::uint64_t>(tile.bytes_per_partition, 1);
  const std::uint32_t quarters = quarters_of(tile);
  return find(cursor_, capacity_, size, quarters, at) || find(0, std::min(capacity_, cursor_ + size), size, quarters, at);
}

bool TileAllocator::fits(const TensorInfo& tile) const {
  std::uint64_t at = 0;
  return tile.address >= 0 || find_any(tile, at);
}

bool TileAllocator::find(std::uint64_t from, std::uint64_t to, std::uint64_t size, std::uint32_t quarters, std::uint64_t& at) const {
  const auto aligned = [&](std::uint64_t x) {
    if (bank_bytes_ == 0) return x;
    const std::uint64_t in_bank = x % bank_bytes_;
    return in_bank != 0 && in_bank + size > bank_bytes_ ? x - in_bank + bank_bytes_ : x;
  };
  std::uint64_t x = aligned(from);
  // A block that begins earlier than this ends before `from`.
  for (auto it = blocks_.lower_bound(from - std::min(from, longest_)); it != blocks_.end(); ++it) {
    const Block& block = it->second;
    if ((block.quarters & quarters) == 0 || block.hi <= x) continue;
    if (block.lo >= x + size) break;
    x = aligned(block.hi);
  }
  if (x + size > to) return false;
  at = x;
  return true;
}

void TileAllocator::insert(Block block) {
  live_bytes_ += block.bytes;
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  const std::size_t first = range_from(block.first), end = range_from(block.end);
  for (std::size_t i = first; i < end; ++i) {
    ranges_[i].live += block.hi - block.lo;
    ranges_[i].peak = std::max(ranges_[i].peak, ranges_[i].live);
  }
  longest_ = std::max(longest_, block.hi - block.lo);
  if (block.id >= lo_of_.size()) lo_of_.resize(block.id + 1);
  lo_of_[block.id] = block.lo;
  const std::uint64_t lo = block.lo;
  blocks_.emplace(lo, std::move(block));
}

std::size_t TileAllocator::range_from(std::uint32_t partition) {
  std::size_t i = 0;
  while (i < ranges_.size() && ranges_[i].end <= partition) ++i;
  const std::uint32_t begin = i == 0 ? 0 : ranges_[i - 1].end;
  if (i == ranges_.size() || begin == partition) return i;
  Range before = ranges_[i];
  before.end = partition;
  ranges_.insert(ranges_.begin() + static_cast<std::ptrdiff_t>(i), before);
  return i + 1;
}

std::uint64_t TileAllocator::peak_bytes_per_partition() const { return std::ranges::max_element(ranges_, {}, &Range::peak)->peak; }

void TileAllocator::release(TensorId id) {
  auto [it, end] = id < lo_of_.size() ? blocks_.equal_range(lo_of_[id]) : std::pair(blocks_.end(), blocks_.end());
  while (it != end && it->second.id != id) ++it;
  if (it == end) throw InternalError(fmt::format("release of tile {} that is not alive in {}", id, name_of(buffer_)));
  const Block& block = it->second;
  live_bytes_ -= block.bytes;
  for (std::size_t i = range_from(block.first), last = range_from(block.end); i < last; ++i) ranges_[i].live -= block.hi - block.lo;
  blocks_.erase(it);
}

void TileAllocator::reserve_top(std::uint64_t bytes, std::uint32_t line) {
  if (bytes >= capacity_) {
    throw ProgramError(fmt::format("{}software descriptors need {} bytes of each {} partition, which has {}", at_line(line), bytes,
                                   name_of(buffer_), capacity_));
  }
  const std::uint64_t limit = capacity_ - bytes;
  for (const auto& [lo, block] : blocks_) {
    if (block.hi > limit) {
      throw ProgramError(fmt::format(
          "{}software descriptors need the last {} bytes of each {} partition, where tile '{}' lies; addresses up to {} are free to use",
          at_line(line), bytes, name_of(buffer_), block.name, limit));
    }
  }
  capacity_ = limit;
  if (cursor_ >= capacity_) cursor_ = 0;
}

void TileAllocator::overflow(const TensorInfo& tile, std::uint32_t line) const {
  std::vector<const Block*> alive;
  std::uint64_t in_use = 0;
  const std::uint32_t quarters = quarters_of(tile);
  for (const auto& [lo, block] : blocks_) {
    if ((block.quarters & quarters) == 0) continue;
    alive.push_back(&block);
    in_use += block.hi - block.lo;
  }
  std::sort(alive.begin(), alive.end(), [](const Block* a, const Block* b) { return a->hi - a->lo > b->hi - b->lo; });
  std::string list;
  for (std::size_t i = 0; i < std::min(alive.size(), kListedTiles); ++i) {
    list += fmt::format("{}{} ({} B)", i == 0 ? "" : ", ", alive[i]->name, alive[i]->hi - alive[i]->lo);
  }
  if (alive.size() > kListedTiles) list += fmt::format(", and {} more", alive.size() - kListedTiles);
  const std::uint64_t last = tile.partition + std::max<std::uint32_t>(tile.partitions, 1) - 1;
  const std::string where = tile.address >= 0 ? fmt::format(" at address {}", tile.address) : std::string{};
  throw ProgramError(fmt::format(
      "{}tile '{}' asks for {} bytes{} in each of the {} partitions {}-{}; capacity is {} bytes per partition, {} are in use by: {}",
      at_line(line), tile.name, tile.bytes_per_partition, where, name_of(buffer_), tile.partition, last, capacity_, in_use,
      list.empty() ? "none" : list));
}

}  // namespace trnsim
