// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/status.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app/json.hpp"
#include "app/progress.hpp"
#include "app/sweep/folder.hpp"
#include "app/sweep/slurm.hpp"
#include "app/sweep/summary.hpp"

namespace trnsim::app {
namespace fs = std::filesystem;
namespace {

FolderStatus status_of(const std::string& folder) {
  FolderStatus status;
  status.folder = folder;
  status.running = FolderLock::held(folder);
  SweepStore store = open_sweep(folder);
  status.shard = store.info().shard;
  status.points = status.shard.size(store.info().points);
  status.counts = store.counts();
  status.copied = store.copied();
  status.complete = is_complete(folder);
  status.points_per_second = status.running ? store.recent_rate() : 0;
  return status;
}

/// Points of the shards that have not begun are counted once one of them tells how many there are.
SweepStatus shards_of(const std::string& folder, std::size_t count) {
  SweepStatus status;
  status.total.folder = folder;
  std::size_t points = 0;
  for (std::size_t shard = 1; shard <= count; ++shard) {
    const std::string part = shard_folder(folder, shard);
    std::error_code error;
    if (fs::exists(database_file(part), error)) {
      status.shards.push_back(status_of(part));
      points = std::max(points, open_sweep(part).info().points);
    } else {
      status.shards.push_back({part, {shard, count}, 0, {}, 0, FolderLock::held(part), false, 0});
    }
  }
  for (FolderStatus& part : status.shards) {
    part.points = part.shard.size(points);
    status.total.points += part.points;
    for (std::size_t i = 0; i < kStatusCount; ++i) status.total.counts[i] += part.counts[i];
    status.total.copied += part.copied;
    status.total.running |= part.running;
    status.total.points_per_second += part.points_per_second;
  }
  return status;
}

std::string state_of(const FolderStatus& status) {
  if (status.complete) return "finished";
  if (status.running) return "running";
  return sum(status.counts) == 0 ? "not started" : "stopped";
}

Json json_of(const FolderStatus& status) {
  Json failed = Json::object();
  for (std::size_t i = 1; i < kStatusCount; ++i) failed[std::string(name_of(static_cast<PointStatus>(i)))] = status.counts[i];
  Json json{{"folder", status.folder},
            {"shard", fmt::format("{}/{}", status.shard.index, status.shard.count)},
            {"state", state_of(status)},
            {"points", status.points},
            {"ended", sum(status.counts)},
            {"done", status.counts[0]},
            {"failed", failed},
            {"copied", status.copied},
            {"points_per_second", status.points_per_second}};
  json["seconds_left"] = status.points_per_second > 0 ? Json(static_cast<double>(status.left()) / status.points_per_second) : Json(nullptr);
  return json;
}

}  // namespace

SweepStatus read_status(const std::string& folder) {
  std::error_code error;
  const std::size_t shards = planned_shards(folder);
  if (shards > 0 && !fs::exists(database_file(folder), error)) return shards_of(folder, shards);
  return {status_of(folder), {}};
}

std::string status_text(const SweepStatus& status) {
  const FolderStatus& total = status.total;
  std::string text = fmt::format("{}: {}\n", total.folder, state_of(total));
  text += fmt::format("{:<12}{} of {}: {}\n", "points", sum(total.counts), total.points, counts_text(total.counts));
  if (total.copied > 0) text += fmt::format("{:<12}{} from equal points\n", "copied", total.copied);
  if (total.points_per_second > 0) {
    text += fmt::format("{:<12}{:.1f} points/s, {} left\n", "rate", total.points_per_second,
                        host_time(static_cast<double>(total.left()) / total.points_per_second));
  }
  for (const FolderStatus& shard : status.shards) {
    text += fmt::format("{:<12}{:<12}{} of {}: {}\n", fmt::format("shard {}", shard.shard.index), state_of(shard), sum(shard.counts),
                        shard.points, counts_text(shard.counts));
  }
  return text;
}

std::string status_json(const SweepStatus& status) {
  Json json{{kSweepStatusFormat.key, fmt::format("{}.{}", kSweepStatusFormat.major, kSweepStatusFormat.minor)}};
  json.update(json_of(status.total));
  json["shards"] = Json::array();
  for (const FolderStatus& shard : status.shards) json["shards"].push_back(json_of(shard));
  return json.dump(2) + "\n";
}

}  // namespace trnsim::app
