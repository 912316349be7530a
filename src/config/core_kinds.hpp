// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>

#include "config/json_tree.hpp"

namespace trnsim {

/// Cores that differ cannot be described: said of whatever looks like an attempt, so that the answer is
/// not a misspelt key. Both return "" for anything else.

/// A section or number given as a list, as if one per kind of core.
std::string one_kind_of_core(const JsonNode& given);

/// An unknown key such as "cores", "core_kinds", "big_core" (with a list or an object), "tensor[1].rows" or
/// "cores.0.tensor.rows".
std::string one_kind_of_core(std::string_view unknown_path, const JsonNode* given);

}  // namespace trnsim
