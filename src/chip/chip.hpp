// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "core/core.hpp"
#include "dma/hbm_router.hpp"
#include "memory/hbm_stack.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim {

/// A chip with as many cores as the workload uses, and all its HBM stacks.
///
/// Left out: links to other chips, the collective cores and the host interface.
class Chip : public sc_core::sc_module {
 public:
  Chip(sc_core::sc_module_name name, const ChipConfig& config, Workload& workload, Context& context);

  [[nodiscard]] bool finished() const;
  [[nodiscard]] Time end() const;
  [[nodiscard]] Time last_start() const;
  [[nodiscard]] std::uint64_t instructions() const;
  [[nodiscard]] std::vector<std::string> waits() const;
  /// Closes all accounts at `end`.
  Snapshot snapshot(Time end);

 private:
  HbmLayout layout_;
  CompletionFrontier frontier_;
  HbmRouter router_;
  sc_core::sc_vector<HbmStack> stacks_;
  sc_core::sc_vector<Core> cores_;
};

}  // namespace trnsim
