// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/transfer.hpp"

namespace trnsim {

ByteStream ByteStream::of_hbm(const Operand& operand, std::uint64_t base, std::uint64_t moved_bytes) {
  ByteStream stream;
  stream.base_ = base + operand.offset;
  const std::uint64_t bytes = element_bytes(operand.dtype);
  stream.run_ = bytes;
  stream.own_ = bytes;
  stream.moved_ = moved_bytes == 0 ? bytes : moved_bytes;
  // From the fastest dimension outwards: join what is contiguous, keep the rest as levels.
  std::array<Level, kMaxRank + 1> fastest_first{};
  unsigned rank = 0;
  const auto add = [&](std::int64_t stride, std::uint64_t count, std::uint64_t inner_bytes) {
    if (count <= 1) return;
    if (rank == 0 && stride == static_cast<std::int64_t>(stream.run_)) {
      stream.run_ *= count;
    } else {
      fastest_first[rank++] = {stride, inner_bytes};
    }
  };
  std::uint64_t inner = bytes;
  for (unsigned i = operand.rank; i-- > 0;) {
    add(std::int64_t{operand.free[i].stride} * static_cast<std::int64_t>(bytes), operand.free[i].count, inner);
    inner *= operand.free[i].count;
  }
  add(operand.row_stride, operand.partitions, inner);
  for (unsigned i = 0; i < rank; ++i) stream.levels_[i] = fastest_first[rank - 1 - i];
  stream.rank_ = rank;
  return stream;
}

ByteStream::Run ByteStream::locate(std::uint64_t offset) const {
  offset = memory_bytes(offset);
  std::int64_t address = static_cast<std::int64_t>(base_);
  for (unsigned i = 0; i < rank_; ++i) {
    const std::uint64_t index = offset / levels_[i].bytes;
    offset -= index * levels_[i].bytes;
    address += levels_[i].stride * static_cast<std::int64_t>(index);
  }
  return {static_cast<std::uint64_t>(address) + offset, (run_ - offset) * moved_ / own_};
}

Transfer* TransferPool::acquire() {
  if (free_.empty()) return &all_.emplace_back();
  Transfer* transfer = free_.back();
  free_.pop_back();
  *transfer = Transfer{};
  return transfer;
}

}  // namespace trnsim
