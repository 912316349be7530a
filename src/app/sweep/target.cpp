// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <type_traits>

#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"

namespace trnsim::app {
namespace {

constexpr std::string_view kParams = "params.", kSet = "set.";

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
      {"gemm_list", {TargetKind::GemmList, ValueType::Text, {}}},
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
  static const std::vector<std::string_view> kAll{"chip", "kernel", "cores", "max_time", "trace", "workload", "gemm_list"};
  return kAll;
}

std::optional<Target> target_of(std::string_view path) {
  if (const auto plain = plain_targets().find(path); plain != plain_targets().end()) return plain->second;
  if (path.starts_with(kParams) && path.find_first_of("=, \t", kParams.size()) == std::string_view::npos && path.size() > kParams.size()) {
    return Target{TargetKind::Param, ValueType::Param, std::string(path.substr(kParams.size()))};
  }
  if (path.starts_with(kSet)) {
    const auto key = key_types().find(path.substr(kSet.size()));
    if (key != key_types().end()) return Target{TargetKind::Set, key->second, key->first};
  }
  return std::nullopt;
}

std::string unknown_path(const std::string& path) {
  if (path.starts_with(kSet) && path.size() > kSet.size()) return unknown_key(path.substr(kSet.size()));
  if (path.starts_with(kParams)) return fmt::format("\"{}\" is not the name of a kernel parameter", path);
  std::vector<std::string> known(plain_paths().begin(), plain_paths().end());
  for (const auto& [key, type] : key_types()) known.push_back(std::string(kSet) + key);
  std::string hint;
  if (const std::string set = std::string(kSet) + path; key_types().contains(path)) {
    hint = fmt::format("; nearest: '{}'", set);
  } else {
    hint = nearest_hint(path, {known.begin(), known.end()});
  }
  return fmt::format("\"{}\" is no path of a sweep{}; allowed: {}, params.NAME, set.KEY", path, hint, fmt::join(plain_paths(), ", "));
}

}  // namespace trnsim::app
