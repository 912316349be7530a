// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/config/charge.hpp"
#include "trnsim/config/engine_config.hpp"
#include "trnsim/isa/instruction.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Instructions that an engine's sequencer runs itself: registers and the barrier of two cores. Its
/// queue waits until they are done.
///
/// Left out: how late the other core of a barrier is.
class SequencerTiming {
 public:
  struct Cost {
    Time time;      ///< The longer of the two counts.
    Cycles cycles;  ///< Of the issuing engine.
    Charge charge;
  };
  explicit SequencerTiming(const SequencerConfig& config);
  [[nodiscard]] Cost cost(const Instruction& instruction) const;
  /// One core tells another that it is ready, and hears back.
  [[nodiscard]] Time barrier() const { return barrier_; }

 private:
  Time control_, barrier_, load_, store_;
  Cycles load_cycles_;
};

}  // namespace trnsim
