// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/request.hpp"
#include "app/sweep/loaded_chips.hpp"
#include "app/sweep/spec.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {

/// What is known of a point without simulating it.
struct KnownPoint {
  std::vector<std::string> axes;    ///< SweepPoint::values
  std::vector<std::string> values;  ///< In the order of result_columns(); what a simulation finds is empty.
  std::string config;               ///< Resolved chip as JSON without blanks; empty if it cannot be had.
  std::string identity;             ///< Equal for points that simulate the same; empty when refused.
  std::string error;                ///< Why the point is refused, one line; empty when it is not.
};

/// Loads the chip, and resolves the parameters of the kernel if asked to.
KnownPoint look_at(const SweepPoint& point, const LoadedChips& chips, bool with_kernel);

/// A simulated point.
struct SimulatedPoint {
  std::vector<std::string> axes;
  std::vector<std::string> values;
  std::string config;
};

/// The two for a forked job and its parent: texts that hold them. The simulation leaves the chip out if its hash
/// is among `known_configs`, and adds it.
std::string known_points_text(const std::vector<KnownPoint>& points);
std::vector<KnownPoint> known_points(std::string_view text);
std::string simulate_point(const SweepPoint& point, const LoadedChips& chips, std::set<std::string>& known_configs);
SimulatedPoint simulated_point(std::string_view text);

/// An error message on one line.
std::string one_line(const std::string& message);
/// The same for an exception, with what the program would print in front of it.
std::string one_line(const Error& error);

/// Place of a result column.
std::size_t result_column(std::string_view name);

}  // namespace trnsim::app
