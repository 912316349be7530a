// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>

#include "trnsim/isa/opcode.hpp"

namespace trnsim {

/// Whoever completes instructions in order and counts them on a semaphore: the five engines, then the
/// DMA rings of the core.
using Actor = std::uint8_t;
constexpr Actor actor_of(EngineKind engine) { return static_cast<Actor>(engine); }
inline constexpr Actor kFirstRing = kEngineCount;

/// A semaphore wait: `actor` has completed its first `count` instructions.
struct Wait {
  std::uint64_t count : 48;
  std::uint64_t actor : 8;
  std::uint64_t reason : 7;    ///< StallReason.
  std::uint64_t for_load : 1;  ///< Tensor engine: holds back LoadStationary too, not only MultiplyMoving.
};
static_assert(sizeof(Wait) == 8);

constexpr Wait make_wait(Actor actor, std::uint64_t count, unsigned reason, bool for_load) {
  constexpr std::uint64_t kCountMask = (std::uint64_t{1} << 48) - 1;
  return {count & kCountMask, actor, reason & 0x7fU, for_load};
}

/// How far each actor has got, for forgetting what cannot delay anybody any more.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Instructions of the actor that dependants may follow at once.
  [[nodiscard]] virtual std::uint64_t settled(Actor actor) const = 0;
};

}  // namespace trnsim
