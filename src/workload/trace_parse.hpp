// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "trnsim/isa/program.hpp"
#include "workload/trace_operand.hpp"
#include "workload/trace_problems.hpp"

namespace trnsim {

/// An operand as written: by the name of a tensor, or as a range at a fixed address.
struct OperandText {
  Role role = Role::Dst;
  std::string_view tensor;  ///< Empty for a fixed range.
  Buffer buffer = Buffer::Sbuf;
  std::uint64_t address = 0;
  OperandKeys keys;
};

/// An instruction's id as written: a number or a text.
struct IdText {
  enum class Kind : std::uint8_t { None, Number, Text };
  Kind kind = Kind::None;
  std::uint64_t number = 0;
  std::string_view text;
};

/// One line, its names not yet looked up. Views point into the parser and last until its next line.
struct TraceLine {
  Record::Kind kind = Record::Kind::Instruction;
  std::string_view tile;    ///< Tile, Release
  TensorInfo info;          ///< Tile
  Instruction instruction;  ///< Without operands, id and after.
  std::array<OperandText, kMaxOperands> operands;
  std::uint8_t operand_count = 0;
  std::vector<OperandText> further;  ///< Indices and numbered tensors, sorted by role.
  InstructionExtras extras;          ///< Without operands.
  bool has_extras = false;
  IdText id;
  std::array<IdText, 4> after;
};

/// What the header says; values a hand-written header may leave out are found by the scan.
struct TraceHeader {
  ProgramInfo info;
  bool has_dtype = false, has_double_row = false, has_macs = false, has_flops = false;
};

/// Turns lines into records, key by key. Everything wrong is added to the problems.
class TraceParser {
 public:
  explicit TraceParser(Problems& problems);
  TraceParser(const TraceParser&) = delete;
  TraceParser& operator=(const TraceParser&) = delete;
  ~TraceParser();

  /// The first line. False if there was a problem.
  bool header(std::string_view text, std::uint32_t number, TraceHeader& header);
  /// Any further line; `text` needs `TraceLines::kPadding` readable bytes after it. After a problem
  /// the fields that could be read are still set.
  bool line(std::string_view text, std::uint32_t number, TraceLine& line);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace trnsim
