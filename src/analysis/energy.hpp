// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/result.hpp"

namespace trnsim {

struct Totals;

/// Energy of the run: counts × coefficients per component, static power × device time.
///
/// Instruction issue is part of the component of the engine that executes (Sync: dma). Left out:
/// chip-to-chip links (0, no traffic yet) and dependence on the data.
EnergyBreakdown energy_of(const ChipConfig& chip, const Snapshot& snapshot, const Totals& totals);

/// Energy of one multiply-accumulate at this type; FP8 at the 16-bit rate unless `double_row`.
double mac_energy_pj(const EnergyConfig& energy, DType dtype, bool double_row);

/// Power the whole chip draws without any work, in watts.
double idle_power_w(const ChipConfig& chip);

/// Where the coefficients come from, for the result file.
std::string energy_source(const ChipConfig& chip);

}  // namespace trnsim
