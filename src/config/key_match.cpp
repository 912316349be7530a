// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/key_match.hpp"

#include <algorithm>
#include <cctype>

#include "config/field_table.hpp"
#include "trnsim/nearest.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kLongestCompared = 200;  // a longer word is nobody's typing error

std::string normal_form(std::string_view word) {
  std::string text;
  for (const char c : word.substr(0, kLongestCompared)) {
    const bool separator = c == '.' || c == '-' || c == '_';
    text += separator ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (const std::size_t at = text.find("gbps"); at != std::string::npos) text.replace(at, 4, "gb_per_s");
  return text;
}

}  // namespace

unsigned key_distance(std::string_view a, std::string_view b) { return edit_distance(normal_form(a), normal_form(b)); }

std::string nearest_key(std::string_view word, const std::vector<std::string>& candidates) {
  const auto best = std::min_element(candidates.begin(), candidates.end(), [&](const std::string& a, const std::string& b) {
    return key_distance(word, a) < key_distance(word, b);
  });
  return best == candidates.end() ? std::string{} : *best;
}

std::string nearest_path(std::string_view path, const std::vector<std::string>& known) {
  // A key that exists, or nearly, in another section; else the same section; else anything.
  std::vector<std::string> moved;
  std::vector<std::string> neighbours;
  const std::string section = normal_form(path.substr(0, path.find_first_of("._"))) + '_';
  for (const std::string& candidate : known) {
    if (key_distance(leaf_of(path), leaf_of(candidate)) <= 1) moved.push_back(candidate);
    if (normal_form(candidate).starts_with(section)) neighbours.push_back(candidate);
  }
  if (!moved.empty()) return nearest_key(path, moved);
  return nearest_key(path, neighbours.empty() ? known : neighbours);
}

}  // namespace trnsim
