// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>

#include "trnsim/units.hpp"

namespace trnsim::app {

/// Simulated time with its unit (fs, ps, ns, us, µs, ms, s): "10us", "1.5ms". Exact: no floating point.
/// InputError, starting with `option`, for anything else, zero included.
Time parse_duration(std::string_view text, const std::string& option);

}  // namespace trnsim::app
