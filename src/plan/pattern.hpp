// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>

#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// Bytes that a regular access touches in one address space: runs of `run` bytes, repeated in up to
/// seven dimensions. Dimensions are sorted by stride, smallest first, and merged where they join.
struct Pattern {
  struct Repeat {
    std::uint64_t stride, count;
    bool operator==(const Repeat&) const = default;
  };
  std::uint64_t lo = 0;   ///< First byte.
  std::uint64_t run = 0;  ///< Contiguous bytes.
  unsigned rank = 0;
  std::array<Repeat, kMaxRank + 1> outer{};

  /// One past the last byte.
  [[nodiscard]] std::uint64_t hi() const {
    std::uint64_t end = lo + run;
    for (unsigned i = 0; i < rank; ++i) end += outer[i].stride * (outer[i].count - 1);
    return end;
  }
  [[nodiscard]] bool dense() const { return rank == 0; }
  bool operator==(const Pattern&) const = default;
};

/// Free dimensions of an on-chip operand within its partitions, from byte `base` of the tile.
Pattern free_pattern(const Operand& operand, std::uint64_t base);
/// All bytes of an HBM operand, from byte address `base` of the tensor.
Pattern hbm_pattern(const Operand& operand, std::uint64_t base);

/// Whether two patterns share a byte; exact. Two patterns of more than about 10^6 runs each that
/// interleave are taken as overlapping.
bool overlap(const Pattern& a, const Pattern& b);

}  // namespace trnsim
