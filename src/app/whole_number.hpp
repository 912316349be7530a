// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trnsim::app {

/// The value of an option; `option` as typed, e.g. "--jobs". UsageError for anything but a whole number in the range.
std::uint64_t whole_number(std::string_view text, const std::string& option, std::uint64_t least, std::uint64_t most);

}  // namespace trnsim::app
