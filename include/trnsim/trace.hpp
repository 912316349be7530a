// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"
#include "trnsim/isa/opcode.hpp"
#include "trnsim/isa/program.hpp"

namespace trnsim {

/// A trace file to write: gzip or zstd by its suffix (`.gz`, `.zst`), plain otherwise, "-" is stdout.
/// The same text gives the same bytes. IoError names the file.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile();  ///< Closes; an error then is lost, so call `close`.

  std::ostream& stream();
  void close();  ///< Ends the compressed stream and reports what could not be written.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a program holds, counted without running it.
struct TraceStatistics {
  std::uint64_t instructions = 0;
  std::array<std::uint64_t, kOpcodeCount> by_op{};
  std::array<std::uint64_t, kEngineCount> by_engine{};  ///< A DMA counts for the engine that triggers it.
  std::array<std::uint64_t, 3> read_bytes{};            ///< By Buffer, operand by operand.
  std::array<std::uint64_t, 3> written_bytes{};
  std::uint64_t dma_bytes = 0;  ///< Source side of all copies.
  std::uint64_t macs = 0;       ///< Multiply-accumulates of the matmuls, transposes not counted.
  std::uint64_t tiles = 0;      ///< Declared on-chip tiles.
  std::uint64_t unused_tiles = 0;
  std::array<std::uint64_t, 3> peak_live_bytes{};                ///< By Buffer; Hbm is the sum of its tensors.
  std::array<std::uint64_t, 3> peak_live_bytes_per_partition{};  ///< Largest sum over any one partition; 0 for Hbm.
  std::uint64_t explicit_dependencies = 0;                       ///< Entries of `after`.
};

/// Reads the program to its end.
TraceStatistics trace_statistics(Program& program);

/// Multiply-accumulates of one instruction: K × M × N of a matmul, else 0.
std::uint64_t macs_of(const Instruction& instruction);

/// All problems `open_trace` would refuse the file for, at most 20 and a remark that there are more;
/// empty for a good trace. IoError if it cannot be read.
std::vector<std::string> check_trace(const std::string& path, const ChipConfig& chip);

/// Problems of a program's instructions on this chip, in the words `open_trace` uses.
std::vector<std::string> check_program(Program& program, const ChipConfig& chip);

/// The canonical form behind `program_hash`, record by record, for a program that is read anyway.
/// Names, parameters, lines of the trace and of the kernel, and the numbers of tiles do not count; an unreleased tile lives to the end.
class ProgramHasher {
 public:
  explicit ProgramHasher(const ProgramInfo& info);
  void add(const Record& record);
  [[nodiscard]] std::string digits() const;  ///< 16 hex digits; call after the last record.

 private:
  void word(std::uint64_t value);
  void tensor(const TensorInfo& info);
  void operand(const Operand& operand);
  void instruction(const Instruction& instruction);
  void extras(const InstructionExtras& extras);
  void list(const std::vector<std::uint32_t>& values);

  std::uint64_t low_, high_;
  std::uint64_t words_ = 0, tiles_ = 0, hbm_tensors_ = 0;
  std::vector<std::uint64_t> ordinal_;  ///< By TensorId: order of declaration, 0 = released.
};

}  // namespace trnsim
