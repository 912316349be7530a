// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "isa/psum_banks.hpp"
#include "trnsim/config/engine_config.hpp"
#include "trnsim/isa/opcode.hpp"
#include "trnsim/snapshot.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// What an instruction occupies while it streams.
struct PortUse {
  EngineKind engine;
  bool sbuf = false;
  PsumBanks psum_banks = 0;
  bool fast_mode = false;    ///< A Vector 2x or 4x mode.
  std::uint64_t number = 0;  ///< Of the instruction on its engine.
};

class PortsIf : virtual public sc_core::sc_interface {
 public:
  struct Grant {
    Time from;                               ///< Earliest start.
    StallReason reason;                      ///< Of the delay, if any.
    bool fast_mode;                          ///< The fast mode is available.
    EngineKind holder = EngineKind::Vector;  ///< Of the delay, if any, and its instruction.
    std::uint64_t number = 0;
  };
  /// Earliest start of an access that is ready at `at`. Asked in order of simulated time.
  virtual Grant query(const PortUse& use, Time at) = 0;
  virtual void occupy(const PortUse& use, Time until) = 0;
};

/// Shared ports of SBUF and PSUM of one core: first come, first served for a whole instruction.
///
/// Trainium1: Vector and GpSimd exclude each other on SBUF, Vector and Scalar on PSUM. Later chips:
/// Vector and Scalar on one PSUM bank, and the Vector fast modes need the bus that GpSimd uses. Left
/// out: conflicts between DMA and engines, for which nothing is published.
class Ports : public sc_core::sc_module, public PortsIf {
 public:
  Ports(sc_core::sc_module_name name, const SequencerConfig& config) : sc_module(name), config_(config) {}

  Grant query(const PortUse& use, Time at) override;
  void occupy(const PortUse& use, Time until) override;

 private:
  [[nodiscard]] static std::size_t index(EngineKind engine) { return static_cast<std::size_t>(engine); }

  struct Hold {
    Time until;
    std::uint64_t number = 0;
  };
  static void extend(Hold& hold, const PortUse& use, Time until) {
    if (until > hold.until) hold = {until, use.number};
  }

  SequencerConfig config_;
  std::array<Hold, kEngineCount> sbuf_until_{};
  std::array<Hold, kEngineCount> psum_until_{};
  std::array<std::array<Hold, kMaxPsumBanks>, kEngineCount> bank_until_{};
};

}  // namespace trnsim
