// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/sweep/combination.hpp"
#include "app/sweep/description.hpp"
#include "app/sweep/filter.hpp"

namespace trnsim::app {

/// The filters of a sweep over its axes and base values.
class FilterSet {
 public:
  /// Adds the mistakes of the expressions to `problems`. The description must outlive it.
  FilterSet(const SweepDescription& sweep, Problems& problems);

  /// Numbers of the points that pass all filters. A filter that cannot be computed at some point, and no
  /// point at all, are problems.
  [[nodiscard]] std::vector<std::uint32_t> passing(const Combination& combination, Problems& problems) const;

 private:
  [[nodiscard]] std::size_t slot_of(const std::string& name);
  void fill(const Combination& combination, std::size_t point, std::vector<FilterValue>& values, std::vector<std::string>& texts) const;
  [[nodiscard]] std::string point_text(const Combination& combination, std::size_t point) const;

  /// Where a name of a filter gets its value.
  struct Slot {
    std::string base;      ///< The value, if no axis has it.
    std::size_t axis = 0;  ///< Otherwise.
    bool from_axis = false;
  };

  const SweepDescription& sweep_;
  std::vector<Filter> filters_;
  std::vector<std::string> names_;
  std::vector<Slot> slots_;
  std::map<std::size_t, std::vector<FilterValue>> choices_;  ///< By axis: its values, if it has any.
};

}  // namespace trnsim::app
