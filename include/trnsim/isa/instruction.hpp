// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trnsim/dtype.hpp"
#include "trnsim/isa/opcode.hpp"
#include "trnsim/isa/source_line.hpp"

namespace trnsim {

/// Index of a tensor in its program. HBM tensors of `ProgramInfo` come first (0 … n−1); tiles take
/// the numbers after them and may reuse the number of a released tile.
using TensorId = std::uint32_t;
inline constexpr TensorId kNoTensor = ~TensorId{0};

enum class TensorUse : std::uint8_t { Input, Output, Internal };  ///< Input is never written, Output never read.

/// A tensor in HBM (row major), or a tile in SBUF or PSUM (partition dimension first).
struct TensorInfo {
  std::string name;
  Buffer buffer = Buffer::Hbm;
  DType dtype = DType::Bf16;
  TensorUse use = TensorUse::Internal;    ///< HBM only.
  std::vector<std::uint64_t> shape;       ///< HBM: any rank, in elements.
  std::uint16_t partition = 0;            ///< Tile: start partition.
  std::uint16_t partitions = 0;           ///< Tile: number of partitions.
  std::uint32_t bytes_per_partition = 0;  ///< Tile: size in the free dimension.
  std::int64_t address = -1;              ///< Tile: byte offset in its partitions; −1 lets the planner choose.
};

/// Bytes of an HBM tensor, rounded up to whole bytes (MX scales are tensors of their own).
std::uint64_t bytes_of(const TensorInfo& tensor);

/// One dimension of an access pattern, in elements of the operand's type.
struct Dim {
  std::int32_t stride = 1;
  std::uint32_t count = 1;
  bool operator==(const Dim&) const = default;
};

inline constexpr std::size_t kMaxRank = 6;
inline constexpr std::size_t kPatternRank = 4;  ///< Dimensions of one access pattern of an engine.

/// Elements of one tensor that an instruction touches: `partitions` rows of one regular pattern.
///
/// SBUF, PSUM: row r is partition `partition + r × partition_step`, counted from the tile's first one;
/// `offset` is in bytes within each partition of the tile. HBM: row r starts at
/// `offset + r × row_stride` bytes from the start of the tensor. Within a row, `free` lists up to
/// six dimensions, slowest first, strides in elements; an engine's access pattern has four of them, so
/// that more stand for several instructions.
struct Operand {
  TensorId tensor = kNoTensor;
  Buffer buffer = Buffer::Sbuf;
  DType dtype = DType::Bf16;
  std::uint8_t rank = 1;  ///< Used entries of `free`, from 1.
  std::uint16_t partition = 0;
  std::uint16_t partition_step = 1;  ///< On chip; 0: one partition for all rows.
  std::uint32_t partitions = 1;      ///< At most 128 on chip.
  std::uint64_t offset = 0;          ///< Bytes.
  std::int64_t row_stride = 0;       ///< Bytes; HBM only.
  std::array<Dim, kMaxRank> free{};

  bool operator==(const Operand&) const = default;
  [[nodiscard]] bool present() const { return tensor != kNoTensor; }
  /// Elements of one row.
  [[nodiscard]] std::uint64_t columns() const {
    std::uint64_t n = 1;
    for (unsigned i = 0; i < rank; ++i) n *= free[i].count;
    return n;
  }
  /// Partitions from the first row's to the last row's, both included.
  [[nodiscard]] std::uint32_t partition_span() const { return (partitions - 1) * partition_step + 1; }
  [[nodiscard]] std::uint64_t row_bytes() const { return columns() * element_bytes(dtype); }
  [[nodiscard]] std::uint64_t bytes() const { return row_bytes() * partitions; }
  [[nodiscard]] std::int64_t inner_stride() const { return free[rank - 1].stride; }
  [[nodiscard]] bool contiguous_inner() const { return free[rank - 1].count <= 1 || inner_stride() == 1; }
};

inline constexpr std::size_t kMaxOperands = 6;
inline constexpr std::uint8_t kDefaultRing = 0xff;  ///< Ring 0 of the issuing engine.

/// What few instructions have beside their table of operands.
struct InstructionExtras {
  struct Item {
    Role role = Role::Dst;
    Operand operand;
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> operands;  ///< Indices, which are read, and numbered tensors; sorted by role.
  std::uint32_t chunks = 0;    ///< Groups of indices that a gather works on.
  std::optional<std::uint32_t> send_to, recv_from, pipe;
  std::vector<std::uint32_t> cores;                            ///< Of a barrier.
  std::vector<std::vector<std::uint32_t>> groups;              ///< Ranks of a collective.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< From, to.
  bool operator==(const InstructionExtras&) const = default;
};
/// Whether a further operand is written; indices never are.
constexpr bool writes_further(Role role) { return role >= Role::Dst2 && role < Role::Src2; }

/// One hardware instruction. `operands` follow `info(op).operands`; an absent one has no tensor.
struct Instruction {
  Opcode op = Opcode::TensorCopy;
  EngineKind engine = EngineKind::Vector;  ///< Executes it; for a DMA the engine that triggers it.
  ActFn function = ActFn::Copy;            ///< activation, activation_reduce.
  AluOp alu0 = AluOp::Bypass;
  AluOp alu1 = AluOp::Bypass;
  bool accumulate = false;       ///< nc_matmul: add to PSUM instead of overwriting.
  bool transpose = false;        ///< nc_matmul: the PE transpose mode.
  bool onezero = false;          ///< nc_matmul, FP32: one operand is all zeros and ones.
  bool reduce = false;           ///< activation: read the accumulator out to reduce_res.
  bool dynamic_address = false;  ///< An operand address comes from a register.
  PerfMode perf_mode = PerfMode::None;
  std::uint8_t tile_row = 0, tile_col = 0;        ///< nc_matmul: first PE row and column of its array tile.
  std::uint8_t tile_rows = 128, tile_cols = 128;  ///< nc_matmul: size of the array tile: 32, 64 or 128.
  std::uint8_t ring = kDefaultRing;               ///< DMA: ring (queue) number of the issuing engine.
  DgeMode dge = DgeMode::Default;
  std::uint32_t line = 0;  ///< Trace line or 0; named in errors.
  std::uint64_t id = 0;    ///< Explicit id for `after`; 0 = none. Ids are dense, from 1.
  std::uint8_t after_count = 0;
  std::array<std::uint64_t, 4> after{};  ///< Ids that must complete first.
  SourceLine at;                         ///< In the kernel.
  std::array<Operand, kMaxOperands> operands{};
  std::shared_ptr<const InstructionExtras> extras;  ///< Null for most.

  [[nodiscard]] const Operand* find(Role role) const;
  Operand* find(Role role);

  /// Calls `f(operand, written)` for every operand that is there, those of `extras` last.
  template <class F>
  void for_each(F f) const {
    const auto rules = trnsim::info(op).operands;
    for (std::size_t k = 0; k < rules.size(); ++k) {
      if (operands[k].present()) f(operands[k], writes(rules[k]));
    }
    if (!extras) return;
    for (const auto& [role, operand] : extras->operands) f(operand, writes_further(role));
  }
};

}  // namespace trnsim
