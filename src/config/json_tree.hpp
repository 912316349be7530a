// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim {

/// A JSON value that remembers the line it stands on.
struct JsonNode {
  enum class Kind { Null, Boolean, Number, String, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  double number = 0;
  std::string text;               ///< Of a string.
  std::vector<std::string> keys;  ///< Of an object, one per item.
  std::vector<JsonNode> items;
  std::size_t line = 0;

  [[nodiscard]] const JsonNode* find(std::string_view key) const;
  [[nodiscard]] bool is(Kind k) const { return kind == k; }
  /// "an object", "the number 3", for messages.
  [[nodiscard]] std::string describe() const;
};

/// Parses one JSON document. A byte order mark and CRLF line ends are fine. Throws ConfigError with
/// file, line and column when the text is not JSON; a key given twice is added to `problems`.
JsonNode parse_json(std::string_view text, const std::string& file, std::vector<std::string>& problems);

}  // namespace trnsim
