// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/check/measure.hpp"

namespace trnsim::app {

/// A figure measured on hardware, in the unit it was given and in the base unit.
struct Measured {
  const Metric* metric = nullptr;
  double value = 0;
  std::string_view unit;
  double base_value = 0;
  std::string definition;  ///< Empty = not stated.
};

/// Figures measured in one run on hardware.
struct Profile {
  std::string chip;
  std::uint64_t cores = 0;
  std::string workload;  ///< Name; empty = not stated.
  std::string source;
  std::vector<Measured> metrics;
};

/// A "trnsim_profile" file, docs/schemas/profile.schema.json; InputError with every problem. Also the summary that the vendor's
/// profiler writes as JSON (one object of figures under the name of the profile), which names neither chip nor cores.
Profile parse_profile(std::string_view text, const std::string& file);

/// What the result says of a metric, in base units; nothing where the result has no such figure.
struct SimulatedFigures {
  std::string chip;
  std::uint64_t cores = 0;
  std::string workload;
  std::size_t overrides = 0;  ///< Keys of the chip that were changed.
  std::string truncated;
  std::vector<std::optional<double>> values;  ///< In the order of metrics().
};
SimulatedFigures parse_figures(std::string_view text, const std::string& file);

/// One row of the comparison.
struct ComparedMetric {
  Measured measured;
  std::optional<double> simulated;  ///< In base units.
  std::optional<double> ratio;      ///< Simulated over measured.
  std::string definition;           ///< "same", "differs: …", "not stated".
};

/// InputError if the figures are of another chip, another number of cores or another workload, or of a run stopped early.
std::vector<ComparedMetric> compare_figures(const SimulatedFigures& simulated, const Profile& profile);

std::string hardware_table(const std::vector<ComparedMetric>& rows);
std::string hardware_json(const std::vector<ComparedMetric>& rows, const Profile& profile);

}  // namespace trnsim::app
