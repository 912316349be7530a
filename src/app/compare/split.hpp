// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trnsim/config/causes.hpp"

namespace trnsim::app {

/// Which points a split simulates.
enum class SplitOrders : std::uint8_t {
  All,     ///< Every set of groups: the average over all orders is exact.
  Stated,  ///< Each group alone, each last, and one order.
};

/// Outcome of the workload on one mix of two chips.
struct MixTime {
  std::optional<double> time_ns;
  std::string reason;  ///< Why it has no time.
};

/// Finds the times of mixes: of chip A with these groups from chip B.
using MixTimes = std::function<std::vector<MixTime>(const std::vector<CauseSet>& mixes)>;

/// One group of keys, or several that only go together, and its part of the speed-up as factors.
struct SplitGroup {
  CauseSet causes = 0;
  std::vector<std::string> keys;      ///< That differ.
  std::optional<double> alone, last;  ///< A with the group of B; B against B without it.
  std::string alone_reason, last_reason;
  double in_order = 1, running = 1;                  ///< Taken in the order of the list, and the product so far.
  std::optional<double> average, smallest, largest;  ///< Over all orders: geometric mean and extremes.
};

struct Split {
  std::string from, to;  ///< Labels of the columns.
  double speed_up = 1;
  SplitOrders orders = SplitOrders::Stated;
  std::size_t simulations = 0;  ///< Mixes that were simulated besides the two chips.
  std::vector<SplitGroup> groups;
  std::vector<std::string> remarks;  ///< Why groups were joined.
};

/// "array + SBUF/PSUM"
std::string names_of(CauseSet causes);

/// Groups of which at least one key that takes time differs, in the order of kCauses.
std::vector<SplitGroup> split_groups(const ChipConfig& a, const ChipConfig& b);

/// Splits the speed-up from `a` to `b`, whose times are known. Groups whose mixes are impossible chips or
/// are refused by the workload are joined with others until what is left can be simulated.
Split split_speed_up(const ChipConfig& a, const ChipConfig& b, double time_a, double time_b, SplitOrders orders, const MixTimes& times);

}  // namespace trnsim::app
