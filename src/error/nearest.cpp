// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "error/nearest.hpp"

#include <algorithm>

namespace trnsim {
namespace {

constexpr std::size_t kLongest = 64;  // longer words are nobody's misspelling

}  // namespace

unsigned edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<unsigned> before_last(width), last(width), row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = static_cast<unsigned>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const unsigned replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.empty() || word.size() > kLongest) return {};
  std::string_view best;
  auto distance = static_cast<unsigned>(word.size() / 2 + 1);
  for (const std::string_view name : known) {
    if (name.size() > kLongest) continue;
    const unsigned d = edit_distance(word, name);
    if (d < distance) {
      distance = d;
      best = name;
    }
  }
  return best;
}

std::string nearest_hint(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view best = nearest_name(word, known);
  return best.empty() ? std::string{} : "; nearest: '" + std::string(best) + "'";
}

}  // namespace trnsim
