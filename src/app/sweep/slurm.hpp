// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/sweep/runner.hpp"
#include "app/sweep/sweep_command.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {

/// Seconds of simulation that are worth a task of its own: starting one costs about half a second.
inline constexpr double kTaskSeconds = 30;

/// What the scripts of a Slurm sweep need.
struct SlurmPlan {
  std::string program, file, folder;
  std::string directory;  ///< Where trnsim was started, and the tasks start too.
  std::size_t tasks = 1;
  unsigned workers = 1;  ///< Of a task.
  std::string formats;
};

/// One task per shard, into FOLDER/shards/I. Continues a shard that has begun, so that Slurm may requeue it.
std::string array_script(const SlurmPlan& plan);
/// Joins the shards into FOLDER.
std::string merge_script(const SlurmPlan& plan);

/// Shards without a finished table, in order.
std::vector<std::size_t> unfinished_shards(const std::string& folder, std::size_t tasks);
/// Folder of a shard.
std::string shard_folder(const std::string& folder, std::size_t shard);
/// Number of shards of the sweep that was submitted from here; 0 if none was.
std::size_t planned_shards(const std::string& folder);
/// "1-3,5" for Slurm.
std::string ranges(const std::vector<std::size_t>& numbers);

/// Writes the scripts to FOLDER/slurm and hands them to sbatch; with --dry-run prints them. With --resume
/// only the unfinished shards. IoError when sbatch cannot be run or refuses.
ExitCode submit_sweep(const PointSource& source, const SweepOptions& options, Console& console);

}  // namespace trnsim::app
