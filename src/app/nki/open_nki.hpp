// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "app/nki/call.hpp"
#include "app/nki/recorder.hpp"
#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim::app {

/// Name of the recorder's target for a chip: its instructions and limits are those of the generation.
std::string target_of_chip(const ChipConfig& chip);

/// Records a kernel for this chip into a temporary file without a name and opens it as a trace.
Workload open_nki(const NkiCall& call, const ChipConfig& chip, RecorderHooks hooks);

}  // namespace trnsim::app
