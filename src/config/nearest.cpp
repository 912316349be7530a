// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>

#include "config/field_table.hpp"

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

std::size_t edit_distance(std::string_view left, std::string_view right) {
  const std::string a = normal_form(left);
  const std::string b = normal_form(right);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto best = std::min_element(candidates.begin(), candidates.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  return best == candidates.end() ? std::string{} : *best;
}

std::string nearest_path(std::string_view path, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : known) {
    const std::size_t moved = edit_distance(leaf_of(path), leaf_of(candidate)) + 1;  // right key, wrong section
    const std::size_t distance = std::min(edit_distance(path, candidate), moved);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace trnsim
