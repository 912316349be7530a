// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/request.hpp"
#include "app/sweep/draw.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {

/// A number of the chip that is drawn anew for every sample.
struct Drawn {
  std::string path;
  std::string confidence;
  double value = 0;  ///< As described.
  double lo = 0, hi = 0;
  bool whole = false;  ///< Only integers.

  /// The value at 0 <= u < 1 of the range. Integers are equally likely; between powers of two only these are drawn.
  [[nodiscard]] double at(double u) const;
};

/// What is drawn and what has a range but was set by hand.
struct DrawnNumbers {
  std::vector<Drawn> drawn;       ///< Sorted by path.
  std::vector<std::string> held;  ///< Sorted.
};

/// The assumed and derived numbers that a result's time rests on and whose range is more than a point.
DrawnNumbers drawn_numbers(const Result& result);

/// One choice of values, in the order of the numbers; the chip that has them, or why there is none.
struct Sample {
  std::vector<double> values;
  ChipConfig chip;
  std::string problem;
};

/// A Latin hypercube: each number's range is cut into `count` parts, each used once, in an order that depends on seed and path alone.
/// Numbers that break a rule of the chip together are drawn again from their whole range.
class Sampler {
 public:
  Sampler(const RunRequest& request, std::vector<Drawn> numbers, std::size_t count, std::uint64_t seed);

  [[nodiscard]] Sample draw(std::size_t sample) const;
  [[nodiscard]] const std::vector<Drawn>& numbers() const { return numbers_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  [[nodiscard]] ChipConfig chip_with(const std::vector<double>& values) const;

  const RunRequest* request_;
  std::vector<Drawn> numbers_;
  std::size_t count_;
  std::vector<Draws> draws_;
  std::vector<std::vector<std::uint32_t>> parts_;
};

}  // namespace trnsim::app
