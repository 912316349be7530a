// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/filter_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "trnsim/nearest.hpp"

namespace trnsim::app {

FilterSet::FilterSet(const SweepDescription& sweep, Problems& problems) : sweep_(sweep) {
  for (std::size_t i = 0; i < sweep.filters.size(); ++i) {
    if (sweep.filters[i].empty()) continue;  // no text: a problem already
    try {
      filters_.emplace_back(sweep.filters[i], [this](const std::string& name) { return slot_of(name); });
    } catch (const FilterError& error) {
      problems.add(fmt::format("filters[{}]", i), fmt::format("column {}: {}", error.column(), error.what()));
    }
  }
}

std::size_t FilterSet::slot_of(const std::string& name) {
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known != names_.end()) return static_cast<std::size_t>(known - names_.begin());
  const auto axis = std::find_if(sweep_.axes.begin(), sweep_.axes.end(), [&](const Axis& a) { return a.path == name; });
  if (axis != sweep_.axes.end()) {
    const auto index = static_cast<std::size_t>(axis - sweep_.axes.begin());
    slots_.push_back({"", index, true});
    for (const std::string& value : axis->values) choices_[index].push_back(filter_value(value));
  } else if (const auto base = sweep_.base.find(name); base != sweep_.base.end()) {
    slots_.push_back({base->second});
  } else {
    std::vector<std::string_view> names;
    for (const Axis& a : sweep_.axes) names.emplace_back(a.path);
    for (const auto& [path, value] : sweep_.base) names.emplace_back(path);
    throw std::out_of_range(fmt::format("'{}' is neither an axis nor in base{}", name, nearest_hint(name, names)));
  }
  names_.push_back(name);
  return names_.size() - 1;
}

void FilterSet::fill(const Combination& combination, std::size_t point, std::vector<FilterValue>& values,
                     std::vector<std::string>& texts) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.from_axis) continue;
    if (const auto choices = choices_.find(slot.axis); choices != choices_.end()) {
      values[i] = choices->second[combination.choice(point, slot.axis)];
    } else {
      texts[i] = combination.value(point, slot.axis);
      values[i] = filter_value(texts[i]);
    }
  }
}

std::string FilterSet::point_text(const Combination& combination, std::size_t point) const {
  std::string text;
  for (std::size_t i = 0; i < sweep_.axes.size(); ++i) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", sweep_.axes[i].path, combination.value(point, i));
  }
  return text;
}

std::vector<std::uint32_t> FilterSet::passing(const Combination& combination, Problems& problems) const {
  std::vector<std::uint32_t> passing;
  std::vector<FilterValue> values;
  for (const Slot& slot : slots_) values.push_back(filter_value(slot.base));
  std::vector<std::string> texts(slots_.size());
  for (std::size_t point = 0; point < combination.size(); ++point) {
    fill(combination, point, values, texts);
    std::size_t filter = 0;
    try {
      while (filter < filters_.size() && filters_[filter].passes(values)) ++filter;
    } catch (const FilterError& error) {
      problems.add(fmt::format("filters[{}]", filter),
                   fmt::format("column {}: {}, at {}", error.column(), error.what(), point_text(combination, point)));
      return {};
    }
    if (filter == filters_.size()) passing.push_back(static_cast<std::uint32_t>(point));
  }
  if (passing.empty()) problems.add("filters", fmt::format("none of {} points passes", combination.size()));
  return passing;
}

}  // namespace trnsim::app
