// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <vector>

#include "timeline/time_bins.hpp"
#include "timeline/writer.hpp"
#include "trnsim/result.hpp"

namespace trnsim {

/// What the counters of the whole chip are made of: when its units worked.
struct Activity {
  std::array<TimeBins, kEngineCount> engine_busy;  ///< By EngineKind, cores summed: fs.
  TimeBins array;                                  ///< fs with moving data.
  TimeBins dma, hbm_read, hbm_write;               ///< Bytes.
};

/// Whole nanoseconds of the file between which counters are constant, from 0 to the end.
std::vector<Time> counter_edges(Time end, std::size_t most);

/// Amounts per nanosecond, times `scale`, between each two of the edges.
std::vector<double> rate_values(const TimeBins& amounts, double scale, const std::vector<Time>& edges);
/// A level whose changes are given, at the end of each part.
std::vector<double> level_values(const TimeBins& changes, const std::vector<Time>& edges);
/// Power in mW. The energy of a component is spread over time as the work of its unit is, static energy
/// evenly, so that the integral is the total energy of the result.
std::vector<double> power_values(const Activity& activity, const EnergyBreakdown& energy, const std::vector<Time>& edges);

/// The integral of a counter over the file's own times is the sum of the amounts.
void write_rate(TimelineWriter& writer, TrackId counter, const TimeBins& amounts, double scale, const std::vector<Time>& edges);
void write_level(TimelineWriter& writer, TrackId counter, const TimeBins& changes, const std::vector<Time>& edges);
void write_power(TimelineWriter& writer, TrackId counter, const Activity& activity, const EnergyBreakdown& energy,
                 const std::vector<Time>& edges);

}  // namespace trnsim
