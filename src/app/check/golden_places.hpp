// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::app {

/// Where a member of an object stands in a JSON text: the quotes of its key, and its value.
struct MemberPlace {
  std::string key;
  std::size_t key_begin, value_begin, value_end;
};

/// Members of the object, or first characters of the array's elements, at `begin` of a text that is known to be JSON.
std::vector<MemberPlace> members_at(std::string_view text, std::size_t begin);
std::vector<std::size_t> elements_at(std::string_view text, std::size_t begin);

/// First character of the outermost value, after white space and a byte order mark.
std::size_t json_begin(std::string_view text);

/// Counted from 1.
unsigned line_of(std::string_view text, std::size_t place);

}  // namespace trnsim::app
