// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/sweep/database.hpp"
#include "app/sweep/table.hpp"

namespace trnsim::app {

/// Part `index` of `count` of a sweep: the points whose number is index − 1 modulo count.
struct Shard {
  std::size_t index = 1, count = 1;
  [[nodiscard]] bool holds(std::size_t point) const { return point % count == index - 1; }
  [[nodiscard]] std::size_t size(std::size_t points) const { return points / count + (points % count >= index ? 1 : 0); }
  bool operator==(const Shard&) const = default;
};

/// What a folder of results belongs to.
struct SweepInfo {
  std::string hash;  ///< SweepSpec::hash
  std::string text;  ///< SweepSpec::text
  std::string tool_version;
  std::vector<std::string> axes;
  std::size_t points = 0;  ///< Of the whole sweep.
  Shard shard;
};

/// A row with what the table does not show.
struct StoredRow {
  SweepRow row;
  std::string identity;  ///< Equal for points that simulate the same; empty if not known.
  std::string config;    ///< Resolved chip description as JSON, of the row's config_hash; may be empty.
  double seconds = 0;    ///< Of host time; 0 for a copied row.
  std::optional<std::size_t> copied_from;
  std::string host = {}, ended = {};  ///< Where and when, in UTC; filled in when it is written.
};

inline constexpr std::size_t kStatusCount = 5;
/// Rows by PointStatus.
using StatusCounts = std::array<std::size_t, kStatusCount>;
std::size_t sum(const StatusCounts& counts);

/// The SQLite database of a sweep: tables `points`, `configs` and `sweep` depend on the sweep alone,
/// `timings` has what differs between two runs (seconds, host, date, which rows were copied).
class SweepStore {
 public:
  static SweepStore create(const std::string& file, const SweepInfo& info);
  /// IoError if it cannot be read, InputError if it is no sweep of ours or has another format.
  static SweepStore open(const std::string& file);

  [[nodiscard]] const SweepInfo& info() const { return info_; }

  void add(const std::vector<StoredRow>& rows);  ///< All or none.
  /// Rows that another attempt may end differently: crashed, timed out, out of memory.
  void remove_unfinished();

  [[nodiscard]] std::optional<StoredRow> row(std::size_t point);
  void for_each(const std::function<void(const StoredRow&)>& each);  ///< By number of point.
  /// A function that gives one row after the other, by number of point.
  [[nodiscard]] std::function<std::optional<StoredRow>()> reader();
  [[nodiscard]] std::vector<std::pair<std::size_t, std::string>> identities();
  [[nodiscard]] StatusCounts counts();
  [[nodiscard]] std::optional<StoredRow> first_failed();
  /// Rows per second of the last minute, 0 if there are none.
  [[nodiscard]] double recent_rate();
  [[nodiscard]] std::string config(const std::string& hash);  ///< Empty if there is none.
  [[nodiscard]] double seconds_per_row();                     ///< Mean of the simulated ones, 0 if there is none.
  [[nodiscard]] std::size_t copied();

 private:
  SweepStore(std::unique_ptr<Database> database, SweepInfo info);
  [[nodiscard]] std::string columns() const;
  [[nodiscard]] StoredRow read(const Statement& statement) const;

  std::unique_ptr<Database> database_;
  SweepInfo info_;
};

/// The database of a sweep's folder.
std::string database_file(const std::string& folder);

/// The results of a folder. IoError if there is no such folder, InputError if it holds no sweep.
SweepStore open_sweep(const std::string& folder);

/// Key of a row's chip in `configs`; empty if the chip could not be had.
const std::string& config_hash_of(const SweepRow& row);

/// The points of a folder that have ended. Errors as of open_sweep.
SweepTable read_sweep(const std::string& folder);

}  // namespace trnsim::app
