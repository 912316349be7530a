// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

namespace trnsim::app {

/// Columns for a terminal, two spaces apart, two before the first; numbers stand right, the columns of `left` left. No spaces at
/// the ends of lines.
std::string text_table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& left);

}  // namespace trnsim::app
