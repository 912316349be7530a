// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/progress.hpp"
#include "app/sweep/folder.hpp"

namespace trnsim::app {

/// What the command line of `trnsim sweep` asks for.
struct SweepOptions {
  std::string file, folder;
  unsigned workers = 1;
  Existing existing = Existing::Refuse;
  Shard shard;
  std::vector<TableFormat> formats;
  std::string format_list;
  std::size_t tasks = 0;  ///< Of a Slurm array; 0 = from an estimate.
  std::vector<std::string> slurm_options;
  bool dry_run = false, quiet = false;
  ProgressMode progress = ProgressMode::Auto;
};

/// "2/3"; UsageError for anything else.
Shard parse_shard(const std::string& text);

}  // namespace trnsim::app
