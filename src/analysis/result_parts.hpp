// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "analysis/totals.hpp"
#include "trnsim/result.hpp"

namespace trnsim {

/// Steps that the result of one run and that of a list of layers have in common.

void fill_host_times(Result& result, std::uint64_t kernels);  ///< Launch, gaps between kernels, total.
void check_energy(const EnergyBreakdown& energy);             ///< InternalError unless the components add up.
void fill_power(Result& result);                              ///< Average power, and a warning above the chip's limit.
void add_remarks(Result& result);                             ///< What a reader must know of the energy coefficients.
/// Assumed and derived numbers the result rests on, and what they do to its time.
void fill_assumed(Result& result, const Totals& totals);

}  // namespace trnsim
