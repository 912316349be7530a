// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "trnsim/isa/program.hpp"
#include "workload/kernels/buffers.hpp"

namespace trnsim::kernel {

/// Rows of a tile: `columns` contiguous elements per partition, `offset` bytes into each.
inline Operand tile_operand(TensorId tile, Buffer home, DType dtype, std::uint32_t partitions, std::uint64_t offset,
                            std::uint32_t columns) {
  Operand o;
  o.tensor = tile;
  o.buffer = home;
  o.dtype = dtype;
  o.partitions = partitions;
  o.offset = offset;
  o.free[0] = Dim{1, columns};
  return o;
}

/// Rows of an HBM tensor, `row_stride` bytes apart, the first `offset` bytes from its start.
inline Operand hbm_operand(TensorId tensor, DType dtype, std::uint32_t rows, std::uint64_t offset, std::uint64_t row_stride,
                           std::uint32_t columns) {
  Operand o = tile_operand(tensor, Buffer::Hbm, dtype, rows, offset, columns);
  o.row_stride = static_cast<std::int64_t>(row_stride);
  return o;
}

/// Adds a slower dimension in front: `count` copies of the pattern, `stride` elements apart.
inline Operand repeated(Operand o, std::int32_t stride, std::uint32_t count) {
  if (count <= 1) return o;
  for (unsigned i = o.rank; i > 0; --i) o.free[i] = o.free[i - 1];
  o.free[0] = Dim{stride, count};
  ++o.rank;
  return o;
}

/// Equal tiles used in turn for the whole run. Use number n takes tile n mod count; a tile is declared
/// at its first use and released after its last, for which the number of uses must be known.
class TileRing {
 public:
  TileRing() = default;
  TileRing(const BufferSpec& spec, TensorId first, std::uint64_t uses) : first_(first), count_(spec.count), uses_(uses), name_(spec.name) {
    declare_.kind = Record::Kind::Tile;
    declare_.tensor.buffer = spec.home;
    declare_.tensor.dtype = spec.dtype;
    declare_.tensor.partitions = static_cast<std::uint16_t>(spec.partitions);
    declare_.tensor.bytes_per_partition = spec.bytes_per_partition;
    release_.kind = Record::Kind::Release;
    home_ = spec.home;
    dtype_ = spec.dtype;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] TensorId id(std::uint64_t use) const { return first_ + static_cast<TensorId>(use % count_); }
  [[nodiscard]] bool first_use(std::uint64_t use) const { return use < count_; }
  [[nodiscard]] bool last_use(std::uint64_t use) const { return use + count_ >= uses_; }
  [[nodiscard]] Operand operand(std::uint64_t use, std::uint32_t partitions, std::uint64_t offset, std::uint32_t columns) const {
    return tile_operand(id(use), home_, dtype_, partitions, offset, columns);
  }

  const Record& declare(std::uint64_t use) {
    declare_.tile = id(use);
    declare_.tensor.name = name_ + '.' + std::to_string(use % count_);
    return declare_;
  }
  const Record& release(std::uint64_t use) {
    release_.tile = id(use);
    return release_;
  }

 private:
  TensorId first_ = 0;
  std::uint64_t count_ = 1;
  std::uint64_t uses_ = 0;
  std::string name_;
  Buffer home_ = Buffer::Sbuf;
  DType dtype_ = DType::Bf16;
  Record declare_, release_;
};

/// Copies triggered by the Sync engine, spread round robin over its rings.
class CopyEmitter {
 public:
  explicit CopyEmitter(unsigned queues = 1) : ring_bytes_(queues, 0) {
    record_.instruction.op = Opcode::DmaCopy;
    record_.instruction.engine = EngineKind::Sync;
  }
  void set_mode(DgeMode mode) { record_.instruction.dge = mode; }
  const Record& copy(const Operand& dst, const Operand& src) {
    record_.instruction.operands[0] = dst;
    record_.instruction.operands[1] = src;
    if (ring_bytes_.size() > 1) record_.instruction.ring = lightest_ring(dst.bytes());
    ++count_;
    return record_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] unsigned rings() const { return static_cast<unsigned>(ring_bytes_.size()); }

 private:
  /// The ring that has had the fewest bytes.
  std::uint8_t lightest_ring(std::uint64_t bytes) {
    const auto lightest = std::min_element(ring_bytes_.begin(), ring_bytes_.end());
    *lightest += bytes;
    return static_cast<std::uint8_t>(lightest - ring_bytes_.begin());
  }

  std::vector<std::uint64_t> ring_bytes_;
  std::uint64_t count_ = 0;
  Record record_;
};

/// Stores held back. A store blocks the Sync engine until its data is there, so it is put behind the
/// next few loads; it must go out before its staging tile is written again.
class StoreQueue {
 public:
  struct Store {
    Operand dst, src;
    std::uint64_t use = 0;  ///< Of the staging ring.
    std::uint64_t due = 0;  ///< Copies emitted before it may go.
  };
  /// Copies that a store lets go first.
  explicit StoreQueue(std::uint64_t lag = 8) : lag_(lag) {}

  void push(const Operand& dst, const Operand& src, std::uint64_t use, std::uint64_t copies) {
    pending_.push_back(Store{dst, src, use, copies + lag_});
  }
  [[nodiscard]] bool empty() const { return pending_.empty(); }
  [[nodiscard]] std::uint64_t front_use() const { return pending_.front().use; }
  [[nodiscard]] bool due(std::uint64_t copies) const { return !pending_.empty() && pending_.front().due <= copies; }
  /// Whether the oldest store reads the tile that staging use `use` is about to overwrite.
  [[nodiscard]] bool blocks(std::uint64_t use, std::uint64_t tiles) const {
    return !pending_.empty() && pending_.front().use + tiles <= use;
  }
  /// Whether the oldest store reads the tile of staging use `use`.
  [[nodiscard]] bool holds(std::uint64_t use) const { return !pending_.empty() && pending_.front().use == use; }
  Store pop() {
    Store s = pending_.front();
    pending_.pop_front();
    return s;
  }

 private:
  std::uint64_t lag_;
  std::deque<Store> pending_;
};

/// Records of one instruction kind, reused: set the fixed fields once, the operands each time.
class InstructionEmitter {
 public:
  InstructionEmitter(Opcode op, EngineKind engine) {
    record_.instruction.op = op;
    record_.instruction.engine = engine;
  }
  Instruction& fields() { return record_.instruction; }
  template <class... Operands>
  const Record& operator()(const Operands&... operands) {
    std::size_t i = 0;
    ((record_.instruction.operands[i++] = operands), ...);
    return record_;
  }

 private:
  Record record_;
};

inline const Operand kAbsent{};

}  // namespace trnsim::kernel
