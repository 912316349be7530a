// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "isa/actor.hpp"
#include "sysc/process_module.hpp"

namespace trnsim {

/// What engines and rings see of the semaphores of their core.
class SemaphoreIf : virtual public sc_core::sc_interface {
 public:
  /// The actor's next instruction in order has its result visible at `visible`; dependants may start
  /// at `usable`. Both may lie in the future.
  virtual void complete(Actor actor, Time visible, Time usable) = 0;
  /// When dependants of the actor's `count`-th instruction may start; nothing while that is unknown.
  virtual std::optional<Time> reached(Actor actor, std::uint64_t count) = 0;
  /// Wakes `waiter` at that time, once it is known.
  virtual void wait_for(Actor actor, std::uint64_t count, ProcessModule& waiter) = 0;
};

/// Counting semaphores of one core, one per engine and DMA ring.
///
/// A completion is announced as soon as its time is certain, so that a waiter needs one event, at the
/// time it may start. Left out: the number of hardware semaphores and the instructions that set them.
class SemaphoreFile : public sc_core::sc_module, public SemaphoreIf, public Progress {
 public:
  SemaphoreFile(sc_core::sc_module_name name, std::size_t actors);

  void complete(Actor actor, Time visible, Time usable) override;
  std::optional<Time> reached(Actor actor, std::uint64_t count) override;
  void wait_for(Actor actor, std::uint64_t count, ProcessModule& waiter) override;
  [[nodiscard]] std::uint64_t settled(Actor actor) const override;

  [[nodiscard]] std::uint64_t completed(Actor actor) const { return counters_[actor].known; }
  /// Last time at which a result became visible.
  [[nodiscard]] Time last_visible() const { return last_visible_; }

 private:
  struct Waiter {
    std::uint64_t count;
    ProcessModule* module;
  };
  struct Counter {
    std::uint64_t known = 0;  ///< Instructions whose completion time is known.
    std::uint64_t first = 1;  ///< Oldest count whose time is kept.
    std::vector<Time> times;  ///< Ring buffer, a power of two.
    std::vector<Waiter> waiters;
    Time& at(std::uint64_t count) { return times[count & (times.size() - 1)]; }
  };
  static void drop_settled(Counter& counter);
  static void make_room(Counter& counter);

  mutable std::vector<Counter> counters_;  ///< Looking up progress drops what is settled.
  Time last_visible_;
};

}  // namespace trnsim
