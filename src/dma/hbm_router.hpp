// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <systemc>

#include "memory/hbm_stack.hpp"
#include "plan/hbm_layout.hpp"
#include "trnsim/observer.hpp"

namespace trnsim {

/// What a DMA engine sees of HBM.
class HbmIf : virtual public sc_core::sc_interface {
 public:
  /// Moves `bytes` at a chip address now. `done` of the answer is when the data is at the engine
  /// (read) or in the stack (write).
  virtual HbmReservation access(std::uint32_t core, std::uint64_t address, std::uint32_t bytes, bool write) = 0;
};

/// Path between the DMA engines and the HBM stacks: finds the stack and adds the distance.
///
/// Left out: the bandwidth of the on-die network and of the die-to-die link, which no source puts
/// below that of the stacks.
class HbmRouter : public sc_core::sc_module, public HbmIf {
 public:
  sc_core::sc_port<HbmStackIf, 0> stacks{"stacks"};

  HbmRouter(sc_core::sc_module_name name, const HbmConfig& config, const HbmLayout& layout, RunObserver* observer = nullptr)
      : sc_module(name),
        layout_(&layout),
        observer_(observer),
        distance_(from_ns(config.idle_latency_ns)),
        remote_(from_ns(config.remote_stack_ns)) {}

  HbmReservation access(std::uint32_t core, std::uint64_t address, std::uint32_t bytes, bool write) override;

 private:
  const HbmLayout* layout_;
  RunObserver* observer_;
  Time distance_, remote_;
};

}  // namespace trnsim
