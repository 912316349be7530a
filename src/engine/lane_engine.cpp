// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "engine/lane_engine.hpp"

#include <algorithm>

namespace trnsim {

LaneEngine::LaneEngine(sc_core::sc_module_name name, const Parts& parts, const SequencerConfig& contended, Time table_load,
                       Context& context)
    : Engine(name, parts, context),
      sbuf_contended_(contended.vector_gpsimd_share_sbuf && parts.kind != EngineKind::Scalar),
      psum_contended_((contended.vector_scalar_share_psum || contended.psum_bank_exclusive) && parts.kind != EngineKind::GpSimd),
      bus_contended_(contended.fast_modes_share_gpsimd_bus && parts.kind != EngineKind::Scalar),
      table_load_(parts.clock.cycles_of(table_load)) {}

void LaneEngine::arrive(const Step& step) {
  if (step.table == 0 || step.table == table_) return;
  // The load is an instruction of its own without operands: it runs while the activation still waits.
  table_ = step.table;
  free_ = std::max(free_, account().booked()) + table_load_;
  account().stall(StallReason::TableLoad, free_);
}

Cycles LaneEngine::earliest(const Step&, const Ready&, const Ready& ready) {
  asked_ = std::max({free_, account().booked(), ready.at});
  return asked_;
}

bool LaneEngine::shared(const Step& step) const {
  if (psum_contended_ && step.psum_banks != 0) return true;
  return (sbuf_contended_ || (bus_contended_ && (step.cost.fast || which() == EngineKind::GpSimd))) && step.uses_sbuf;
}

PortUse LaneEngine::use_of(const Step& step) const { return {which(), step.uses_sbuf, step.psum_banks, step.cost.fast, number()}; }

Cycles LaneEngine::admit(const Step& step, Cycles start) {
  const Time at = clock().time_of(start);
  const PortsIf::Grant grant = ports->query(use_of(step), at);
  fast_ = grant.fast_mode;
  if (grant.from <= at) return start;
  port_reason_ = grant.reason;
  port_cause_ = {StartCause::Port, static_cast<std::uint8_t>(grant.holder), grant.number};
  return clock().edge_at_or_after(grant.from);
}

StartedBy LaneEngine::cause(const Step&, Cycles start, const Ready&, const Ready& ready) const {
  if (start > asked_) return port_cause_;
  return cause_of(ready, std::max(free_, account().booked()));
}

void LaneEngine::execute(const Step& step, Cycles start, const Ready&, const Ready& ready) {
  const bool slowed = step.cost.fast && shared(step) && !fast_;
  const Cycles interval = slowed ? step.cost.slow_interval : step.cost.interval;
  const Cycles latency = slowed ? step.cost.slow_latency : step.cost.latency;
  account().stall(ready.reason, asked_);
  account().stall(port_reason_, start);
  free_ = start + interval;
  account().busy(free_ - (slowed ? step.cost.slow_issue : step.cost.issue));
  account().stall(StallReason::Issue, free_);
  if (shared(step)) ports->occupy(use_of(step), clock().time_of(free_));
  if (ExecutedInstruction* seen = observed()) {
    seen->start = clock().time_of(start);
    seen->free = clock().time_of(free_);
    seen->slowed = slowed;
  }
  announce(start + latency);
}

}  // namespace trnsim
