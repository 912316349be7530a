// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "config/field_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <limits>

#include "trnsim/config/load.hpp"

namespace trnsim {
namespace {

/// Calls `leaf(path, member, field)` and `group(path, help)` for everything below one struct.
template <class Leaf, class GroupFn>
class Walker {
 public:
  Walker(Leaf& leaf, GroupFn& group) : leaf_(leaf), group_(group) {}

  template <class Member>
  void operator()(std::string_view name, Member& member, const Field& field) {
    leaf_(prefix_ + std::string(name), member, field);
  }
  template <class Member>
  void operator()(std::string_view name, Member& member, const Group& group) {
    const std::string outer = prefix_;
    group_(prefix_ + std::string(name), group.help);
    prefix_ += std::string(name) + '.';
    std::remove_const_t<Member>::describe(*this, member);
    prefix_ = outer;
  }

 private:
  Leaf& leaf_;
  GroupFn& group_;
  std::string prefix_;
};

template <class Config, class Leaf, class GroupFn>
void walk(Config& config, Leaf leaf, GroupFn group) {
  Walker<Leaf, GroupFn> walker(leaf, group);
  ChipConfig::describe(walker, config);
}

constexpr auto kNoGroup = [](const std::string&, std::string_view) {};
constexpr double kNoLimit = std::numeric_limits<double>::max();

std::string choices_text(std::string_view choices) {
  std::string text;
  for (const char c : choices) text += c == '|' ? std::string(", ") : std::string(1, c);
  if (const auto last = text.rfind(", "); last != std::string::npos) text.replace(last, 2, " or ");
  return text;
}

bool is_choice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    const std::size_t end = choices.find('|');
    if (choices.substr(0, end) == value) return true;
    choices.remove_prefix(end == std::string_view::npos ? choices.size() : end + 1);
  }
  return false;
}

bool in_range(const Field& field, double value) { return (field.positive ? value > field.min : value >= field.min) && value <= field.max; }

}  // namespace

FieldValue FieldRef::value() const {
  return std::visit([](auto* target) -> FieldValue { return *target; }, member);
}

void FieldRef::store(const FieldValue& new_value) const {
  std::visit(
      [&](auto* target) {
        if (const auto* v = std::get_if<std::remove_pointer_t<decltype(target)>>(&new_value)) *target = *v;
      },
      member);
}

std::vector<FieldRef> fields_of(ChipConfig& config) {
  std::vector<FieldRef> fields;
  walk(
      config,
      [&](std::string path, auto& member, const Field& field) {
        fields.push_back({std::move(path), field, &member});
      },
      kNoGroup);
  return fields;
}

std::vector<FieldEntry> entries_of(const ChipConfig& config) {
  std::vector<FieldEntry> entries;
  walk(
      config,
      [&](std::string path, const auto& member, const Field& field) {
        entries.push_back({std::move(path), field, member});
      },
      kNoGroup);
  return entries;
}

const std::vector<Section>& sections() {
  static const std::vector<Section> all = [] {
    std::vector<Section> found;
    const ChipConfig config;
    walk(
        config, [](const std::string&, const auto&, const Field&) {},
        [&](const std::string& path, std::string_view help) {
          found.push_back({path, help});
        });
    return found;
  }();
  return all;
}

std::string print(const FieldValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

std::string_view section_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view leaf_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::string allowed_values(const Field& field, const FieldValue& type) {
  if (std::holds_alternative<bool>(type)) return "true or false";
  if (std::holds_alternative<std::string>(type)) return field.choices.empty() ? "any text" : choices_text(field.choices);
  std::string text = fmt::format("{} {}", field.positive ? ">" : ">=", field.min);
  if (field.max < kNoLimit) text += fmt::format(" and <= {}", field.max);
  if (!field.unit.empty()) text += fmt::format(" {}", field.unit);
  if (std::holds_alternative<std::uint32_t>(type)) text += ", a whole number";
  return text;
}

std::string range_problem(const Field& field, const FieldValue& value) {
  bool fine = true;
  if (const auto* number = std::get_if<double>(&value)) fine = in_range(field, *number);
  if (const auto* whole = std::get_if<std::uint32_t>(&value)) fine = in_range(field, *whole);
  if (const auto* text = std::get_if<std::string>(&value)) fine = field.choices.empty() || is_choice(field.choices, *text);
  return fine ? "" : fmt::format("{} is not allowed; allowed: {}", print(value), allowed_values(field, value));
}

bool is_whole_number_key(std::string_view path) {
  static const std::vector<FieldEntry> entries = entries_of(ChipConfig{});
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const FieldEntry& e) { return e.path == path; });
  return found != entries.end() && std::holds_alternative<std::uint32_t>(found->value);
}

}  // namespace trnsim
