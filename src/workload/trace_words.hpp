// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/isa/instruction.hpp"
#include "trnsim/version.hpp"

namespace trnsim {

namespace key {
inline constexpr std::string_view kVersion = kTraceFormat.key;
}  // namespace key

std::string_view name_of(TensorUse use);  ///< "input"
std::optional<TensorUse> tensor_use_from(std::string_view name);
std::string_view name_of(PerfMode mode);  ///< "double_row"
std::optional<PerfMode> perf_mode_from(std::string_view name);

/// All names of an enumeration, in its order, for messages.
template <class Enum>
std::vector<std::string_view> all_names(std::size_t count) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(name_of(static_cast<Enum>(i)));
  return names;
}
std::vector<std::string_view> opcode_names();
/// Why an instruction that a recorder may write cannot be simulated; empty for any other word.
std::string_view not_modelled(std::string_view op);

/// "a, b, c"
std::string listed(const std::vector<std::string_view>& names);

/// 196608 as "196,608".
std::string thousands(std::uint64_t n);

/// Generations of a bit set as messages print them.
std::string generations_of(std::uint8_t bits);  ///< "v3 (Trn2), v4 (Trn3)"

}  // namespace trnsim
