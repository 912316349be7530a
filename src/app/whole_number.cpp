// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/whole_number.hpp"

#include <fmt/format.h>

#include <charconv>

#include "app/options.hpp"

namespace trnsim::app {

std::uint64_t whole_number(std::string_view text, const std::string& option, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw UsageError(fmt::format("{} \"{}\": want a whole number from {} to {}", option, text, least, most));
  }
  return value;
}

}  // namespace trnsim::app
