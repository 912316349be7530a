// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/sweep/description.hpp"
#include "app/sweep/draw.hpp"

namespace trnsim::app {

/// The points of a sweep before filters, made on demand from their number.
class Combination {
 public:
  /// The axes must outlive it and have values or a continuous range.
  explicit Combination(const SweepDescription& sweep);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// The value of an axis at a point.
  [[nodiscard]] std::string value(std::size_t point, std::size_t axis) const;
  /// The same as a place in the values of an axis; only for axes that have values.
  [[nodiscard]] std::size_t choice(std::size_t point, std::size_t axis) const;

 private:
  [[nodiscard]] double share(std::size_t point, std::size_t axis) const;

  const SweepDescription& sweep_;
  std::size_t size_ = 0;
  std::vector<std::size_t> strides_;                ///< Of a grid: points between two values of an axis.
  std::vector<Draws> draws_;                        ///< Of random and latin hypercube.
  std::vector<std::vector<std::uint32_t>> strata_;  ///< Of latin hypercube: the stratum of each point, by axis.
};

}  // namespace trnsim::app
