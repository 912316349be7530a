// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// One item of a program: an instruction, or the declaration or release of an on-chip tile.
struct Record {
  enum class Kind : std::uint8_t { Instruction, Tile, Release };
  Kind kind = Kind::Instruction;
  Instruction instruction;    ///< Kind::Instruction
  TensorId tile = kNoTensor;  ///< Kind::Tile, Kind::Release
  TensorInfo tensor;          ///< Kind::Tile
};

/// Who orders the instructions of an engine.
enum class IssueOrder : std::uint8_t {
  Written,  ///< The program: they run as they stand.
  List,     ///< A compiler's list scheduler, which the simulation plays: ListScheduler.
};
inline constexpr std::size_t kIssueOrderCount = 2;
std::string_view name_of(IssueOrder order);  ///< "written"
std::optional<IssueOrder> issue_order_from(std::string_view name);

/// What is known of a program before its first instruction.
struct ProgramInfo {
  std::string name;                           ///< "matmul"
  std::map<std::string, std::string> params;  ///< Resolved kernel parameters, for the result.
  std::vector<TensorInfo> tensors;            ///< In HBM; their index is their TensorId.
  std::uint64_t macs = 0;                     ///< Useful multiply-accumulates, padding not counted.
  std::uint64_t flops = 0;                    ///< Useful floating-point operations, 2 per MAC included.
  std::uint64_t instructions = 0;             ///< Expected number, 0 if unknown; for progress only.
  DType dtype = DType::Bf16;                  ///< Of the matmul operands; selects the peak for MFU.
  bool double_row = false;                    ///< FP8 matmuls use double row, which doubles the peak.
  IssueOrder order = IssueOrder::Written;     ///< A run may say otherwise: RunOptions::order.
  std::vector<std::string> files;             ///< Sources of the kernel that `Instruction::at` points into.
};

/// A stream of records in program order. Nothing is held whole: `next` makes one record at a time.
class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  [[nodiscard]] virtual const ProgramInfo& info() const = 0;
  /// The next record, or null at the end. Valid until the next call.
  virtual const Record* next() = 0;

  /// Takes an instruction and how many of the program it stands for: alike in all but their places.
  using SummarySink = std::function<void(const Instruction&, std::uint64_t count)>;
  /// All instructions of the program as a few that stand for them, in no order; their `ring` means nothing.
  /// Returns over how many rings its copies are spread, 0 if only reading the program can tell what is in it. To
  /// be called instead of `next`, not beside it.
  virtual unsigned summarize(const SummarySink&) { return 0; }
};

/// Work for one run: one program per core, numbered from core 0.
struct Workload {
  std::vector<std::unique_ptr<Program>> programs;
  std::string name;
  std::string source;  ///< "kernel" or the trace file's name; not part of the hash.
};

}  // namespace trnsim
