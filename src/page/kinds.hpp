// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string_view>

#include "trnsim/isa/opcode.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {

/// What a lane does: an instruction, a stall of an engine, or a copy of a ring.
using PageKind = std::uint16_t;

inline constexpr std::size_t kFirstStall = kOpcodeCount, kFirstCopy = kFirstStall + kStallReasonCount;
inline constexpr std::size_t kPageKindCount = kFirstCopy + 3;

constexpr PageKind kind_of(Opcode op) { return static_cast<PageKind>(op); }
constexpr PageKind kind_of(StallReason reason) { return static_cast<PageKind>(kFirstStall + static_cast<std::size_t>(reason)); }
/// Copies by where HBM is: source, destination, both or none of them.
constexpr PageKind kind_of_copy(bool from_hbm, bool to_hbm) {
  return static_cast<PageKind>(kFirstCopy + (from_hbm == to_hbm ? 2U : from_hbm ? 0U : 1U));
}

constexpr bool is_stall(std::size_t kind) { return kind >= kFirstStall && kind < kFirstCopy; }

inline std::string_view name_of_kind(std::size_t kind) {
  constexpr std::string_view kCopies[] = {"load", "store", "copy"};
  if (kind >= kFirstCopy) return kCopies[kind - kFirstCopy];
  return is_stall(kind) ? name_of(static_cast<StallReason>(kind - kFirstStall)) : info(static_cast<Opcode>(kind)).name;
}

}  // namespace trnsim
