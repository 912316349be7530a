// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/sweep/store.hpp"

namespace trnsim::app {

/// What to do with results that are there already.
enum class Existing { Refuse, Resume, Replace };

/// Forms of the table that a folder can hold besides the database.
enum class TableFormat { Csv, JsonText, Markdown };
/// "csv,json,markdown"; UsageError for an unknown one. CSV is always among them.
std::vector<TableFormat> parse_formats(const std::string& list);

/// In one line what makes two sweeps differ, empty if nothing does; shards are not looked at.
std::string difference(const SweepInfo& before, const SweepInfo& now);

/// Makes a folder for results. InputError when it holds results or files of somebody else and `existing`
/// does not allow for it; IoError when it cannot be written.
void check_folder(const std::string& path, Existing existing);

/// An exclusive lock on a folder; a process that dies loses it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);  ///< InputError if another process has it.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  static bool held(const std::string& folder);  ///< By another process.

 private:
  int descriptor_;
};

/// The folder that a sweep writes to, locked: `results.sqlite`, and `results.csv` once every point has a row.
class ResultFolder {
 public:
  /// As check_folder; InputError also when the folder is in use or belongs to another sweep.
  ResultFolder(const std::string& path, const SweepInfo& info, Existing existing);

  [[nodiscard]] SweepStore& store() { return *store_; }
  [[nodiscard]] std::string file(const std::string& name) const;

  /// Takes away the tables and the rows that another attempt may end differently.
  void reopen();
  /// Writes the tables. InternalError while a point of the shard has no row.
  void finish(const std::vector<TableFormat>& formats);
  void remove();  ///< The results, and the folder if nothing else is in it; the store is gone after it.

 private:
  void remove_results() const;
  void remove_tables() const;
  void check_same(const SweepInfo& info) const;

  std::string path_;
  std::unique_ptr<FolderLock> lock_;
  std::unique_ptr<SweepStore> store_;
};

/// True if the folder has a finished table.
bool is_complete(const std::string& folder);

}  // namespace trnsim::app
