// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "app/options.hpp"
#include "app/sweep/write_tables.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"

namespace trnsim::app {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLock = "sweep.lock";
constexpr const char* kUnborn = "results.sqlite.new";  // until its tables are there
constexpr std::array kTables{"results.csv", "results.json", "results.md"};
constexpr std::array kDatabase{"results.sqlite", "results.sqlite-journal", kUnborn, "results.sqlite.new-journal"};
constexpr std::array kFolders{"shards", "slurm"};
constexpr int kLockTries = 20;

[[noreturn]] void fail(const std::string& path, int error) {
  throw IoError(fmt::format("{}: cannot write: {}", path, std::strerror(error)));
}

bool is_ours(const std::string& name) {
  const auto is = [&name](const char* known) { return name == known; };
  return is(kLock) || name.starts_with(".trnsim-") || std::any_of(kTables.begin(), kTables.end(), is) ||
         std::any_of(kDatabase.begin(), kDatabase.end(), is) || std::any_of(kFolders.begin(), kFolders.end(), is);
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

void make_folder(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    throw IoError(path + ": cannot write: a file is in the way, want a folder");
  fs::create_directories(path, error);
  if (error) fail(path, error.value());
  if (::access(path.c_str(), W_OK | X_OK) != 0) fail(path, errno);
}

/// Where two descriptions begin to differ.
std::string first_difference(const std::string& before, const std::string& now) {
  std::istringstream a(before), b(now);
  std::string line_a, line_b;
  for (std::size_t number = 1;; ++number) {
    const bool has_a = static_cast<bool>(std::getline(a, line_a)), has_b = static_cast<bool>(std::getline(b, line_b));
    if (!has_a && !has_b) return "a file that it names has changed";
    if (!has_a) line_a.clear();
    if (!has_b) line_b.clear();
    if (line_a != line_b)
      return fmt::format("line {} of the sweep file was '{}' and is '{}'", number, line_a.substr(0, 120), line_b.substr(0, 120));
  }
}

}  // namespace

std::vector<TableFormat> parse_formats(const std::string& list) {
  static const std::vector<std::string_view> kNames{"csv", "json", "markdown"};
  std::vector<TableFormat> formats{TableFormat::Csv};
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const auto found = std::find(kNames.begin(), kNames.end(), word);
    if (found == kNames.end()) {
      throw UsageError(fmt::format("--format \"{}\": want some of csv, json, markdown{}", word, nearest_hint(word, kNames)));
    }
    const auto format = static_cast<TableFormat>(found - kNames.begin());
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
  }
  return formats;
}

std::string difference(const SweepInfo& before, const SweepInfo& now) {
  if (before.hash == now.hash) return {};
  if (before.tool_version != now.tool_version) return fmt::format("trnsim was {} and is {}", before.tool_version, now.tool_version);
  return first_difference(before.text, now.text);
}

void check_folder(const std::string& path, Existing existing) {
  make_folder(path);
  std::error_code error;
  const bool results = fs::exists(database_file(path), error);
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    const bool table = std::find(kTables.begin(), kTables.end(), name) != kTables.end();
    if (results || (is_ours(name) && !table)) continue;
    throw InputError(fmt::format("{}: holds '{}' but no sweep; name a new or empty folder", path, name));
  }
  if (results && existing == Existing::Refuse) {
    throw InputError(path + ": holds results already; --resume continues them, --force replaces them");
  }
  if (!results) return;
  try {  // also before it is replaced: it might be somebody else's
    (void)SweepStore::open(database_file(path));
  } catch (const Error& broken) {
    throw IoError(fmt::format("{}; nothing of it can be used: remove the folder to start anew", broken.what()));
  }
}

FolderLock::FolderLock(const std::string& folder)
    : descriptor_(::open((fs::path(folder) / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail(folder, errno);
  // Of the process, not of the open file: forked workers do not hold it when their parent is killed.
  struct flock lock = whole_file(F_WRLCK);
  for (int i = 0; ::fcntl(descriptor_, F_SETLK, &lock) != 0; ++i) {
    const int error = errno;
    if ((error == EAGAIN || error == EACCES) && i < kLockTries) {
      ::usleep(50'000);
      continue;
    }
    ::close(descriptor_);
    if (error != EAGAIN && error != EACCES) fail(folder, error);
    throw InputError(folder + ": a sweep is running in this folder");
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

bool FolderLock::held(const std::string& folder) {
  const int descriptor = ::open((fs::path(folder) / kLock).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock lock = whole_file(F_WRLCK);
  const bool asked = ::fcntl(descriptor, F_GETLK, &lock) == 0;
  ::close(descriptor);
  return asked && lock.l_type != F_UNLCK;
}

ResultFolder::ResultFolder(const std::string& path, const SweepInfo& info, Existing existing) : path_(path) {
  check_folder(path, existing);
  lock_ = std::make_unique<FolderLock>(path);
  if (existing == Existing::Replace) remove_results();
  const std::string database = database_file(path);
  std::error_code error;
  if (!fs::exists(database, error)) {
    remove_results();
    (void)SweepStore::create(file(kUnborn), info);
    fs::rename(file(kUnborn), database, error);
    if (error) fail(database, error.value());
  } else if (existing == Existing::Refuse) {  // it came while we waited for the lock
    throw InputError(path + ": holds results already; --resume continues them, --force replaces them");
  }
  store_ = std::make_unique<SweepStore>(SweepStore::open(database));
  check_same(info);
}

std::string ResultFolder::file(const std::string& name) const { return (fs::path(path_) / name).string(); }

void ResultFolder::remove_tables() const {
  std::error_code error;
  for (const char* name : kTables) fs::remove(file(name), error);
  std::vector<fs::path> left;  // of a process that was killed while it wrote a table
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    if (entry.path().filename().string().starts_with(".trnsim-")) left.push_back(entry.path());
  }
  for (const fs::path& name : left) fs::remove(name, error);
}

/// Tables first: what is left of the rest does not look complete.
void ResultFolder::remove_results() const {
  remove_tables();
  std::error_code error;
  for (const char* name : kDatabase) fs::remove(file(name), error);
}

void ResultFolder::check_same(const SweepInfo& info) const {
  const SweepInfo& before = store_->info();
  std::string what = difference(before, info);
  if (what.empty() && before.shard != info.shard) {
    what = fmt::format("it was shard {}/{} and is {}/{}", before.shard.index, before.shard.count, info.shard.index, info.shard.count);
  }
  if (what.empty()) return;
  throw InputError(fmt::format("{}: holds results of another sweep: {}; --force replaces them", path_, what));
}

void ResultFolder::reopen() {
  remove_tables();
  store_->remove_unfinished();
}

void ResultFolder::finish(const std::vector<TableFormat>& formats) {
  const SweepInfo& info = store_->info();
  if (sum(store_->counts()) != info.shard.size(info.points)) throw InternalError(path_ + ": a finished sweep lacks points");
  // CSV last: it is the sign of a finished sweep.
  for (auto format = formats.rbegin(); format != formats.rend(); ++format) {
    write_table(*store_, *format, file(kTables[static_cast<std::size_t>(*format)]));
  }
}

void ResultFolder::remove() {
  store_.reset();
  remove_results();
  std::error_code error;
  fs::remove(file(kLock), error);
  fs::remove(path_, error);  // unless something else is in it
}

bool is_complete(const std::string& folder) {
  std::error_code error;
  return fs::exists(fs::path(folder) / kTables.front(), error);
}

}  // namespace trnsim::app
