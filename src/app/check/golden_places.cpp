// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/golden_places.hpp"

#include <algorithm>

#include "app/json.hpp"

namespace trnsim::app {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::size_t skip_space(std::string_view text, std::size_t at) { return std::min(text.find_first_not_of(kSpace, at), text.size()); }

/// The place after the closing quote.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

/// The place after a value. Counts brackets instead of calling itself: a file may nest as deep as it likes.
std::size_t skip_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] != '{' && text[at] != '[') return std::min(text.find_first_of(",]} \t\r\n", at), text.size());
  std::size_t depth = 0;
  do {
    if (text[at] == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    ++at;
  } while (depth > 0 && at < text.size());
  return at;
}

/// Moves from the end of one entry to the next; false at the closing bracket.
bool next_entry(std::string_view text, std::size_t& at) {
  at = skip_space(text, at);
  if (at >= text.size() || text[at] != ',') return false;
  at = skip_space(text, at + 1);
  return true;
}

bool has_entries(std::string_view text, std::size_t& at) {
  at = skip_space(text, at + 1);
  return at < text.size() && text[at] != '}' && text[at] != ']';
}

}  // namespace

std::vector<MemberPlace> members_at(std::string_view text, std::size_t begin) {
  std::vector<MemberPlace> members;
  std::size_t at = begin;
  if (!has_entries(text, at)) return members;
  do {
    MemberPlace member;
    member.key_begin = at;
    at = skip_string(text, at);
    member.key = Json::parse(text.substr(member.key_begin, at - member.key_begin)).get<std::string>();
    member.value_begin = skip_space(text, skip_space(text, at) + 1);
    member.value_end = at = skip_value(text, member.value_begin);
    members.push_back(std::move(member));
  } while (next_entry(text, at));
  return members;
}

std::vector<std::size_t> elements_at(std::string_view text, std::size_t begin) {
  std::vector<std::size_t> elements;
  std::size_t at = begin;
  if (!has_entries(text, at)) return elements;
  do {
    elements.push_back(at);
    at = skip_value(text, at);
  } while (next_entry(text, at));
  return elements;
}

std::size_t json_begin(std::string_view text) { return skip_space(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0); }

unsigned line_of(std::string_view text, std::size_t place) {
  return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

}  // namespace trnsim::app
