// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trnsim/units.hpp"

namespace trnsim {

// Numbers of a page as short as a viewer needs them; all append to a text.

std::string json_string(std::string_view text);  ///< Quoted; what is no UTF-8 is replaced.
void add_tenths(std::string& text, std::uint64_t tenths);
/// Tenths of a nanosecond, rounded.
std::uint64_t tenths_of_ns(Time time);
/// In nanoseconds, to 1 ps as results have it.
void add_exact_ns(std::string& text, Time time);
/// A share of at most 1 with three digits.
void add_share(std::string& text, double share);
void add_number(std::string& text, double value);  ///< Seven significant digits.
void add_whole(std::string& text, double value);   ///< Rounded to a whole number.

/// "[a,b,c]": `add(text, value)` writes each.
template <class Values, class Add>
void add_list(std::string& text, const Values& values, const Add& add) {
  text += '[';
  bool first = true;
  for (const auto& value : values) {
    if (!first) text += ',';
    first = false;
    add(text, value);
  }
  text += ']';
}

}  // namespace trnsim
