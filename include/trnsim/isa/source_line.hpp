// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <compare>
#include <cstdint>

namespace trnsim {

/// Place in the source of a kernel.
struct SourceLine {
  std::uint32_t line = 0;  ///< From 1; 0 = not known.
  std::uint16_t file = 0;  ///< Index in `ProgramInfo::files`.
  [[nodiscard]] bool known() const { return line != 0; }
  auto operator<=>(const SourceLine&) const = default;
};

}  // namespace trnsim
