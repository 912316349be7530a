// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "trnsim/isa/instruction.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// An operand's bytes in the order in which a copy moves them: row after row, slowest dimension first. A
/// copy between types of different size counts in bytes of the larger one; offsets and lengths here do too.
class ByteStream {
 public:
  struct Run {
    std::uint64_t address;
    std::uint64_t bytes;  ///< Contiguous from there.
  };

  ByteStream() = default;
  /// An HBM operand that starts at chip address `base` of its tensor, in a copy that counts elements of
  /// `moved_bytes` each (0: those of the operand).
  static ByteStream of_hbm(const Operand& operand, std::uint64_t base, std::uint64_t moved_bytes = 0);

  /// Where byte `offset` of the stream lies.
  [[nodiscard]] Run locate(std::uint64_t offset) const;
  [[nodiscard]] std::uint64_t run_bytes() const { return run_; }
  /// Bytes in memory of `moved` bytes of the copy.
  [[nodiscard]] std::uint64_t memory_bytes(std::uint64_t moved) const { return moved * own_ / moved_; }

  bool border = false;  ///< Reads an input of the program, or writes an output.

 private:
  struct Level {
    std::int64_t stride;
    std::uint64_t bytes;  ///< Stream bytes of one step of this dimension.
  };
  std::uint64_t base_ = 0;
  std::uint64_t run_ = 0;
  std::uint64_t own_ = 1, moved_ = 1;  ///< Bytes of an element, in memory and as the copy counts them.
  unsigned rank_ = 0;
  std::array<Level, kMaxRank + 1> levels_{};  ///< Slowest first.
};

/// One planned copy. Its bytes are `rows` rows of `row_bytes`, counted in the larger of its two types; on
/// the chip a row is a partition.
struct Transfer {
  bool source_hbm = false, destination_hbm = false;
  bool transpose = false;
  std::uint8_t ring = 0;
  std::uint8_t element_bytes = 2;
  DgeMode mode = DgeMode::Static;
  std::uint32_t first_partition = 0;  ///< Of the on-chip side; decides which DMA engine moves which row.
  std::uint32_t partition_step = 1;   ///< From one row to the next. Rows that share one partition are spread as if they did not.
  std::uint32_t rows = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t chip_run = 0;  ///< Contiguous bytes on the chip; descriptors end there.
  Time handshake;              ///< Before it starts: the peer's consent.
  std::uint32_t line = 0;
  std::uint32_t source_line = 0;            ///< Step::source.
  std::uint64_t sequence = 0;               ///< Number on its ring, from 1.
  ByteStream source, destination;           ///< Of the sides in HBM.
  std::uint32_t sources = 1;                ///< dma_compute: tensors that are added up, here or on the chip.
  std::vector<ByteStream> further_sources;  ///< Of those in HBM beside `source`.

  // Progress.
  std::uint32_t engines_left = 0;
  Time last_data;

  [[nodiscard]] std::uint64_t bytes() const { return row_bytes * rows; }
};

/// Recycles Transfer objects; their addresses are stable.
class TransferPool {
 public:
  Transfer* acquire();
  void release(Transfer* transfer) { free_.push_back(transfer); }

 private:
  std::deque<Transfer> all_;
  std::vector<Transfer*> free_;
};

}  // namespace trnsim
