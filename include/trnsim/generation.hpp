// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trnsim {

/// NeuronCore generations: v2 = Trn1/Inf2, v3 = Trn2, v4 = Trn3 and the projected Trn4.
enum class Generation : std::uint8_t { V2, V3, V4 };
inline constexpr std::size_t kGenerationCount = 3;

std::string_view name_of(Generation g);  ///< "v2"
std::optional<Generation> generation_from(std::string_view name);

}  // namespace trnsim
