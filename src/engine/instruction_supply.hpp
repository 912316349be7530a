// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <systemc>

#include "plan/step.hpp"
#include "sysc/process_module.hpp"

namespace trnsim {

/// Where an engine's sequencer gets its instructions.
class InstructionSupplyIf : virtual public sc_core::sc_interface {
 public:
  /// The engine's next step, or null if none is planned now. Then either `exhausted`, or the engine
  /// is woken when there is one. Valid until `pop`.
  virtual const Step* front(EngineKind engine, ProcessModule& waiter) = 0;
  virtual void pop(EngineKind engine) = 0;
  [[nodiscard]] virtual bool exhausted(EngineKind engine) const = 0;
  /// What an `after` id further down in the program stands for; nothing if the program does not have it.
  virtual std::optional<Wait> resolve(std::uint64_t id) = 0;
  /// The step whose completion a wait is for, or null if an engine has taken it already.
  [[nodiscard]] virtual const Step* awaited(const Wait& wait) const = 0;
};

}  // namespace trnsim
