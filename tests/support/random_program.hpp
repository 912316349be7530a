// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/program_builder.hpp"

namespace trnsim::test {

/// One choice of a random program; any values are valid, since each is folded into its range.
struct Move {
  std::uint8_t kind = 0;
  std::uint16_t a = 0, b = 0, c = 0;  ///< Which tiles.
  std::uint16_t rows = 0, columns = 0, width = 0;
  std::uint8_t flavour = 0;  ///< Function, type, ring or engine.
};
using Moves = std::vector<Move>;
inline constexpr std::uint8_t kMoveKinds = 16;  ///< The last one renews a tile, all others are instructions.

/// How a list of moves becomes a program.
struct Shaping {
  bool chained = false;              ///< Every instruction waits for the one before: nothing runs in parallel.
  bool one_ring = false;             ///< All copies on one ring, so that none shares the DMA engines with another.
  std::vector<std::uint16_t> edges;  ///< Pairs of numbers that become `after` edges from an earlier instruction.
};

/// A valid program for every generation: loads, stores, copies within HBM, transposing copies, matmuls on all or
/// parts of the array, transposes, operations of Vector, Scalar and GpSimd on SBUF and PSUM, new tiles and releases.
std::unique_ptr<ListProgram> make_program(const Moves& moves, const Shaping& shaping = {});
Workload make_workload(const Moves& moves, const Shaping& shaping = {});

/// At most `most` moves; shrinks to few moves with small numbers.
rc::Gen<Moves> moves_gen(std::size_t most);

/// Readable in the report of a failed property.
std::ostream& operator<<(std::ostream& out, const Move& move);

}  // namespace trnsim::test
