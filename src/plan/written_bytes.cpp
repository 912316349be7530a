// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/written_bytes.hpp"

#include <algorithm>
#include <bit>

namespace trnsim {
namespace {

constexpr std::uint64_t kWord = 64;

/// Bits [from, to) of one word.
std::uint64_t mask(std::uint64_t from, std::uint64_t to) {
  const std::uint64_t high = to == kWord ? ~std::uint64_t{0} : (std::uint64_t{1} << to) - 1;
  return high & ~((std::uint64_t{1} << from) - 1);
}

/// Calls `f(from, to)` for each run of a pattern until one returns false.
template <class F>
bool for_each_run(const Pattern& p, unsigned level, std::uint64_t at, F& f) {
  if (level == 0) return f(at, at + p.run);
  for (std::uint64_t i = 0; i < p.outer[level - 1].count; ++i) {
    if (!for_each_run(p, level - 1, at + i * p.outer[level - 1].stride, f)) return false;
  }
  return true;
}

}  // namespace

WrittenBytes::WrittenBytes(std::uint32_t first_partition, std::uint32_t partitions, std::uint64_t address, std::uint64_t bytes)
    : first_partition_(first_partition), partitions_(partitions), address_(address), bytes_(bytes) {}

bool WrittenBytes::whole(const Footprint& f) const {
  return f.pattern.dense() && f.pattern.lo <= address_ && f.pattern.hi() >= address_ + bytes_ && f.partition_step == 1 &&
         f.first_partition <= first_partition_ && f.end_partition >= first_partition_ + partitions_;
}

void WrittenBytes::write(const Footprint& footprint) {
  const std::uint64_t all = bytes_ * partitions_;
  if (written_ == all) return;
  if (!whole(footprint)) {
    if (bits_.empty()) bits_.assign((all + kWord - 1) / kWord, 0);
    const std::uint32_t end = std::min(footprint.end_partition, first_partition_ + partitions_);
    for (std::uint32_t p = footprint.first_partition; p < end; p += footprint.partition_step) {
      if (p < first_partition_) continue;
      const std::uint64_t row = (p - first_partition_) * bytes_;
      auto mark = [&](std::uint64_t from, std::uint64_t to) {
        from = std::max(from, address_), to = std::min(to, address_ + bytes_);
        if (from < to) set(row + from - address_, row + to - address_);
        return true;
      };
      for_each_run(footprint.pattern, footprint.pattern.rank, footprint.pattern.lo, mark);
    }
    if (written_ < all) return;
  }
  written_ = all;
  bits_ = {};
}

std::optional<WrittenBytes::Place> WrittenBytes::unwritten(const Footprint& footprint) const {
  if (written_ == bytes_ * partitions_) return std::nullopt;
  std::optional<Place> missing;
  for (std::uint32_t p = footprint.first_partition; p < footprint.end_partition && !missing; p += footprint.partition_step) {
    const std::uint64_t row = (p - first_partition_) * bytes_;
    auto look = [&](std::uint64_t from, std::uint64_t to) {
      const std::uint64_t clear = first_clear(row + from - address_, row + to - address_);
      if (clear == row + to - address_) return true;
      missing = Place{p, clear - row};
      return false;
    };
    for_each_run(footprint.pattern, footprint.pattern.rank, footprint.pattern.lo, look);
  }
  return missing;
}

void WrittenBytes::set(std::uint64_t from, std::uint64_t to) {
  while (from < to) {
    std::uint64_t& word = bits_[from / kWord];
    const std::uint64_t end = std::min(to, (from / kWord + 1) * kWord);
    const std::uint64_t bits = mask(from % kWord, end - from / kWord * kWord);
    written_ += static_cast<std::uint64_t>(std::popcount(bits & ~word));
    word |= bits;
    from = end;
  }
}

std::uint64_t WrittenBytes::first_clear(std::uint64_t from, std::uint64_t to) const {
  if (bits_.empty()) return from;
  while (from < to) {
    const std::uint64_t end = std::min(to, (from / kWord + 1) * kWord);
    const std::uint64_t clear = mask(from % kWord, end - from / kWord * kWord) & ~bits_[from / kWord];
    if (clear != 0) return from / kWord * kWord + static_cast<std::uint64_t>(std::countr_zero(clear));
    from = end;
  }
  return to;
}

}  // namespace trnsim
