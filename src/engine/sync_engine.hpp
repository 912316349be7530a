// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "engine/engine.hpp"

namespace trnsim {

/// Sync engine: a sequencer without a data path; it triggers DMA copies.
class SyncEngine : public Engine {
 public:
  SyncEngine(sc_core::sc_module_name name, const Parts& parts, Context& context) : Engine(name, parts, context) {}

 private:
  Cycles earliest(const Step&, const Ready&, const Ready& ready) override { return ready.at; }
  [[nodiscard]] bool shared(const Step&) const override { return false; }
  [[nodiscard]] StartedBy cause(const Step&, Cycles, const Ready&, const Ready& ready) const override { return cause_of(ready, Cycles{}); }
  void execute(const Step&, Cycles, const Ready&, const Ready&) override {}
};

}  // namespace trnsim
