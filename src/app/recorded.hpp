// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/request.hpp"

namespace trnsim::app {

/// The parts of a result file that repeating its run needs.
struct Recorded {
  std::string file;  ///< For messages.
  std::string json;
  RunRequest request;
  std::string config_hash, workload_hash;
  double time_ns = 0;
};

/// InputError for what is no result file, or the result of a run that was stopped by hand.
Recorded read_result(const std::string& path);

struct RecordedChip {
  ChipConfig config;
  bool as_recorded = false;  ///< Taken from the result file, which has no sources and thus no confidences.
};

/// The chip as it is described now if that is what the result was made with, else as recorded, with a warning.
RecordedChip chip_of(const Recorded& recorded, std::vector<std::string>& warnings, Console& console);

}  // namespace trnsim::app
