// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <systemc>

#include "timing/hbm_timing.hpp"

namespace trnsim {

class HbmStackIf : virtual public sc_core::sc_interface {
 public:
  virtual HbmReservation reserve(Time arrival, std::uint64_t address, std::uint32_t bytes, bool write) = 0;
};

/// One HBM stack of the chip: answers with reserved times, needs no events of its own.
class HbmStack : public sc_core::sc_module, public HbmStackIf {
 public:
  HbmStack(sc_core::sc_module_name name, const HbmConfig& config) : sc_module(name), timing_(config) {}

  HbmReservation reserve(Time arrival, std::uint64_t address, std::uint32_t bytes, bool write) override {
    return timing_.reserve(arrival, address, bytes, write);
  }
  /// Carries refreshes up to the end of the run.
  void settle(Time end) { timing_.settle(end); }
  [[nodiscard]] const HbmStackCounters& counters() const { return timing_.counters(); }

 private:
  HbmTiming timing_;
};

}  // namespace trnsim
