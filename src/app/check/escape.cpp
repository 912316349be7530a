// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/escape.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace trnsim::app {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Length of the UTF-8 sequence at the start of `text`; 0 if there is none, or none that XML may hold.
std::size_t sequence(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool forbidden = code < 0x20 || (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
  return overlong || forbidden ? 0 : length;
}

std::string percent_encoded(std::string_view text, std::string_view characters) {
  std::string encoded;
  for (const char c : text) {
    if (characters.find(c) == std::string_view::npos) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    std::size_t length = 1;
    switch (text.front()) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&apos;"; break;
      case '\n':
      case '\r':
      case '\t': escaped += fmt::format("&#{};", static_cast<int>(text.front())); break;
      default: length = sequence(text); escaped += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

std::string github_message(std::string_view text) { return percent_encoded(text, "%\r\n"); }
std::string github_property(std::string_view text) { return percent_encoded(text, "%\r\n:,"); }

std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      cell += ' ';
    } else if (std::string_view("\\`*_|<>[]&").find(c) != std::string_view::npos) {
      cell += std::string("\\") + c;
    } else {
      cell += c;
    }
  }
  return cell;
}

}  // namespace trnsim::app
