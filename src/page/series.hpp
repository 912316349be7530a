// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "page/collected.hpp"
#include "timeline/time_bins.hpp"

namespace trnsim {

/// A run cut into parts of one width, a power of two in nanoseconds, so that bins of any width fit; the last
/// part ends with the run.
struct Parts {
  Parts(Time end, std::size_t most);

  /// Part of each part's time that the amounts, in fs, take.
  [[nodiscard]] std::vector<double> shares(const TimeBins& amounts) const;
  /// Amounts per ns, times `scale`; what lies after the end of the run does not count.
  [[nodiscard]] std::vector<double> rates(const TimeBins& amounts, double scale) const;

  std::uint64_t width_ns = 1;
  std::vector<Time> edges;
};

/// A curve of the page; `core` is null for the whole chip.
void add_one_series(std::string& text, std::string_view name, std::string_view unit, std::string_view core, const Parts& parts,
                    const std::vector<double>& values, void (*add)(std::string&, double));

/// All curves of a run: traffic, power, and of each core its array and memories.
void add_series(std::string& text, PageCollected& collected, const Result& result);

}  // namespace trnsim
