// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"

namespace trnsim {

/// A figure that follows from the description by arithmetic.
struct DerivedFigure {
  std::string group;  ///< "Peak", "Memory", "Traffic", "Port", "Ridge", "DMA"
  std::string name;   ///< "bf16, core"
  double value = 0;
  std::string unit;
  std::string formula;
};

/// Peak rates and ridge points by data type, capacities, bandwidths of memories, DMA and engines, break-even sizes of DMA. Links between
/// chips are not part of a description.
std::vector<DerivedFigure> derived_figures(const ChipConfig& config);

/// `trnsim chips list`: one line per preset.
std::string list_chips();

/// `trnsim chips show NAME`: every key with value, unit and help, by section.
std::string show_chip(const ChipConfig& config);

/// `--sources`: confidence, source, note and alternatives of every value.
std::string show_sources(const ChipConfig& config);

/// `--derived`: the derived figures.
std::string show_derived(const ChipConfig& config);

/// `trnsim chips diff A B`: features side by side, then the values that differ.
std::string diff_chips(const ChipConfig& a, const ChipConfig& b);

/// docs/parameters.md: every key with unit, range, meaning and the value of each preset.
std::string parameter_document();

}  // namespace trnsim
