// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>

namespace trnsim {

/// Files that are read whole (chip descriptions, workloads, results, measurements) are refused beyond this.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

}  // namespace trnsim
