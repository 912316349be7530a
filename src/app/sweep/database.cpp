// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <charconv>
#include <cmath>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

constexpr int kBusyMs = 60'000;  // another process reads or commits

template <class T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (fmt::format("{}", value) != text) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> exact_integer(const std::string& text) { return number<std::int64_t>(text); }

std::optional<double> exact_real(const std::string& text) {
  const std::optional<double> value = number<double>(text);
  // SQLite does not keep the sign of a zero.
  return value && std::isfinite(*value) && !(*value == 0 && std::signbit(*value)) ? value : std::nullopt;
}

std::string sql_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

Database::Database(const std::string& path, Open how) : path_(path) {
  const int flags = SQLITE_OPEN_READWRITE | (how == Open::Create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string what = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    throw IoError(fmt::format("{}: cannot open: {}", path, what));
  }
  sqlite3_busy_timeout(handle_, kBusyMs);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail() const { throw IoError(fmt::format("{}: {}", path_, sqlite3_errmsg(handle_))); }

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Statement Database::prepare(const std::string& sql) { return Statement(*this, handle_, sql); }

bool Database::has_table(const std::string& name) {
  Statement query = prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  return query.bind_text(0, name).step();
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Database& database, sqlite3* handle, const std::string& sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(handle, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_->fail();
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter + 1, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_.get(), parameter + 1, value));
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view value) {
  check(sqlite3_bind_text(statement_.get(), parameter + 1, value.data(), static_cast<int>(value.size()), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_.get(), parameter + 1));
  return *this;
}

Statement& Statement::bind_value(int parameter, const std::string& value) {
  if (value.empty()) return bind_null(parameter);
  if (const auto integer = exact_integer(value)) return bind(parameter, *integer);
  if (const auto real = exact_real(value)) return bind(parameter, *real);
  return bind_text(parameter, value);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail();
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL: return {};
    case SQLITE_INTEGER: return fmt::format("{}", integer(column));
    case SQLITE_FLOAT: return fmt::format("{}", real(column));
    default: break;
  }
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Transaction::Transaction(Database& database) : database_(database) { database.run("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  try {
    if (open_) database_.run("ROLLBACK");
  } catch (const Error&) {  // it already was, by the error that brought us here
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace trnsim::app
