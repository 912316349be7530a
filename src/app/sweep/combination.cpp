// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/combination.hpp"

#include <algorithm>

#include "app/sweep/range.hpp"

namespace trnsim::app {

Combination::Combination(const SweepDescription& sweep) : sweep_(sweep) {
  const std::vector<Axis>& axes = sweep.axes;
  if (sweep.combine == Combine::Zip) {
    size_ = axes.front().values.size();
  } else if (sweep.combine == Combine::Grid) {
    size_ = 1;
    strides_.resize(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
      strides_[i] = size_;
      size_ *= axes[i].values.size();
    }
  } else {
    size_ = static_cast<std::size_t>(sweep.samples);
    for (const Axis& axis : axes) draws_.emplace_back(sweep.seed, axis.path);
  }
  if (sweep.combine != Combine::LatinHypercube) return;
  for (const Draws& draws : draws_) strata_.push_back(draws.permutation(static_cast<std::uint32_t>(size_)));
}

double Combination::share(std::size_t point, std::size_t axis) const {
  const double within = draws_[axis].share(point);
  if (strata_.empty()) return within;
  const double share = (static_cast<double>(strata_[axis][point]) + within) / static_cast<double>(size_);
  return std::min(share, 1 - 0x1.0p-53);
}

std::size_t Combination::choice(std::size_t point, std::size_t axis) const {
  const std::size_t count = sweep_.axes[axis].values.size();
  if (sweep_.combine == Combine::Zip) return point;
  if (sweep_.combine == Combine::Grid) return point / strides_[axis] % count;
  return std::min(count - 1, static_cast<std::size_t>(share(point, axis) * static_cast<double>(count)));
}

std::string Combination::value(std::size_t point, std::size_t axis) const {
  const Axis& a = sweep_.axes[axis];
  return a.values.empty() ? range_value_at(*a.range, a.target, share(point, axis)) : a.values[choice(point, axis)];
}

}  // namespace trnsim::app
