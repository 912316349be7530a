// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <systemc>

namespace trnsim {

struct Transfer;
class ProcessModule;

/// What an engine that triggers copies sees of a DMA ring.
class DmaRingIf : virtual public sc_core::sc_interface {
 public:
  [[nodiscard]] virtual bool full() const = 0;
  /// Copies that fit.
  [[nodiscard]] virtual std::size_t depth() const = 0;
  /// Wakes `waiter` when a copy has left the full ring.
  virtual void wait_for_room(ProcessModule& waiter) = 0;
  /// Rings the doorbell for a copy, now. The ring must not be full.
  virtual void trigger(Transfer& transfer) = 0;
};

}  // namespace trnsim
