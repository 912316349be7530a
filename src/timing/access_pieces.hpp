// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "timing/elementwise_timing.hpp"

namespace trnsim {

/// Hardware instructions that one line stands for: an access pattern has four dimensions, so the steps of
/// those before the last four are instructions of their own. 1 for nearly all.
std::uint64_t access_pieces(const Instruction& instruction);

/// One of `pieces` equal parts: the last four dimensions of long patterns, so much of the others.
Instruction one_piece(const Instruction& instruction, std::uint64_t pieces);

/// Cost of the pieces one after another.
EngineCost repeated(const EngineCost& piece, std::uint64_t pieces);

}  // namespace trnsim
