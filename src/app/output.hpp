// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.hpp"

namespace trnsim::app {

/// Unbuffered writes to a file descriptor behind a std::ostream; keeps the first system error.
class DescriptorStream {
 public:
  explicit DescriptorStream(int descriptor);  ///< Does not own it.
  ~DescriptorStream();
  DescriptorStream(const DescriptorStream&) = delete;
  DescriptorStream& operator=(const DescriptorStream&) = delete;

  [[nodiscard]] std::ostream& stream();
  [[nodiscard]] int flush();  ///< 0, or the errno of the first write that failed.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Throws the IoError that writing `path` would meet, as far as it can be known before there is
/// anything to write: a missing directory, a directory in its place, no permission. "-" is stdout.
void check_writable(const std::string& path);

/// Refuses outputs that are one place under any spelling, stdout included, or an input: UsageError that names both. Devices
/// may be named as often as wanted. Empty names are passed over.
void check_places(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs = {});

/// Writes a whole file. A regular file appears complete or stays as it was: the text goes to a
/// temporary file of the same directory, which is then renamed. "-" is the console. IoError names path
/// and system error.
void write_file(const std::string& path, std::string_view text, Console& console);

/// The same for a CSV file that a row will be added to; InputError if it has another header.
void check_csv(const std::string& path, const std::string& header);

/// Adds a row to a CSV file; a new or empty file gets the header first. A file with another header is
/// an InputError. A row that does not fit on the disk is taken back.
void append_csv(const std::string& path, const std::string& header, const std::string& row, Console& console);

/// Name of a temporary file beside `path` with the same suffix; removed on destruction unless kept.
class TemporaryBeside {
 public:
  explicit TemporaryBeside(const std::string& path);
  ~TemporaryBeside();
  TemporaryBeside(const TemporaryBeside&) = delete;
  TemporaryBeside& operator=(const TemporaryBeside&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  void keep();  ///< Renames it to `path`.

 private:
  std::string path_, target_, name_;
  bool kept_ = false;
};

/// True for what must be written in place: devices, pipes, sockets, and "-".
bool is_special(const std::string& path);

}  // namespace trnsim::app
