// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>

namespace trnsim {

/// Set of PSUM banks, bit b for bank b.
using PsumBanks = std::uint64_t;
inline constexpr std::uint32_t kMaxPsumBanks = 64;  ///< The most that `psum.banks` may be.

}  // namespace trnsim
