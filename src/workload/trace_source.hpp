// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim {

/// Bytes of a trace that can be read more than once: a regular file, or a copy of a pipe or of stdin
/// in an unlinked temporary file. Reads are positioned, so that forked processes may share it.
class TraceInput {
 public:
  virtual ~TraceInput() = default;
  /// Up to `size` bytes at `offset`; 0 at the end.
  virtual std::size_t read(std::uint64_t offset, char* to, std::size_t size) const = 0;
  [[nodiscard]] const std::string& name() const { return name_; }  ///< As messages print it.

  static std::shared_ptr<const TraceInput> open(const std::string& path);              ///< "-" is stdin. IoError.
  static std::shared_ptr<const TraceInput> of_file(int descriptor, std::string name);  ///< Takes over a regular file.
  static std::shared_ptr<const TraceInput> of_text(std::string text, std::string name);

 protected:
  explicit TraceInput(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// The text of a trace from its start, unpacked as its first bytes ask for.
class TraceText {
 public:
  virtual ~TraceText() = default;
  /// Up to `size` bytes; 0 at the end. ProgramError for a damaged or cut compressed stream.
  virtual std::size_t read(char* to, std::size_t size) = 0;

  static std::unique_ptr<TraceText> open(std::shared_ptr<const TraceInput> input);
};

/// Lines of a trace, without their ends; blank lines count but are passed over. A byte order mark at
/// the start and a carriage return before the newline are not part of a line.
class TraceLines {
 public:
  explicit TraceLines(std::shared_ptr<const TraceInput> input);
  /// False at the end. `line` stays valid until the next call and has `kPadding` readable bytes after it.
  bool next(std::string_view& line);
  [[nodiscard]] std::uint32_t number() const { return number_; }  ///< Of the last line, from 1.

  static constexpr std::size_t kPadding = 64;
  static constexpr std::size_t kLongest = 16U << 20;  ///< A longer line is an error.
  static std::string too_long();                      ///< What such an error says.

 private:
  bool fill();
  bool raw_line(std::string_view& line);

  std::shared_ptr<const TraceInput> input_;
  std::unique_ptr<TraceText> text_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint32_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace trnsim
