// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::app {

enum class Dimension : std::uint8_t { Time, Rate, Compute, Ratio, Bytes, Count, Power, Energy };

/// A unit of measurement and how many of its dimension's base unit it is.
struct Unit {
  std::string_view name;
  Dimension dimension;
  double factor;
};

/// ns, GB/s, TFLOPS, ratio, bytes, count, W, J: the units of reports.
std::string_view base_unit(Dimension dimension);
const Unit* find_unit(std::string_view name);
std::vector<std::string_view> unit_names(Dimension dimension);

/// A figure that can be measured and simulated. The first definition is the simulator's.
struct Metric {
  std::string_view name;
  Dimension dimension;
  std::vector<std::string_view> definitions;
  std::string_view meaning;  ///< Of the simulator's figure.
};

const std::vector<Metric>& metrics();
const Metric* find_metric(std::string_view name);

}  // namespace trnsim::app
