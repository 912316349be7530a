// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/json_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 32;

/// Reads characters and tells how far the parser has come.
struct TrackedIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** cursor = nullptr;

  reference operator*() const { return *at; }
  TrackedIterator& operator++() {
    *cursor = ++at;
    return *this;
  }
  TrackedIterator operator++(int) {
    const TrackedIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackedIterator& other) const { return at == other.at; }
};

struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};

Place place_of(std::string_view text, std::size_t offset) {
  Place place;
  for (const char c : text.substr(0, std::min(offset, text.size()))) {
    place.line += c == '\n' ? 1 : 0;
    place.column = c == '\n' ? 1 : place.column + 1;
  }
  return place;
}

/// Builds the tree; its functions are the interface that `json::sax_parse` calls.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::string& file, std::vector<std::string>& problems)
      : text_(text), file_(file), problems_(problems), counted_(text.data()) {}

  const char* cursor = nullptr;
  JsonNode root;

  bool null() { return add(JsonNode{}); }
  bool boolean(bool value) {
    JsonNode node;
    node.kind = JsonNode::Kind::Boolean;
    node.boolean = value;
    return add(std::move(node));
  }
  bool number_integer(json::number_integer_t value) { return number(static_cast<double>(value)); }
  bool number_unsigned(json::number_unsigned_t value) { return number(static_cast<double>(value)); }
  bool number_float(json::number_float_t value, const std::string&) { return number(value); }
  bool string(std::string& value) {
    JsonNode node;
    node.kind = JsonNode::Kind::String;
    node.text = std::move(value);
    return add(std::move(node));
  }
  bool binary(json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(JsonNode::Kind::Object); }
  bool start_array(std::size_t) { return open(JsonNode::Kind::Array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    key_line_ = line();
    if (!seen_.back().insert(name).second) problems_.push_back(fmt::format("{}:{}: the key \"{}\" is given twice", file_, key_line_, name));
    open_.back()->keys.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*last_token*/, const json::exception& error) {
    const std::size_t offset = position == 0 ? 0 : position - 1;
    const Place place = place_of(text_, offset);
    throw ConfigError(fmt::format("{}:{}:{}: {}", file_, place.line, place.column, reason(offset, error.what())));
  }

 private:
  bool number(double value) {
    JsonNode node;
    node.kind = JsonNode::Kind::Number;
    node.number = value;
    return add(std::move(node));
  }

  JsonNode& place(JsonNode node) {
    // The parser has read one character past a number, so the line of the key is the safe one.
    node.line = !open_.empty() && open_.back()->is(JsonNode::Kind::Object) ? key_line_ : line();
    if (open_.empty()) {
      root = std::move(node);
      return root;
    }
    open_.back()->items.push_back(std::move(node));
    return open_.back()->items.back();
  }
  bool add(JsonNode node) {
    place(std::move(node));
    return true;
  }
  bool open(JsonNode::Kind kind) {
    if (open_.size() >= kMaxDepth) throw ConfigError(fmt::format("{}:{}: nested deeper than {} levels", file_, line(), kMaxDepth));
    JsonNode node;
    node.kind = kind;
    seen_.emplace_back();
    open_.push_back(&place(std::move(node)));  // stays valid: only the innermost open node grows
    return true;
  }
  bool close() {
    open_.pop_back();
    seen_.pop_back();
    return true;
  }

  std::size_t line() {
    line_ += static_cast<std::size_t>(std::count(counted_, std::max(counted_, cursor), '\n'));
    counted_ = std::max(counted_, cursor);
    return line_;
  }

  [[nodiscard]] std::string reason(std::size_t offset, std::string_view library_text) const {
    if (offset >= text_.size()) return "the file ends in the middle of a value";
    const std::size_t before = offset == 0 ? std::string_view::npos : text_.find_last_not_of(" \t\r\n", offset - 1);
    const bool closes = text_[offset] == '}' || text_[offset] == ']';
    if (closes && before != std::string_view::npos && text_[before] == ',') return fmt::format("trailing comma before '{}'", text_[offset]);
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
    for (const std::string_view prefix_end : {"] ", ": "}) {
      const std::size_t at = library_text.find(prefix_end);
      if (at != std::string_view::npos) library_text.remove_prefix(at + prefix_end.size());
    }
    return "not JSON: " + std::string(library_text);
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<std::string>& problems_;
  std::vector<JsonNode*> open_;
  std::vector<std::set<std::string>> seen_;  ///< Keys of each open object.
  const char* counted_;
  std::size_t line_ = 1;
  std::size_t key_line_ = 1;
};

}  // namespace

const JsonNode* JsonNode::find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  const auto index = static_cast<std::size_t>(found - keys.begin());
  return found == keys.end() || index >= items.size() ? nullptr : &items[index];
}

std::string JsonNode::describe() const {
  switch (kind) {
    case Kind::Boolean: return boolean ? "true" : "false";
    case Kind::Number: return fmt::format("the number {}", number);
    case Kind::String: return fmt::format("the text \"{}\"", text);
    case Kind::Array: return "a list";
    case Kind::Object: return "an object";
    default: return "null";
  }
}

JsonNode parse_json(std::string_view text, const std::string& file, std::vector<std::string>& problems) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) throw ConfigError(file + ": the file is empty; expected a JSON object");

  TreeBuilder builder(text, file, problems);
  builder.cursor = text.data();
  const TrackedIterator begin{text.data(), &builder.cursor};
  const TrackedIterator end{text.data() + text.size(), &builder.cursor};
  json::sax_parse(begin, end, &builder);
  return std::move(builder.root);
}

}  // namespace trnsim
