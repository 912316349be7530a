// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim::test {

const ChipConfig& chip(const std::string& name);  ///< A shipped preset.

/// A trace from text, as `open_trace` reads a file called "k.jsonl".
std::unique_ptr<Program> program_of(const std::string& text, const ChipConfig& chip);
/// The problems of a trace; empty for a good one.
std::vector<std::string> problems_of(const std::string& text, const ChipConfig& chip);
std::string problem_of(const std::string& text, const ChipConfig& chip);  ///< All in one text.

/// Header, two HBM tensors `x` (input, [256, 512] bf16) and `y` (output), and the lines given.
std::string trace_of(const std::vector<std::string>& lines);

std::vector<Record> records_of(Program& program);
std::string text_of(Program& program);  ///< As `write_trace` writes it.

/// A program made of records, for writing.
class ListProgram : public Program {
 public:
  ListProgram(ProgramInfo info, std::vector<Record> records) : info_(std::move(info)), records_(std::move(records)) {}
  [[nodiscard]] const ProgramInfo& info() const override { return info_; }
  const Record* next() override { return at_ < records_.size() ? &records_[at_++] : nullptr; }

 private:
  ProgramInfo info_;
  std::vector<Record> records_;
  std::size_t at_ = 0;
};

/// One line per record with every field of it, lines of files left out; tensors by order of declaration.
std::vector<std::string> spelled(const ProgramInfo& info, const std::vector<Record>& records);

/// A file of its own in the temporary folder, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view suffix, const std::string& content = "");
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string content() const;

 private:
  std::string path_;
};

}  // namespace trnsim::test
