// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <vector>

#include "app/sweep/description.hpp"
#include "app/sweep/resolve.hpp"

namespace trnsim::app {

/// Kernels and their parameters: names, what is required, and each value by making the kernel. A value is
/// a mistake when the kernel refuses it for the same reason whatever chip and sizes stand beside it.
/// `chips` are those of the sweep, without overrides.
void check_kernels(const SweepDescription& sweep, const Resolver& resolver, const std::vector<ChipConfig>& chips, Problems& problems);

}  // namespace trnsim::app
