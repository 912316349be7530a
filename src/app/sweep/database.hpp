// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace trnsim::app {

class Statement;

/// A connection to an SQLite file. Every failure is an IoError that names the file.
class Database {
 public:
  enum class Open { Existing, Create };
  Database(const std::string& path, Open how);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  [[nodiscard]] Statement prepare(const std::string& sql);
  [[nodiscard]] bool has_table(const std::string& name);
  [[noreturn]] void fail() const;

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement; columns and parameters count from 0.
class Statement {
 public:
  Statement(Database& database, sqlite3* handle, const std::string& sql);

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bind_text(int parameter, std::string_view value);  ///< Must live until the statement has run.
  Statement& bind_null(int parameter);
  /// An integer or a real if that gives the same text back, NULL for an empty text.
  Statement& bind_value(int parameter, const std::string& value);

  bool step();  ///< True with a row.
  void run();   ///< To the end; may be bound and run again.
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;  ///< As the program writes numbers; empty for NULL.

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int code) const;

  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// Begins a transaction that is taken back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

/// A name between quotes, for SQL.
std::string sql_name(std::string_view name);

/// The number that a text stands for, if the program would write it in just this way.
std::optional<std::int64_t> exact_integer(const std::string& text);
std::optional<double> exact_real(const std::string& text);

}  // namespace trnsim::app
