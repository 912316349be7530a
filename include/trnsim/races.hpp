// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim {

/// What is wrong between two accesses to one place, or with a read of a place that nobody wrote.
enum class RaceKind : std::uint8_t {
  NeverWritten,       ///< SBUF or PSUM is read before anything wrote all of it.
  Overwritten,        ///< A tile is read after another one at the same fixed address was written over it.
  ReadBeforeWrite,    ///< Nothing makes a read wait for the write that it needs.
  WriteAfterRead,     ///< Nothing makes a write wait for an earlier read.
  OverlappingWrites,  ///< Nothing orders two writes.
};
std::string_view name_of(RaceKind kind);  ///< "write after read"

/// One of the two accesses.
struct RaceAccess {
  std::uint32_t line = 0;  ///< Of the trace; 0 = there is none.
  Opcode op = Opcode::TensorCopy;
  EngineKind engine = EngineKind::Vector;
  SourceLine at;
  std::string operand;  ///< "tile 'x' (sbuf), partitions 0-127, bytes 0-1023"
};

struct Race {
  RaceKind kind = RaceKind::ReadBeforeWrite;
  RaceAccess first, second;     ///< In program order, unless an `after` names a later line; NeverWritten has only the second.
  std::string detail;           ///< NeverWritten: where the first unwritten byte is.
  std::uint32_t wait_line = 0;  ///< `second` has to wait for this one; 0 where no wait helps. A later line of the same queue may stand
                                ///< for that of `first`.
  bool after_full = false;      ///< `second` has no room in `after` for the waits that it lacks.
};

struct RaceReport {
  std::uint64_t found = 0;
  std::vector<Race> races;  ///< The first of them.
  bool complete = true;     ///< False: so many scattered accesses were open at a time that the oldest were forgotten.
};

struct RaceOptions {
  bool explicit_waits = false;  ///< Only `after` orders the engines; otherwise the planner's waits, which follow from the regions.
  std::size_t most = 20;        ///< Races to describe; all are counted.
};

/// Reads a program to its end and looks for places that are read before they are written, or reused too early.
///
/// With explicit waits, each race is found as if the waits proposed for those before it were there, so adding exactly the proposed
/// waits leaves none. Instructions of an engine follow each other; copies of a ring complete in order, but do not wait for each other.
/// ProgramError when `after` makes engines wait for each other, or for more instructions than a queue could hold.
RaceReport find_races(Program& program, const ChipConfig& chip, const RaceOptions& options);

}  // namespace trnsim
