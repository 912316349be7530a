// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/access_pieces.hpp"

#include <algorithm>

namespace trnsim {

std::uint64_t access_pieces(const Instruction& instruction) {
  std::uint64_t most = 1;
  for (const Operand& operand : instruction.operands) {
    if (operand.rank <= kPatternRank) continue;
    std::uint64_t pieces = 1;
    for (unsigned i = 0; i + kPatternRank < operand.rank; ++i) pieces *= operand.free[i].count;
    most = std::max(most, pieces);
  }
  return most;
}

Instruction one_piece(const Instruction& instruction, std::uint64_t pieces) {
  Instruction piece = instruction;
  for (Operand& operand : piece.operands) {
    if (!operand.present() || operand.columns() == 1) continue;
    const auto columns = static_cast<std::uint32_t>(ceil_div(operand.columns(), pieces));
    operand.free[0] = {static_cast<std::int32_t>(operand.inner_stride()), columns};
    operand.rank = 1;
  }
  return piece;
}

EngineCost repeated(const EngineCost& piece, std::uint64_t pieces) {
  EngineCost all = piece;
  all.interval = piece.interval * pieces;
  all.issue = piece.issue * pieces;
  all.latency = piece.interval * (pieces - 1) + piece.latency;
  all.slow_interval = piece.slow_interval * pieces;
  all.slow_issue = piece.slow_issue * pieces;
  all.slow_latency = piece.slow_interval * (pieces - 1) + piece.slow_latency;
  return all;
}

}  // namespace trnsim
