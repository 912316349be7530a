// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/generation.hpp"

#include "units/names.hpp"

namespace trnsim {
namespace {

constexpr std::array<std::string_view, 3> kNames{"v2", "v3", "v4"};

}  // namespace

std::string_view name_of(Generation g) { return kNames[static_cast<std::size_t>(g)]; }
std::optional<Generation> generation_from(std::string_view name) { return find_name<Generation>(kNames, name); }

}  // namespace trnsim
