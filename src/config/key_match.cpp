// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/key_match.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

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
  std::string best;
  unsigned best_distance = std::numeric_limits<unsigned>::max();
  for (const std::string& candidate : known) {
    const unsigned moved = key_distance(leaf_of(path), leaf_of(candidate)) + 1;  // right key, wrong section
    const unsigned distance = std::min(key_distance(path, candidate), moved);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace trnsim
