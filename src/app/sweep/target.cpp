// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <type_traits>

#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"

namespace trnsim::app {
namespace {

constexpr std::string_view kSet = "set.";

/// Groups whose names only the kernel knows.
struct NamedGroup {
  std::string_view prefix;
  TargetKind kind;
  ValueType type;
};
constexpr std::array<NamedGroup, 3> kNamedGroups{{{"params.", TargetKind::Param, ValueType::Param},
                                                  {"args.", TargetKind::Arg, ValueType::Argument},
                                                  {"policy.", TargetKind::Policy, ValueType::Argument}}};

/// Collects the type of every key of a chip description.
class KeyTypes {
 public:
  template <class Member>
  void operator()(std::string_view name, const Member&, const Field&) {
    types[prefix_ + std::string(name)] = std::is_same_v<Member, bool>          ? ValueType::Flag
                                         : std::is_same_v<Member, std::string> ? ValueType::Text
                                         : std::is_integral_v<Member>          ? ValueType::Whole
                                                                               : ValueType::Number;
  }
  template <class Member>
  void operator()(std::string_view name, const Member& member, const Group&) {
    const std::string outer = prefix_;
    prefix_ += std::string(name) + '.';
    Member::describe(*this, member);
    prefix_ = outer;
  }

  std::map<std::string, ValueType, std::less<>> types;

 private:
  std::string prefix_;
};

const std::map<std::string, ValueType, std::less<>>& key_types() {
  static const auto kAll = [] {
    KeyTypes visitor;
    const ChipConfig config;
    ChipConfig::describe(visitor, config);
    return visitor.types;
  }();
  return kAll;
}

const std::map<std::string_view, Target>& plain_targets() {
  static const std::map<std::string_view, Target> kAll{
      {"chip", {TargetKind::Chip, ValueType::Text, {}}},          {"kernel", {TargetKind::Kernel, ValueType::Text, {}}},
      {"cores", {TargetKind::Cores, ValueType::Whole, {}}},       {"max_time", {TargetKind::MaxTime, ValueType::Text, {}}},
      {"trace", {TargetKind::Trace, ValueType::Text, {}}},        {"workload", {TargetKind::Workload, ValueType::Text, {}}},
      {"gemm_list", {TargetKind::GemmList, ValueType::Text, {}}}, {"nki", {TargetKind::Nki, ValueType::Text, {}}},
      {"grid", {TargetKind::Grid, ValueType::Argument, {}}},
  };
  return kAll;
}

/// In the words of the code that reads --set, which knows the keys and their likenesses.
std::string unknown_key(const std::string& key) {
  const std::vector<std::string> presets = preset_names();
  const std::string override = key + "=1";
  try {
    std::vector<std::string> warnings;
    if (!presets.empty()) load_chip(presets.front(), {{override}, false}, warnings);
  } catch (const InputError& error) {
    const std::string prefix = "--set " + override + ": ";
    for (const std::string& problem : error.problems()) {
      if (problem.starts_with(prefix)) return problem.substr(prefix.size());
    }
  }
  return key + ": unknown key";
}

}  // namespace

const std::vector<std::string_view>& plain_paths() {
  static const std::vector<std::string_view> kAll{"chip", "kernel", "cores", "max_time", "trace", "workload", "gemm_list", "nki", "grid"};
  return kAll;
}

std::optional<Target> target_of(std::string_view path) {
  if (const auto plain = plain_targets().find(path); plain != plain_targets().end()) return plain->second;
  for (const auto& [prefix, kind, type] : kNamedGroups) {
    if (path.starts_with(prefix) && path.find_first_of("=, \t", prefix.size()) == std::string_view::npos && path.size() > prefix.size())
      return Target{kind, type, std::string(path.substr(prefix.size()))};
  }
  if (path.starts_with(kSet)) {
    const auto key = key_types().find(path.substr(kSet.size()));
    if (key != key_types().end()) return Target{TargetKind::Set, key->second, key->first};
  }
  return std::nullopt;
}

std::string unknown_path(const std::string& path) {
  if (path.starts_with(kSet) && path.size() > kSet.size()) return unknown_key(path.substr(kSet.size()));
  for (const auto& [prefix, kind, type] : kNamedGroups) {
    if (path.starts_with(prefix)) return fmt::format("\"{}\" is not the name of a kernel parameter", path);
  }
  std::vector<std::string> known(plain_paths().begin(), plain_paths().end());
  for (const auto& [key, type] : key_types()) known.push_back(std::string(kSet) + key);
  std::string hint;
  if (const std::string set = std::string(kSet) + path; key_types().contains(path)) {
    hint = fmt::format("; nearest: '{}'", set);
  } else {
    hint = nearest_hint(path, {known.begin(), known.end()});
  }
  return fmt::format("\"{}\" is no path of a sweep{}; allowed: {}, params.NAME, args.NAME, policy.NAME, set.KEY", path, hint,
                     fmt::join(plain_paths(), ", "));
}

}  // namespace trnsim::app
