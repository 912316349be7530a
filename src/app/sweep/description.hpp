// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/job_pool.hpp"
#include "app/sweep/problems.hpp"
#include "app/sweep/target.hpp"

namespace trnsim::app {

inline constexpr std::uint64_t kMostPoints = 10'000'000;  ///< Before filters.
inline constexpr std::uint64_t kMostValues = 1'000'000;   ///< Of all axes together.
inline constexpr std::uint64_t kMostStrata = 50'000'000;  ///< Samples times axes of a Latin hypercube, which are kept.

/// Numbers from `from` to `to`, both included; without steps every number between them.
struct AxisRange {
  double from = 0;
  double to = 0;
  bool log = false;
  std::uint64_t steps = 0;  ///< Number of values; 0 = not given.
  double step = 0;          ///< Difference, on a log scale ratio, of neighbours; 0 = not given.

  [[nodiscard]] bool continuous() const { return steps == 0 && step == 0; }
};

struct Axis {
  std::string path;
  Target target;
  std::vector<std::string> values;  ///< Of a list, or made from a range with steps.
  std::optional<AxisRange> range;
};

enum class Combine : std::uint8_t { Grid, Zip, Random, LatinHypercube };

/// A sweep file as written, its values as the texts of --param and --set.
struct SweepDescription {
  std::map<std::string, std::string> base;  ///< By path: "chip", "params.m", "set.hbm.stacks".
  std::vector<Axis> axes;
  Combine combine = Combine::Grid;
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> filters;
  JobLimits limits;
};

/// Reads the form of the file: keys, types, paths, ranges, sizes. InputError only for text that is no
/// sweep file at all; everything else is added to `problems`.
SweepDescription read_description(std::string_view text, const std::string& file, Problems& problems);

/// Shortest text that reads back the same; whole numbers without an exponent.
std::string plain_number(double value);

/// To 12 significant digits, so that a computed value is the same on every machine.
double rounded(double value);

}  // namespace trnsim::app
