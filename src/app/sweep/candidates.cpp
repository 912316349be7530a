// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trnsim::app {
namespace {

std::vector<Candidate> of_axis(const Axis& axis, const std::string& place) {
  if (axis.range) {
    const bool made = !axis.values.empty();
    return {{made ? axis.values.front() : plain_number(axis.range->from), place + ".range"},
            {made ? axis.values.back() : plain_number(axis.range->to), place + ".range"}};
  }
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < axis.values.size(); ++i) found.push_back({axis.values[i], fmt::format("{}.values[{}]", place, i)});
  return found;
}

}  // namespace

std::vector<Candidate> candidates(const SweepDescription& sweep, const std::string& path) {
  for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
    if (sweep.axes[i].path == path) return of_axis(sweep.axes[i], fmt::format("axes[{}]", i));
  }
  const auto base = sweep.base.find(path);
  if (base == sweep.base.end()) return {};
  return {{base->second, "base." + path}};
}

std::vector<std::string> paths_of(const SweepDescription& sweep, TargetKind kind) {
  std::set<std::string> paths;
  for (const auto& [path, value] : sweep.base) {
    if (const auto target = target_of(path); target && target->kind == kind) paths.insert(path);
  }
  for (const Axis& axis : sweep.axes) {
    if (axis.target.kind == kind) paths.insert(axis.path);
  }
  return {paths.begin(), paths.end()};
}

std::map<std::string, std::string> first_values(const SweepDescription& sweep) {
  std::map<std::string, std::string> values = sweep.base;
  for (const Axis& axis : sweep.axes) {
    const std::vector<Candidate> own = candidates(sweep, axis.path);
    if (!own.empty()) values[axis.path] = own.front().value;
  }
  return values;
}

}  // namespace trnsim::app
