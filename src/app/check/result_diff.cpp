// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/result_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/check/verdict.hpp"

namespace trnsim::app {
namespace {

std::vector<ChangedText> changes(const NamedValues& a, const NamedValues& b) {
  std::map<std::string, std::string> after(b.begin(), b.end());
  std::vector<ChangedText> changed;
  for (const auto& [path, value] : a) {
    const auto found = after.find(path);
    if (found == after.end()) {
      changed.push_back({path, value, ""});
      continue;
    }
    if (found->second != value) changed.push_back({path, value, found->second});
    after.erase(found);
  }
  for (const auto& [path, value] : b) {
    if (after.contains(path)) changed.push_back({path, "", value});
  }
  return changed;
}

std::vector<ChangedFact> paired(const std::vector<Fact>& a, const std::vector<Fact>& b) {
  std::map<std::string, double> after;
  for (const Fact& fact : b) after.emplace(fact.name, fact.value);
  std::vector<ChangedFact> facts;
  for (const Fact& fact : a) {
    const auto found = after.find(fact.name);
    facts.push_back({fact.group, fact.name, fact.value, found == after.end() ? 0 : found->second});
    if (found != after.end()) after.erase(found);
  }
  for (const Fact& fact : b) {
    if (after.contains(fact.name)) facts.push_back({fact.group, fact.name, 0, fact.value});
  }
  std::stable_sort(facts.begin(), facts.end(), [](const ChangedFact& x, const ChangedFact& y) {
    return std::pair(x.group, -std::abs(x.change())) < std::pair(y.group, -std::abs(y.change()));
  });
  return facts;
}

bool is_echo(const ChangedFact& fact) {
  return fact.name.ends_with(" idle") || fact.name.ends_with(" wait_engine") || fact.name.ends_with(" wait_buffer");
}

/// What changed besides numbers, for the end of the sentence.
std::string cause(const ResultDiff& diff) {
  if (!diff.workload.empty()) return diff.config.empty() ? "; the workload differs" : "; workload and configuration differ";
  const auto& config = diff.config;
  if (config.size() == 1) {
    return fmt::format("; one configuration key differs: {} ({} -> {})", config[0].path,
                       config[0].before.empty() ? "absent" : config[0].before, config[0].after.empty() ? "absent" : config[0].after);
  }
  if (!config.empty()) return fmt::format("; {} configuration keys differ", config.size());
  return diff.tool.empty() ? "; same tool, configuration and workload" : "; configuration and workload are the same, the tool differs";
}

}  // namespace

bool ResultDiff::identical() const {
  return config.empty() && workload.empty() && values.empty() && a.cores == b.cores && a.time_ns == b.time_ns &&
         a.launch_ns == b.launch_ns && a.truncated == b.truncated &&
         std::all_of(facts.begin(), facts.end(), [](const ChangedFact& fact) { return fact.change() == 0; });
}

const ChangedFact* ResultDiff::largest() const {
  const ChangedFact* echo = nullptr;
  for (const ChangedFact& fact : facts) {  // by absolute change
    if (fact.group != FactGroup::EngineTime || fact.change() == 0) continue;
    if (!is_echo(fact)) return &fact;
    if (echo == nullptr) echo = &fact;
  }
  return echo;
}

ResultDiff diff_results(ResultFacts a, ResultFacts b) {
  ResultDiff diff;
  diff.tool = changes(a.tool, b.tool);
  diff.config = changes(a.config, b.config);
  diff.workload = changes(a.workload, b.workload);
  diff.facts = paired(a.facts, b.facts);
  diff.values = changes(a.rest, b.rest);
  diff.same_clock = a.cycle_clock_ghz == b.cycle_clock_ghz;
  diff.a = std::move(a);
  diff.b = std::move(b);
  return diff;
}

std::string diff_sentence(const ResultDiff& diff) {
  if (diff.identical()) return "No number differs.";
  const double total = diff.b.time_ns - diff.a.time_ns;
  const ChangedFact* most = diff.largest();
  if (most == nullptr) return fmt::format("No engine's time changed{}.", cause(diff));
  return fmt::format("Largest change: {} {:+.3f} ns, of {:+.3f} ns in total{}.", most->name, most->change(), total, cause(diff));
}

std::vector<std::string> diff_summary(const ResultDiff& diff) {
  static constexpr std::size_t kShown = 3;
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& what, const std::vector<ChangedText>& changed) {
    for (std::size_t i = 0; i < std::min(changed.size(), kShown); ++i) {
      lines.push_back(fmt::format("{} {}: {} -> {}", what, changed[i].path, changed[i].before, changed[i].after));
    }
    if (changed.size() > kShown) lines.push_back(fmt::format("{}: {} more differ", what, changed.size() - kShown));
  };
  add("tool", diff.tool);
  add("chip", diff.config);
  add("workload", diff.workload);
  std::size_t shown = 0;
  for (const ChangedFact& fact : diff.facts) {
    if (fact.group != FactGroup::EngineTime || fact.change() == 0 || fact.name.ends_with(" idle")) continue;
    lines.push_back(fmt::format("{}: {:+.3f} ns ({})", fact.name, fact.change(), percent_change(fact.before, fact.after)));
    if (++shown == kShown) break;
  }
  lines.push_back(diff_sentence(diff));
  return lines;
}

}  // namespace trnsim::app
