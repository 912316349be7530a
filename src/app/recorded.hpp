// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/request.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {

/// The parts of a result file that repeating its run needs.
struct Recorded {
  std::string file;  ///< For messages.
  std::string json;
  RunRequest request;
  std::string config_hash, workload_hash;
  double time_ns = 0;
};

/// The text of a result file, parsed and written again on one line; InputError for what is none.
std::string read_result_text(const std::string& path);
/// What to repeat. InputError if the run of a result cannot be repeated: it was stopped by hand.
Recorded recorded_in(const std::string& path, const std::string& json);
/// Both.
Recorded read_result(const std::string& path);

struct RecordedChip {
  ChipConfig config;
  bool as_recorded = false;  ///< Taken from the result file, which has no sources and thus no confidences.
};

/// The chip as it is described now if that is what the result was made with, else as recorded, with a warning.
RecordedChip chip_of(const Recorded& recorded, std::vector<std::string>& warnings, Console& console);

/// InputError unless a repeated run is the one that the file tells of.
void check_same(const Recorded& recorded, const Result& result);

}  // namespace trnsim::app
