// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"
#include "trnsim/layers.hpp"
#include "trnsim/report.hpp"

namespace trnsim {

/// The least time that a workload can take on a chip, by arithmetic on its instructions alone.
///
/// Each resource by itself, the busiest core: what its instructions, bytes and MACs need at least. Left out: every dependency,
/// conflict and wait, which only make a run longer.
struct Bound {
  double ns = 0;                                             ///< The largest of `resources_ns`.
  std::string resource;                                      ///< That sets it; "none" without work.
  std::vector<std::pair<std::string, double>> resources_ns;  ///< Names as in bottleneck.bounds_ns.
  std::uint64_t instructions = 0;                            ///< Walked, all cores.
  bool whole = true;  ///< False: a long kernel, of which a part was walked; the rest counts by MACs and bytes alone.
  std::uint64_t macs = 0;
};

struct BoundOptions {
  std::uint64_t most_records = 1'000'000;  ///< Of a program; what follows is not read.
};

/// One layer of a list.
struct LayerBound {
  Layer layer;
  Bound bound;
};

/// What `trnsim run --bound` prints.
struct BoundReport {
  ChipConfig chip;
  std::string command;
  std::vector<std::string> warnings;
  std::string workload_name;
  std::string workload_source;
  std::map<std::string, std::string> params;
  Bound bound;                     ///< Of a list the sum over its layers.
  std::vector<LayerBound> layers;  ///< Empty unless the work is a list.
};

/// Adds what follows: times add up, and the largest sum names the resource.
void add_bound(Bound& sum, const Bound& next);

std::string to_json(const BoundReport& report);  ///< Ends with a newline.
std::string terminal_report(const BoundReport& report, const ReportStyle& style);

/// Reads the programs. A prefix of a program needs no longer than the whole, so a bound of less is a bound of all.
Bound lower_bound(const ChipConfig& chip, Workload& workload, const BoundOptions& options = {});

}  // namespace trnsim
