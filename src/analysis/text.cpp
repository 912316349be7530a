// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace trnsim {
namespace {

struct Scale {
  double unit;
  const char* name;
};

/// At least three digits, in the largest unit that leaves one before the point.
std::string scaled(double value, std::span<const Scale> scales) {
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.unit) return fmt::format("{} {}", number_text(value / scale.unit), scale.name);
  }
  return fmt::format("{} {}", number_text(value / scales.back().unit), scales.back().name);
}

/// Takes the next word off the text. A number and the unit after it are one word.
std::string_view next_word(std::string_view& text) {
  constexpr std::string_view kUnits[]{"%",    "s", "ms", "µs", "ns", "B",  "KiB", "MiB", "GiB",   "TiB",
                                      "GB/s", "W", "J",  "mJ", "µJ", "nJ", "pJ",  "GHz", "TFLOPS"};
  std::size_t end = std::min(text.find(' '), text.size());
  if (end > 0 && end < text.size() && text[end - 1] >= '0' && text[end - 1] <= '9') {
    const std::string_view rest = text.substr(end + 1);
    std::string_view unit = rest.substr(0, rest.find(' '));
    const std::size_t size = unit.size();
    while (!unit.empty() && std::string_view(",;.)").find(unit.back()) != std::string_view::npos) unit.remove_suffix(1);
    if (std::find(std::begin(kUnits), std::end(kUnits), unit) != std::end(kUnits)) end += 1 + size;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

constexpr Scale kTimes[]{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
constexpr Scale kEnergies[]{{1e12, "J"}, {1e9, "mJ"}, {1e6, "µJ"}, {1e3, "nJ"}, {1, "pJ"}};
constexpr Scale kBytes[]{{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}};

}  // namespace

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string time_text(double ns) { return scaled(ns, kTimes); }
std::string energy_text(double pj) { return scaled(pj, kEnergies); }

std::string bytes_text(double bytes) {
  if (bytes < 1024 && bytes == std::floor(bytes)) return fmt::format("{:.0f} B", bytes);
  return scaled(bytes, kBytes);
}

std::string number_text(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return with_commas(static_cast<std::uint64_t>(std::llround(size)));
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string with_commas(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string or_dash(const std::optional<double>& value, std::string (*text)(double)) { return value ? text(*value) : std::string("-"); }

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return width;
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t now = text_width(text);
  if (now < width) text.append(width - now, ' ');
  return text;
}

std::string pad_left(const std::string& text, std::size_t width) {
  const std::size_t now = text_width(text);
  return now < width ? std::string(width - now, ' ') + text : text;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = next_word(text);
    const std::size_t size = text_width(word);
    if (column > indent && column + 1 + size > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += size;
  }
  return out;
}

std::string to_ascii(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kReplacements{
      {{"·", "|"}, {"×", "x"}, {"µ", "u"}, {"…", "..."}, {"–", "-"}, {"█", "#"}, {"░", "."}, {"▒", "+"}, {"─", "-"}}};
  std::string out;
  while (!text.empty()) {
    bool replaced = false;
    for (const auto& [from, to] : kReplacements) {
      if (!text.starts_with(from)) continue;
      out += to;
      text.remove_prefix(from.size());
      replaced = true;
      break;
    }
    if (replaced) continue;
    out += static_cast<unsigned char>(text.front()) < 0x80U ? text.front() : '?';
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace trnsim
