// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/nki/call.hpp"
#include "app/options.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/units.hpp"

namespace trnsim::app {

/// What to simulate, as the command line names it. Everything that changes a result is in here and
/// nothing else, so that `command_line` of a result can be run again.
struct RunRequest {
  std::string chip;
  std::vector<std::string> set;
  bool allow_unknown = false;
  std::string kernel;  ///< Or a call of an NKI kernel, a trace, or a list of layers.
  std::vector<std::string> params;
  NkiCall nki;
  std::string trace;
  std::string gemm_list;
  bool strict = false;       ///< What a layer list only warns of is an error.
  std::string order;         ///< Of the instructions of an engine; empty = as the program says.
  bool allow_spill = false;  ///< Tiles that do not fit in SBUF go to HBM and back.
  unsigned cores = 1;
  std::string max_time;          ///< As written; empty = to the end.
  std::uint64_t iterations = 0;  ///< Runs one after another; 0 = not said.
  unsigned jobs = 1;             ///< Layers simulated at a time, which changes no result.
};

void add_chip_options(Options& options);      ///< --chip --set --allow-unknown
void add_kernel_options(Options& options);    ///< --kernel --param
void add_workload_options(Options& options);  ///< What to run and on how many cores, without the chip.
void add_run_options(Options& options);       ///< All options that make a RunRequest.

/// The request but for its chip. UsageError unless it has exactly one of kernel, NKI kernel, trace and layer list.
RunRequest workload_request(const ParsedOptions& options);
/// The same with the chip; UsageError when that is missing.
RunRequest run_request(const ParsedOptions& options);

ChipConfig load(const ParsedOptions& options, const std::string& fallback_chip, std::vector<std::string>& warnings);
ChipConfig load(const RunRequest& request, std::vector<std::string>& warnings);

/// "trnsim run --chip trn2 …", quoted for a POSIX shell; without options that only say where output goes.
std::string command_line(const RunRequest& request);
/// The arguments of such a line without "trnsim run". InputError if it is not one.
Args split_command_line(const std::string& line);

/// --cores: 1 … 1024.
unsigned parse_cores(const std::string& text);

/// The limit as a time. Results show time rounded to 1 ps; a run that ends at the limit as shown is not late.
std::optional<Time> time_limit(const RunRequest& request);

}  // namespace trnsim::app
