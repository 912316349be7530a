// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <functional>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim {

/// What was copied because the SBUF tiles of a run did not fit, all cores.
struct SpillCounts {
  std::uint64_t stored_bytes = 0;    ///< To HBM.
  std::uint64_t reloaded_bytes = 0;  ///< Back.
};

/// Makes room where the tiles of a workload do not fit in SBUF: its programs become ones that copy the tile used longest ago to HBM and
/// back before its next use. Call it before `simulate`. The function it returns counts what was copied so far, while the workload lives.
std::function<SpillCounts()> allow_spills(const ChipConfig& config, Workload& workload);

}  // namespace trnsim
