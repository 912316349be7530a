// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "config/core_kinds.hpp"
#include "config/key_match.hpp"

namespace trnsim {
namespace {

constexpr const char* kByUser = "user";
constexpr std::size_t kMostSuggestions = 100;  // a file of nothing but unknown keys is no chip

std::string_view type_name(const FieldValue& type) {
  if (std::holds_alternative<std::string>(type)) return "a text";
  return std::holds_alternative<double>(type) ? "a number" : "a whole number";
}

/// A number as the field's own type; nothing when a whole number is wanted and it is not one.
std::optional<FieldValue> as_number(double number, const FieldValue& type) {
  if (std::holds_alternative<double>(type)) return FieldValue{number};
  if (!std::holds_alternative<std::uint32_t>(type) || number != std::floor(number)) return std::nullopt;
  if (number < 0 || number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return FieldValue{static_cast<std::uint32_t>(number)};
}

std::optional<FieldValue> from_node(const JsonNode& node, const FieldValue& type) {
  if (node.is(JsonNode::Kind::Number)) return as_number(node.number, type);
  if (node.is(JsonNode::Kind::Boolean) && std::holds_alternative<bool>(type)) return FieldValue{node.boolean};
  if (node.is(JsonNode::Kind::String) && std::holds_alternative<std::string>(type)) return FieldValue{node.text};
  return std::nullopt;
}

/// A value of the command line as JSON would write it; text stays text.
JsonNode node_of(std::string_view text, const FieldValue& type) {
  JsonNode node;
  node.kind = JsonNode::Kind::String;
  node.text = text;
  if (std::holds_alternative<std::string>(type)) return node;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node.number);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(node.number)) node.kind = JsonNode::Kind::Number;
  if (text == "true" || text == "false") node.kind = JsonNode::Kind::Boolean;
  node.boolean = text == "true";
  return node;
}

std::string type_problem(const FieldRef& target, const JsonNode& node) {
  const FieldValue type = target.value();
  const std::string allowed = allowed_values(target.field, type);
  const bool number_wanted = !std::holds_alternative<bool>(type) && !std::holds_alternative<std::string>(type);
  if (node.is(JsonNode::Kind::Number) && number_wanted) return fmt::format("{} is not allowed; allowed: {}", node.number, allowed);
  if (std::holds_alternative<bool>(type)) return fmt::format("expected {}, found {}", allowed, node.describe());
  return fmt::format("expected {} ({}), found {}", type_name(type), allowed, node.describe());
}

}  // namespace

ChipReader::ChipReader(ChipConfig& config, bool allow_unknown, std::vector<std::string>& warnings)
    : config_(config), allow_unknown_(allow_unknown), warnings_(warnings), fields_(fields_of(config)) {
  for (std::size_t i = 0; i < fields_.size(); ++i) index_.emplace(fields_[i].path, i);
}

const FieldRef* ChipReader::find(std::string_view path) const {
  const auto found = index_.find(path);
  return found == index_.end() ? nullptr : &fields_[found->second];
}

bool ChipReader::is_section(std::string_view path) const {
  return std::any_of(sections().begin(), sections().end(), [&](const Section& s) { return s.path == path; });
}

void ChipReader::unknown(const std::string& place, const std::string& path, const JsonNode* node) {
  if (const std::string kinds = one_kind_of_core(path, node); !kinds.empty()) {
    problems.push_back(fmt::format("{}: {}: {}", place, path, kinds));
    return;
  }
  const bool section_expected = node != nullptr && node->is(JsonNode::Kind::Object);
  std::string text = fmt::format("{}: {}: unknown key", place, path);
  if (suggestions_++ < kMostSuggestions) {
    std::vector<std::string> known;
    for (const FieldRef& field : fields_) known.push_back(field.path);
    if (section_expected) {
      for (const Section& section : sections()) known.push_back(section.path);
    }
    text += fmt::format("; did you mean {}?", nearest_path(path, known));
  }
  (allow_unknown_ ? warnings_ : problems).push_back(std::move(text));
}

void ChipReader::store(const FieldRef& target, const FieldValue& value, const std::string& place, const std::string& origin) {
  if (const std::string wrong = range_problem(target.field, value); !wrong.empty()) {
    problems.push_back(fmt::format("{}: {}: {}", place, target.path, wrong));
    return;
  }
  if (value == target.value()) return;
  target.store(value);
  if (!origin.empty() && !std::holds_alternative<std::string>(value))
    config_.sources[target.path] = ValueSource{print(value), kByUser, origin, "", {}};
}

void ChipReader::read_value(const FieldRef& target, const JsonNode& node, const std::string& place, const std::string& origin) {
  given_.insert(target.path);
  if (const auto value = from_node(node, target.value())) return store(target, *value, place, origin);
  const std::string kinds = one_kind_of_core(node);
  problems.push_back(fmt::format("{}: {}: {}{}{}", place, target.path, type_problem(target, node), kinds.empty() ? "" : ": ", kinds));
}

void ChipReader::read_members(const JsonNode& object, const std::string& prefix, const ChipFile& file) {
  for (std::size_t i = 0; i < object.keys.size() && i < object.items.size(); ++i) {
    const std::string path = prefix + object.keys[i];
    const JsonNode& node = object.items[i];
    const std::string place = fmt::format("{}:{}", file.name, node.line);
    if (path == "extends" || path == "sources" || path == "$schema") continue;
    if (const FieldRef* target = find(path)) {
      read_value(*target, node, place, file.extends ? file.name : "");
    } else if (!is_section(path)) {
      unknown(place, path, &node);
    } else if (node.is(JsonNode::Kind::Object)) {
      read_members(node, path + '.', file);
    } else {
      given_.insert(path);
      const std::string kinds = one_kind_of_core(node);
      problems.push_back(
          fmt::format("{}: {}: expected an object, found {}{}{}", place, path, node.describe(), kinds.empty() ? "" : ": ", kinds));
    }
  }
}

void ChipReader::apply(const ChipFile& file) {
  if (!file.tree.is(JsonNode::Kind::Object)) {
    problems.push_back(fmt::format("{}:1: expected an object with the sections of a chip, found {}", file.name, file.tree.describe()));
    return;
  }
  read_members(file.tree, "", file);
  if (const JsonNode* sources = file.tree.find("sources")) read_sources(*sources, file);
}

void ChipReader::apply_override(const std::string& text) {
  const std::string place = "--set " + text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    problems.push_back(fmt::format("{}: expected path=value, for example --set hbm.stack_gb_per_s=800", place));
    return;
  }
  const std::string path = text.substr(0, equals);
  const FieldRef* target = find(path);
  if (target == nullptr && is_section(path)) {
    problems.push_back(fmt::format("{}: {} is a section; set one of its keys", place, path));
    return;
  }
  if (target == nullptr) return unknown(place, path);
  const std::string written = text.substr(equals + 1);
  read_value(*target, node_of(written, target->value()), place, "--set");
  config_.overrides.emplace_back(path, written);
}

void ChipReader::require_all(const std::string& file) {
  std::map<std::string, std::vector<std::string>> absent;
  for (const FieldRef& field : fields_) {
    const std::string section(section_of(field.path));
    if (std::holds_alternative<std::string*>(field.member) || given_.contains(field.path) || given_.contains(section)) continue;
    absent[section].emplace_back(field.path);
  }
  for (const auto& [section, paths] : absent) {
    problems.push_back(fmt::format("{}: missing {}: {}; give a value, or start from a preset with \"extends\": \"trn2\"", file,
                                   paths.size() == 1 ? "key" : "keys", fmt::join(paths, ", ")));
  }
}

}  // namespace trnsim
