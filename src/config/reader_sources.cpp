// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "config/key_match.hpp"
#include "config/reader.hpp"

namespace trnsim {
namespace {

const std::vector<std::string> kConfidences{"published", "measured", "external", "derived", "assumed", "user"};
const std::vector<std::string> kSourceKeys{"value", "confidence", "source", "note", "alternatives", "range", "range_reason"};

bool is_text_list(const JsonNode& node) {
  return node.is(JsonNode::Kind::Array) &&
         std::all_of(node.items.begin(), node.items.end(), [](const JsonNode& item) { return item.is(JsonNode::Kind::String); });
}

bool is_pair_of_numbers(const JsonNode& node) {
  return node.is(JsonNode::Kind::Array) && node.items.size() == 2 && node.items[0].is(JsonNode::Kind::Number) &&
         node.items[1].is(JsonNode::Kind::Number);
}

ValueRange& range_of(ValueSource& source) { return source.range ? *source.range : source.range.emplace(); }

/// What is wrong with the range of a value, "" when it holds it and the key allows all of it.
std::string range_mistake(const FieldRef& target, const ValueSource& source, bool has_limits) {
  const ValueRange& range = *source.range;
  if (!has_limits) return "range_reason: there is no range";
  const FieldValue actual = target.value();
  const auto* number = std::get_if<double>(&actual);
  const auto* whole = std::get_if<std::uint32_t>(&actual);
  if (number == nullptr && whole == nullptr) return "range: only a number has one";
  if (range.lo > range.hi) return fmt::format("range: [{}, {}] ends below its start", range.lo, range.hi);
  const double value = number != nullptr ? *number : *whole;
  if (value < range.lo || value > range.hi) return fmt::format("range: [{}, {}] does not hold the value {}", range.lo, range.hi, value);
  for (const double end : {range.lo, range.hi}) {
    if (whole != nullptr && (end < 0 || end != std::floor(end))) return fmt::format("range: {} is not a whole number", end);
    const FieldValue typed = whole != nullptr ? FieldValue{static_cast<std::uint32_t>(std::min(end, 4294967295.0))} : FieldValue{end};
    if (const std::string wrong = range_problem(target.field, typed); !wrong.empty()) return "range: " + wrong;
  }
  if (range.reason.empty()) return "range_reason: a range needs one";
  return "";
}

/// What is wrong with one member of a source entry, "" when it was stored.
std::string read_member(ValueSource& source, const std::string& key, const JsonNode& node) {
  if (key == "alternatives") {
    if (!is_text_list(node)) return "expected a list of texts, found " + node.describe();
    for (const JsonNode& item : node.items) source.alternatives.push_back(item.text);
    return "";
  }
  if (key == "range") {
    if (!is_pair_of_numbers(node)) return "expected two numbers, [lowest, highest], found " + node.describe();
    range_of(source).lo = node.items[0].number;
    range_of(source).hi = node.items[1].number;
    return "";
  }
  if (key == "value" && node.is(JsonNode::Kind::Number)) {
    source.value = print(FieldValue{node.number});
    return "";
  }
  if (key == "value" && node.is(JsonNode::Kind::Boolean)) {
    source.value = print(FieldValue{node.boolean});
    return "";
  }
  if (!node.is(JsonNode::Kind::String)) return "expected a text, found " + node.describe();
  if (key == "value") source.value = node.text;
  if (key == "confidence") source.confidence = node.text;
  if (key == "source") source.source = node.text;
  if (key == "note") source.note = node.text;
  if (key == "range_reason") range_of(source).reason = node.text;
  return "";
}

}  // namespace

void ChipReader::read_sources(const JsonNode& node, const ChipFile& file) {
  if (!node.is(JsonNode::Kind::Object)) {
    problems.push_back(fmt::format("{}:{}: sources: expected an object with key paths, found {}", file.name, node.line, node.describe()));
    return;
  }
  for (std::size_t i = 0; i < node.keys.size() && i < node.items.size(); ++i) read_source(node.keys[i], node.items[i], file);
}

void ChipReader::read_source(const std::string& path, const JsonNode& node, const ChipFile& file) {
  const std::string place = fmt::format("{}:{}", file.name, node.line);
  const FieldRef* target = find(path);
  if (target == nullptr) return unknown(place + ": sources", path);
  if (!node.is(JsonNode::Kind::Object)) {
    problems.push_back(fmt::format("{}: sources: {}: expected an object, found {}", place, path, node.describe()));
    return;
  }
  ValueSource source;
  for (std::size_t i = 0; i < node.keys.size() && i < node.items.size(); ++i) {
    const std::string& key = node.keys[i];
    if (std::find(kSourceKeys.begin(), kSourceKeys.end(), key) == kSourceKeys.end()) {
      const std::string text =
          fmt::format("{}: sources: {}: {}: unknown key; did you mean {}?", place, path, key, nearest_key(key, kSourceKeys));
      (allow_unknown_ ? warnings_ : problems).push_back(text);
    } else if (const std::string wrong = read_member(source, key, node.items[i]); !wrong.empty()) {
      problems.push_back(fmt::format("{}: sources: {}: {}: {}", place, path, key, wrong));
    }
  }
  if (std::find(kConfidences.begin(), kConfidences.end(), source.confidence) == kConfidences.end()) {
    problems.push_back(fmt::format("{}: sources: {}: confidence: \"{}\" is not allowed; allowed: {}", place, path, source.confidence,
                                   fmt::join(kConfidences, ", ")));
  }
  const std::string actual = print(target->value());
  const JsonNode* stated = node.find("value");
  if (stated != nullptr && stated->is(JsonNode::Kind::Number) && source.value != actual) {
    problems.push_back(fmt::format("{}: sources: {}: value: says {} where the description has {}", place, path, source.value, actual));
  }
  if (source.range) {
    const std::string wrong = range_mistake(*target, source, node.find("range") != nullptr);
    if (!wrong.empty()) problems.push_back(fmt::format("{}: sources: {}: {}", place, path, wrong));
  }
  if (source.value.empty()) source.value = actual;
  config_.sources[path] = std::move(source);
}

}  // namespace trnsim
