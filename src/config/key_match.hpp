// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trnsim {

/// Edit distance of two keys; '.', '-' and '_' count as equal, case is ignored, "gbps" reads as "gb_per_s".
unsigned key_distance(std::string_view a, std::string_view b);

/// The candidate most like `word`, however far; "" when there are none. The first of equals wins.
std::string nearest_key(std::string_view word, const std::vector<std::string>& candidates);

/// The known key path most like `path`: the whole path, or the last part in another section.
std::string nearest_path(std::string_view path, const std::vector<std::string>& known);

}  // namespace trnsim
