// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/store.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <numeric>

#include "app/json.hpp"
#include "app/sweep/cells.hpp"
#include "trnsim/error.hpp"
#include "trnsim/result.hpp"

namespace trnsim::app {
namespace {

std::string schema(const std::vector<std::string>& axes) {
  std::string columns;
  for (const std::string& name : column_names(axes)) {
    const char* type = name == "point" ? " INTEGER PRIMARY KEY" : is_text_column(name) ? " TEXT" : "";
    columns += fmt::format("{}{}, ", sql_name(name), type);
  }
  return "CREATE TABLE sweep (name TEXT PRIMARY KEY, value TEXT NOT NULL);"
         "CREATE TABLE points (" +
         columns +
         "identity TEXT);"
         "CREATE TABLE configs (config_hash TEXT PRIMARY KEY, config TEXT NOT NULL);"
         "CREATE TABLE timings (point INTEGER PRIMARY KEY, seconds REAL, host TEXT, ended TEXT, copied_from INTEGER);";
}

std::string host_name() {
  std::array<char, 256> host{};
  return gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "";
}

std::size_t column_of(std::string_view name) {
  const std::vector<ResultColumn> columns = result_columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  throw InternalError(fmt::format("no result column {}", name));
}

void put(Database& database, const std::string& name, const std::string& value) {
  database.prepare("INSERT INTO sweep VALUES (?, ?)").bind_text(0, name).bind_text(1, value).run();
}

std::string get(Database& database, const std::string& name, const std::string& file) {
  Statement query = database.prepare("SELECT value FROM sweep WHERE name = ?");
  if (!query.bind_text(0, name).step()) throw InputError(fmt::format("{}: not the results of a sweep: no '{}'", file, name));
  return query.text(0);
}

SweepInfo read_info(Database& database, const std::string& file) {
  if (!database.has_table("sweep")) throw InputError(file + ": not the results of a sweep");
  const std::string version = get(database, std::string(kSweepResultsFormat.key), file);
  if (const std::string problem = format_problem(kSweepResultsFormat, version); !problem.empty()) {
    throw InputError(file + ": " + problem);
  }
  SweepInfo info;
  info.hash = get(database, "hash", file);
  info.text = get(database, "text", file);
  info.tool_version = get(database, "tool_version", file);
  info.axes = parse_json(get(database, "axes", file), file).get<std::vector<std::string>>();
  info.points = std::stoull(get(database, "points", file));
  info.shard = {std::stoull(get(database, "shard", file)), std::stoull(get(database, "shards", file))};
  return info;
}

}  // namespace

std::size_t sum(const StatusCounts& counts) { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }

SweepStore::SweepStore(std::unique_ptr<Database> database, SweepInfo info) : database_(std::move(database)), info_(std::move(info)) {}

SweepStore SweepStore::create(const std::string& file, const SweepInfo& info) {
  auto database = std::make_unique<Database>(file, Database::Open::Create);
  Transaction transaction(*database);
  database->run(schema(info.axes));
  put(*database, std::string(kSweepResultsFormat.key), fmt::format("{}.{}", kSweepResultsFormat.major, kSweepResultsFormat.minor));
  put(*database, "hash", info.hash);
  put(*database, "text", info.text);
  put(*database, "tool_version", info.tool_version);
  put(*database, "axes", Json(info.axes).dump());
  put(*database, "points", std::to_string(info.points));
  put(*database, "shard", std::to_string(info.shard.index));
  put(*database, "shards", std::to_string(info.shard.count));
  transaction.commit();
  return {std::move(database), info};
}

SweepStore SweepStore::open(const std::string& file) {
  auto database = std::make_unique<Database>(file, Database::Open::Existing);
  SweepInfo info = read_info(*database, file);
  return {std::move(database), std::move(info)};
}

void SweepStore::add(const std::vector<StoredRow>& rows) {
  if (rows.empty()) return;
  const std::size_t width = column_names(info_.axes).size() + 1;
  std::string marks;
  for (std::size_t i = 0; i < width; ++i) marks += i == 0 ? "?" : ",?";
  Transaction transaction(*database_);
  Statement point = database_->prepare("INSERT OR REPLACE INTO points VALUES (" + marks + ")");
  Statement config = database_->prepare("INSERT OR IGNORE INTO configs VALUES (?, ?)");
  Statement timing = database_->prepare("INSERT OR REPLACE INTO timings VALUES (?, ?, ?, ?, ?)");
  const std::string host = host_name(), now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  for (const StoredRow& stored : rows) {
    const std::vector<std::string> values = column_values(stored.row);
    if (values.size() + 1 != width) throw InternalError("a row of a sweep has the wrong number of columns");
    for (std::size_t i = 0; i < values.size(); ++i) point.bind_value(static_cast<int>(i), values[i]);
    point.bind_value(static_cast<int>(width) - 1, stored.identity).run();
    const std::string& hash = config_hash_of(stored.row);
    if (!hash.empty() && !stored.config.empty()) config.bind_text(0, hash).bind_text(1, stored.config).run();
    timing.bind(0, static_cast<std::int64_t>(stored.row.point)).bind(1, stored.seconds);
    timing.bind_text(2, stored.host.empty() ? host : stored.host).bind_text(3, stored.ended.empty() ? now : stored.ended);
    if (stored.copied_from) {
      timing.bind(4, static_cast<std::int64_t>(*stored.copied_from));
    } else {
      timing.bind_null(4);
    }
    timing.run();
  }
  transaction.commit();
}

void SweepStore::remove_unfinished() {
  Transaction transaction(*database_);
  const std::string which = fmt::format("(SELECT point FROM points WHERE status IN ('{}', '{}', '{}'))", name_of(PointStatus::Crashed),
                                        name_of(PointStatus::TimedOut), name_of(PointStatus::OutOfMemory));
  database_->run("DELETE FROM timings WHERE point IN " + which);
  database_->run("DELETE FROM points WHERE point IN " + which);
  transaction.commit();
}

/// For SELECT: the columns of the table, identity, and those of `timings`.
std::string SweepStore::columns() const {
  std::string list;
  for (const std::string& name : column_names(info_.axes)) list += "points." + sql_name(name) + ", ";
  return list +
         "points.identity, timings.seconds, timings.host, timings.ended, timings.copied_from FROM points LEFT JOIN timings USING (point)";
}

StoredRow SweepStore::read(const Statement& statement) const {
  StoredRow stored;
  int column = 0;
  stored.row.point = static_cast<std::size_t>(statement.integer(column++));
  for (std::size_t i = 0; i < info_.axes.size(); ++i) stored.row.axes.push_back(statement.text(column++));
  stored.row.status = parse_status(statement.text(column++));
  stored.row.error = statement.text(column++);
  const std::size_t results = column_names(std::vector<std::string>{}).size() - 3;
  for (std::size_t i = 0; i < results; ++i) stored.row.values.push_back(statement.text(column++));
  stored.identity = statement.text(column++);
  stored.seconds = statement.real(column++);
  stored.host = statement.text(column++);
  stored.ended = statement.text(column++);
  if (const std::string from = statement.text(column); !from.empty()) stored.copied_from = std::stoull(from);
  return stored;
}

std::optional<StoredRow> SweepStore::row(std::size_t point) {
  Statement query = database_->prepare("SELECT " + columns() + " WHERE points.point = ?");
  if (!query.bind(0, static_cast<std::int64_t>(point)).step()) return std::nullopt;
  return read(query);
}

std::function<std::optional<StoredRow>()> SweepStore::reader() {
  auto query = std::make_shared<Statement>(database_->prepare("SELECT " + columns() + " ORDER BY points.point"));
  return [this, query]() -> std::optional<StoredRow> {
    if (!query->step()) return std::nullopt;
    return read(*query);
  };
}

void SweepStore::for_each(const std::function<void(const StoredRow&)>& each) {
  const auto next = reader();
  while (const std::optional<StoredRow> row = next()) each(*row);
}

std::vector<std::pair<std::size_t, std::string>> SweepStore::identities() {
  std::vector<std::pair<std::size_t, std::string>> all;
  Statement query = database_->prepare("SELECT point, identity FROM points ORDER BY point");
  while (query.step()) all.emplace_back(static_cast<std::size_t>(query.integer(0)), query.text(1));
  return all;
}

StatusCounts SweepStore::counts() {
  StatusCounts counts{};
  Statement query = database_->prepare("SELECT status, count(*) FROM points GROUP BY status");
  while (query.step()) counts[static_cast<std::size_t>(parse_status(query.text(0)))] = static_cast<std::size_t>(query.integer(1));
  return counts;
}

std::optional<StoredRow> SweepStore::first_failed() {
  Statement query = database_->prepare("SELECT " + columns() + " WHERE status != 'done' ORDER BY points.point LIMIT 1");
  if (!query.step()) return std::nullopt;
  return read(query);
}

double SweepStore::recent_rate() {
  Statement query = database_->prepare(
      "SELECT count(*), (julianday('now') - julianday(min(ended))) * 86400 FROM timings "
      "WHERE ended >= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-60 seconds')");
  if (!query.step() || query.integer(0) == 0) return 0;
  return static_cast<double>(query.integer(0)) / std::max(1.0, query.real(1));
}

std::string SweepStore::config(const std::string& hash) {
  Statement query = database_->prepare("SELECT config FROM configs WHERE config_hash = ?");
  return query.bind_text(0, hash).step() ? query.text(0) : std::string();
}

double SweepStore::seconds_per_row() {
  Statement query = database_->prepare("SELECT avg(seconds) FROM timings WHERE copied_from IS NULL");
  return query.step() ? query.real(0) : 0;
}

std::size_t SweepStore::copied() {
  Statement query = database_->prepare("SELECT count(*) FROM timings WHERE copied_from IS NOT NULL");
  return query.step() ? static_cast<std::size_t>(query.integer(0)) : 0;
}

std::string database_file(const std::string& folder) { return (std::filesystem::path(folder) / "results.sqlite").string(); }

SweepStore open_sweep(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(folder, error)) throw IoError(folder + ": cannot read: No such file or directory");
  if (!fs::exists(database_file(folder), error)) throw InputError(folder + ": holds no sweep (no results.sqlite)");
  return SweepStore::open(database_file(folder));
}

const std::string& config_hash_of(const SweepRow& row) {
  static const std::size_t kColumn = column_of("config_hash");
  return row.values[kColumn];
}

SweepTable read_sweep(const std::string& folder) {
  SweepStore store = open_sweep(folder);
  SweepTable table{store.info().axes, {}};
  store.for_each([&table](const StoredRow& stored) { table.rows.push_back(stored.row); });
  return table;
}

}  // namespace trnsim::app
