// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/actor.hpp"

namespace trnsim {

/// What each engine knows to be complete when it starts its next instruction, as far as program order and waits tell.
///
/// Instructions of an engine are numbered from 1, copies by the number of the instruction that triggers them. Engines and rings complete
/// in order, so one number per actor says it all. Earlier states are kept as lists of changes: 8 bytes for each thing learnt.
class WaitClocks {
 public:
  struct Completion {
    std::uint32_t number = 0;  ///< 0 = never.
    Actor actor = 0;
  };

  explicit WaitClocks(std::size_t actors);
  /// A further DMA ring, which this engine triggers.
  Actor add_ring(Actor engine);

  /// Starts an instruction: its number.
  std::uint32_t start(Actor engine);
  /// Whether the last instruction started on `engine` is sure to find this complete.
  [[nodiscard]] bool knows(Actor engine, const Completion& what) const { return clocks_[engine][what.actor].now >= what.number; }
  /// The last instruction started on `engine` waits for this, and for all that this waited for.
  void wait(Actor engine, const Completion& what);
  /// Whether every engine that has run anything knows of it.
  [[nodiscard]] bool settled(const Completion& what) const;

 private:
  struct Change {
    std::uint32_t at, value;
  };
  struct Knowledge {
    std::uint32_t now = 0;
    std::vector<Change> changes;
  };
  void learn(Actor engine, Actor about, std::uint32_t value);
  [[nodiscard]] std::uint32_t known_at(Actor engine, Actor about, std::uint32_t number) const;

  std::array<std::vector<Knowledge>, kEngineCount> clocks_;  ///< By engine and actor.
  std::array<std::uint32_t, kEngineCount> started_{};
  std::vector<Actor> engine_of_;
};

}  // namespace trnsim
