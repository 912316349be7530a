// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

namespace trnsim::app {

/// The sweep of a folder as JSON for a page: columns that differ between its points, the others once. Errors as of
/// open_sweep.
std::string sweep_part(const std::string& folder, const std::string& name);

}  // namespace trnsim::app
