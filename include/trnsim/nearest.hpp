// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trnsim {

/// Edit distance with transpositions of neighbours counted once.
unsigned edit_distance(std::string_view a, std::string_view b);

/// The known name closest to a misspelt one; empty if none is closer than half of its length.
/// The first of equals wins.
std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& known);

/// "; nearest: 'engine'", or nothing when no known name is close. Ends an error message.
std::string nearest_hint(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace trnsim
