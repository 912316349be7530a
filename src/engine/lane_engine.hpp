// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "engine/engine.hpp"
#include "memory/ports.hpp"

namespace trnsim {

/// Vector, Scalar or GpSimd engine: 128 lanes that stream the free dimension.
///
/// Ports of SBUF and PSUM are taken for a whole instruction. Left out: overlap of the first accesses
/// of one instruction with the last ones of the instruction before it.
class LaneEngine : public Engine {
 public:
  sc_core::sc_port<PortsIf> ports{"ports"};

  /// `table_load` is the time of an activation table load; zero for engines without tables.
  /// `contended` are the port rules of the generation: an engine without rivals is never shared.
  LaneEngine(sc_core::sc_module_name name, const Parts& parts, const SequencerConfig& contended, Time table_load, Context& context);

 private:
  void arrive(const Step& step) override;
  Cycles earliest(const Step& step, const Ready& load, const Ready& ready) override;
  [[nodiscard]] bool shared(const Step& step) const override;
  Cycles admit(const Step& step, Cycles start) override;
  [[nodiscard]] StartedBy cause(const Step& step, Cycles start, const Ready& load, const Ready& ready) const override;
  void execute(const Step& step, Cycles start, const Ready& load, const Ready& ready) override;
  [[nodiscard]] PortUse use_of(const Step& step) const;

  bool sbuf_contended_, psum_contended_, bus_contended_;
  Cycles table_load_;
  std::uint8_t table_ = 0;
  Cycles free_;   ///< The next instruction may start.
  Cycles asked_;  ///< Start the step had before the ports delayed it.
  StallReason port_reason_ = StallReason::PortConflict;
  StartedBy port_cause_;  ///< Of that delay.
  bool fast_ = false;
};

}  // namespace trnsim
