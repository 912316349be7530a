// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/compare/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "trnsim/config/load.hpp"

namespace trnsim::app {
namespace {

/// Set of groups, one bit each in the order of the list.
using GroupSet = std::uint32_t;

/// Times of mixes as far as they are known, for one pair of chips.
class Mixes {
 public:
  Mixes(const ChipConfig& a, const ChipConfig& b, double time_a, double time_b, const MixTimes& times)
      : a_(a), b_(b), time_b_(time_b), times_(times) {
    known_[0] = {time_a, {}};
  }

  [[nodiscard]] CauseSet causes(const std::vector<SplitGroup>& groups, GroupSet set) const {
    CauseSet causes = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) causes |= (set >> i & 1U) != 0 ? groups[i].causes : 0;
    return causes;
  }
  /// Simulates what is not known yet.
  void find(const std::vector<SplitGroup>& groups, const std::vector<GroupSet>& sets) {
    known_[causes(groups, all_of(groups))] = {time_b_, {}};
    std::vector<CauseSet> missing;
    for (const GroupSet set : sets) {
      const CauseSet mix = causes(groups, set);
      if (!known_.contains(mix) && std::find(missing.begin(), missing.end(), mix) == missing.end()) missing.push_back(mix);
    }
    std::vector<MixTime> found = times_(missing);
    for (std::size_t i = 0; i < missing.size(); ++i) known_[missing[i]] = std::move(found.at(i));
    simulations_ += missing.size();
  }
  [[nodiscard]] const MixTime& at(const std::vector<SplitGroup>& groups, GroupSet set) const { return known_.at(causes(groups, set)); }
  /// The first thing that makes the mix an impossible chip, "" if it is one.
  [[nodiscard]] std::string contradiction(const std::vector<SplitGroup>& groups, GroupSet set) const {
    const std::vector<std::string> problems = check_chip(mixed(a_, b_, causes(groups, set)));
    return problems.empty() ? std::string() : problems.front();
  }
  static GroupSet all_of(const std::vector<SplitGroup>& groups) { return (GroupSet{1} << groups.size()) - 1; }
  [[nodiscard]] std::size_t simulations() const { return simulations_; }

 private:
  const ChipConfig &a_, &b_;
  double time_b_;
  const MixTimes& times_;
  std::map<CauseSet, MixTime> known_;
  std::size_t simulations_ = 0;
};

bool has(GroupSet set, std::size_t group) { return (set >> group & 1U) != 0; }

/// Puts group `second` into `first`.
void join(std::vector<SplitGroup>& groups, std::size_t first, std::size_t second, const std::string& reason, Split& split) {
  split.remarks.push_back(
      fmt::format("{} and {} are taken together: {}", names_of(groups[first].causes), names_of(groups[second].causes), reason));
  groups[first].causes |= groups[second].causes;
  groups[first].keys.insert(groups[first].keys.end(), groups[second].keys.begin(), groups[second].keys.end());
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(second));
}

/// Joins the pair that leaves the fewest bad sets, until no set is bad. `why` says what is wrong with a set.
void join_until_good(std::vector<SplitGroup>& groups, const std::function<std::string(GroupSet)>& why, Split& split) {
  for (;;) {
    std::vector<GroupSet> bad;
    std::string reason;
    for (GroupSet set = 1; set < Mixes::all_of(groups); ++set) {
      const std::string wrong = why(set);
      if (wrong.empty()) continue;
      if (bad.empty()) reason = wrong;
      bad.push_back(set);
    }
    if (bad.empty()) return;
    std::size_t first = 0, second = 1, fewest = bad.size() + 1;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = i + 1; j < groups.size(); ++j) {
        const auto left =
            static_cast<std::size_t>(std::count_if(bad.begin(), bad.end(), [i, j](GroupSet set) { return has(set, i) == has(set, j); }));
        if (left < fewest) fewest = left, first = i, second = j;
      }
    }
    join(groups, first, second, reason, split);
  }
}

std::vector<GroupSet> sets_to_simulate(std::size_t count, SplitOrders orders) {
  const GroupSet all = (GroupSet{1} << count) - 1;
  std::vector<GroupSet> sets;
  if (orders == SplitOrders::All) {
    for (GroupSet set = 0; set <= all; ++set) sets.push_back(set);
    return sets;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const GroupSet one = GroupSet{1} << i;
    sets.insert(sets.end(), {one, all & ~one, (one << 1) - 1});
  }
  return sets;
}

/// False when a prefix of the order has no time; then its last group was joined with the next one.
bool prefixes_run(std::vector<SplitGroup>& groups, const Mixes& mixes, Split& split) {
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    const MixTime& mix = mixes.at(groups, (GroupSet{2} << i) - 1);
    if (mix.time_ns) continue;
    join(groups, i, i + 1, mix.reason, split);
    return false;
  }
  return true;
}

void add_factors(std::vector<SplitGroup>& groups, const Mixes& mixes, double time_a) {
  const GroupSet all = Mixes::all_of(groups);
  double before = time_a;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    SplitGroup& group = groups[i];
    const GroupSet one = GroupSet{1} << i;
    const MixTime &alone = mixes.at(groups, one), &without = mixes.at(groups, all & ~one);
    if (alone.time_ns) group.alone = time_a / *alone.time_ns;
    if (without.time_ns) group.last = *without.time_ns / mixes.at(groups, all).time_ns.value();
    group.alone_reason = alone.reason;
    group.last_reason = without.reason;
    const double now = mixes.at(groups, (one << 1) - 1).time_ns.value();
    group.in_order = before / now;
    group.running = time_a / now;
    before = now;
  }
}

/// Average over all orders, in which a set of s of the n-1 other groups comes first in s!(n-1-s)! of n!.
void add_averages(std::vector<SplitGroup>& groups, const Mixes& mixes) {
  const std::size_t n = groups.size();
  std::vector<double> weight(n, 1.0 / static_cast<double>(n));
  for (std::size_t s = 1; s < n; ++s) weight[s] = weight[s - 1] * static_cast<double>(s) / static_cast<double>(n - s);
  for (std::size_t i = 0; i < n; ++i) {
    double mean = 0;
    for (GroupSet set = 0; set <= Mixes::all_of(groups); ++set) {
      if (has(set, i)) continue;
      const double factor = mixes.at(groups, set).time_ns.value() / mixes.at(groups, set | GroupSet{1} << i).time_ns.value();
      mean += weight[static_cast<std::size_t>(std::popcount(set))] * std::log(factor);
      groups[i].smallest = std::min(groups[i].smallest.value_or(factor), factor);
      groups[i].largest = std::max(groups[i].largest.value_or(factor), factor);
    }
    groups[i].average = std::exp(mean);
  }
}

}  // namespace

std::string names_of(CauseSet causes) {
  std::string text;
  for (const Cause cause : kCauses) {
    if ((causes & bit_of(cause)) != 0) text += (text.empty() ? "" : " + ") + std::string(name_of(cause));
  }
  return text;
}

std::vector<SplitGroup> split_groups(const ChipConfig& a, const ChipConfig& b) {
  std::vector<SplitGroup> groups;
  const auto keys = differences(a, b);
  for (const Cause cause : kCauses) {
    const std::vector<std::string>& differ = keys.at(static_cast<std::size_t>(cause));
    if (std::none_of(differ.begin(), differ.end(), [](const std::string& path) { return takes_time(path); })) continue;
    SplitGroup group;
    group.causes = bit_of(cause);
    group.keys = differ;
    groups.push_back(std::move(group));
  }
  return groups;
}

Split split_speed_up(const ChipConfig& a, const ChipConfig& b, double time_a, double time_b, SplitOrders orders, const MixTimes& times) {
  Split split;
  split.from = a.name;
  split.to = b.name;
  split.speed_up = time_a / time_b;
  split.orders = orders;
  std::vector<SplitGroup> groups = split_groups(a, b);
  if (groups.empty()) return split;
  Mixes mixes(a, b, time_a, time_b, times);
  join_until_good(
      groups, [&](GroupSet set) { return mixes.contradiction(groups, set); }, split);
  do {
    mixes.find(groups, sets_to_simulate(groups.size(), orders));
    if (orders == SplitOrders::All)
      join_until_good(
          groups, [&](GroupSet set) { return mixes.at(groups, set).reason; }, split);
  } while (!prefixes_run(groups, mixes, split));
  add_factors(groups, mixes, time_a);
  if (orders == SplitOrders::All) add_averages(groups, mixes);
  split.simulations = mixes.simulations();
  split.groups = std::move(groups);
  return split;
}

}  // namespace trnsim::app
