// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/sequencer_timing.hpp"

namespace trnsim {

SequencerTiming::SequencerTiming(const SequencerConfig& config)
    : control_(from_ns(config.control_ns)),
      barrier_(from_ns(config.core_barrier_ns)),
      load_(from_ns(config.register_load_ns)),
      store_(from_ns(config.register_store_ns)),
      load_cycles_(config.register_load_cycles) {}

SequencerTiming::Cost SequencerTiming::cost(const Instruction& i) const {
  switch (i.op) {
    case Opcode::CoreBarrier: return {barrier_, Cycles{}, Charge::CoreBarrier};
    case Opcode::RegisterLoad:
      if (i.operands[0].buffer == Buffer::Hbm) return {load_, Cycles{}, Charge::RegisterLoadHbm};
      return {Time{}, load_cycles_, Charge::RegisterLoadSbuf};
    case Opcode::RegisterStore: return {store_, Cycles{}, Charge::RegisterStore};
    case Opcode::RegisterMove: return {control_, Cycles{}, Charge::Control};
    default: return {};  // register_alloc: no instruction remains of it
  }
}

}  // namespace trnsim
