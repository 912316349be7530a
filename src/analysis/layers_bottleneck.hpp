// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "trnsim/result.hpp"

namespace trnsim {

/// The resource that limits the layers with most of the time. Shares are means over the time of the layers;
/// bounds add up, since layers do not overlap.
Bottleneck layers_bottleneck(const Result& result);

}  // namespace trnsim
