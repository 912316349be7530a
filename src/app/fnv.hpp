// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string_view>

namespace trnsim::app {

inline constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325ULL;

/// 64-bit FNV-1a; `hash` continues an earlier one.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = kFnvStart) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace trnsim::app
