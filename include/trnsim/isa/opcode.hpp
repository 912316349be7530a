// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trnsim/generation.hpp"

namespace trnsim {

enum class EngineKind : std::uint8_t { Tensor, Vector, Scalar, GpSimd, Sync };
inline constexpr std::size_t kEngineCount = 5;
std::string_view name_of(EngineKind e);  ///< "tensor"
std::optional<EngineKind> engine_from(std::string_view name);

enum class Buffer : std::uint8_t { Hbm, Sbuf, Psum };
std::string_view name_of(Buffer b);  ///< "sbuf"
std::optional<Buffer> buffer_from(std::string_view name);

/// Hardware instructions, named as in `nki.isa`. The table behind `info` says which engine and
/// which generation has each.
enum class Opcode : std::uint8_t {
  NcMatmul,
  NcMatmulMx,
  NcTranspose,
  Activation,
  ActivationReduce,
  TensorCopy,
  TensorScalar,
  TensorTensor,
  ScalarTensorTensor,
  TensorTensorScan,
  TensorReduce,
  TensorScalarReduce,
  Reciprocal,
  Exponential,
  Memset,
  BnStats,
  BnAggr,
  Iota,
  AffineSelect,
  RangeSelect,
  TensorCopyPredicated,
  DmaCopy,
  DmaTranspose,
  Activate2,
  TensorScalarCumulative,
  SelectReduce,
  Dropout,
  Max8,
  NcFindIndex8,
  NcMatchReplace8,
  QuantizeMx,
  NcStreamShuffle,
  Rng,
  Rand2,
  SetRngSeed,
  RandGetState,
  RandSetState,
  TensorPartitionReduce,
  NcNGather,
  LocalGather,
  NonzeroWithCount,
  SequenceBounds,
  Topk,
  BuiltinCustomOp,
  CoreBarrier,
  RegisterAlloc,
  RegisterMove,
  RegisterLoad,
  RegisterStore,
  Sendrecv,
  DmaCompute,
};
inline constexpr std::size_t kOpcodeCount = 51;

/// What one operand of an instruction is for. Roles up to `DstScale` may stand in an opcode's table; the
/// order of the table is the order in `Instruction::operands`.
enum class Role : std::uint8_t {
  Dst,
  Stationary,
  Moving,
  StationaryScale,
  MovingScale,
  Data,
  Data2,
  Operand0,
  Operand1,
  Bias,
  Scale,
  ReduceRes,
  Src,
  DstScale,
  // Where rows are that an address at run time picks: for each role above but DstScale, in its order.
  DstIndex = 16,
  DataIndex = DstIndex + Data,
  SrcIndex = DstIndex + Src,
  // Further tensors of instructions that take any number: `numbered`.
  Dst2 = 32,
  Src2 = 48,
  Data3 = 65
};
inline constexpr unsigned kMostNumbered = 16;  ///< dst2 … dst16, src2 … src16, data3 … data16.

std::string_view name_of(Role r);  ///< JSON key of the operand: "dst", "stationary", "data2", "src_index", "src2" ...
std::optional<Role> role_from(std::string_view name);
/// `src_index` of `src`; roles up to `Src` have one.
constexpr Role index_of(Role r) { return static_cast<Role>(static_cast<unsigned>(r) + static_cast<unsigned>(Role::DstIndex)); }
constexpr bool is_index(Role r) { return r >= Role::DstIndex && r <= Role::SrcIndex; }
/// The n-th of `dst`, `src`, `data`, from 1.
constexpr Role numbered(Role first, unsigned n) {
  if (n == 1) return first;
  if (first == Role::Data) return n == 2 ? Role::Data2 : static_cast<Role>(static_cast<unsigned>(Role::Data3) + n - 3);
  return static_cast<Role>(static_cast<unsigned>(first == Role::Dst ? Role::Dst2 : Role::Src2) + n - 2);
}

/// How an operand's shape relates to that of `dst`.
enum class Form : std::uint8_t {
  Same,    ///< As many partitions and columns; read or written element by element.
  Input,   ///< As many partitions, any number of columns, element by element.
  Column,  ///< As many partitions, one column: a number per partition.
  Eight,   ///< As many partitions, eight columns.
  Free,    ///< Any shape, or rules of the instruction's own; element by element.
  Aside,   ///< Any shape; nothing that the instruction streams.
};

struct OperandRule {
  Role role;
  bool required;
  std::uint8_t buffers;  ///< Bit set of 1 << Buffer.
  Form form;
  bool written;
  bool later = false;  ///< Optional operand added after format 1.0; where it is absent, hashes stay as they were.

  /// Read or written element by element; a [P,1] operand is not.
  [[nodiscard]] constexpr bool streamed() const { return form == Form::Same || form == Form::Input || form == Form::Free; }
  /// A number per partition that is fetched before the stream starts.
  [[nodiscard]] constexpr bool fetched() const { return form == Form::Column && !written; }
};
/// Whether an operand of an opcode's table is written; `dst_index` there is a result, not an address.
constexpr bool writes(const OperandRule& rule) { return rule.written; }

/// What a few opcodes have beside the operands of their table; bits of `OpcodeInfo::extras`.
enum Extra : std::uint8_t {
  kMoreDst = 1,   ///< dst2, dst3, …
  kMoreSrc = 2,   ///< src2, src3, …
  kMoreData = 4,  ///< data2, data3, … behind those of the table
  kChunks = 8,    ///< `chunks`
  kCores = 16,    ///< `cores`
  kPeers = 32,    ///< `send_to`, `recv_from`, `pipe`
  kGroups = 64,   ///< `groups`, `pairs`
};

/// Which part of a core runs an instruction; Sequencer: the instruction queue of the engine itself.
enum class Executor : std::uint8_t { Array, Lanes, Dma, Sequencer };

struct OpcodeInfo {
  std::string_view name;
  Executor executor;
  std::span<const OperandRule> operands;
  std::array<std::uint8_t, kGenerationCount> engines;  ///< By generation a bit set of 1 << EngineKind; 0 where it lacks the instruction.
  EngineKind default_engine;
  std::uint8_t extras = 0;  ///< Bit set of Extra.

  [[nodiscard]] constexpr std::uint8_t engines_on(Generation g) const { return engines[static_cast<std::size_t>(g)]; }
  [[nodiscard]] constexpr bool runs_on(EngineKind e) const {
    return ((engines[0] | engines[1] | engines[2]) >> static_cast<unsigned>(e) & 1U) != 0;
  }
  /// Bit set of 1 << Generation.
  [[nodiscard]] constexpr std::uint8_t generations() const {
    return static_cast<std::uint8_t>((engines[0] != 0 ? 1U : 0U) | (engines[1] != 0 ? 2U : 0U) | (engines[2] != 0 ? 4U : 0U));
  }
};

const OpcodeInfo& info(Opcode op);
std::optional<Opcode> opcode_from(std::string_view name);
inline bool is_dma(Opcode op) { return info(op).executor == Executor::Dma; }

/// Functions of the Scalar engine. Those of one set share an activation table.
enum class ActFn : std::uint8_t {
  Copy,
  Identity,
  Relu,
  Square,
  Exp,
  Sqrt,
  Rsqrt,
  Log,
  Sigmoid,
  Tanh,
  Silu,
  Gelu,
  GeluDx,
  GeluApprxTanh,
  GeluApprxSigmoid,
  GeluApprxSigmoidDx,
  SiluDx,
  Softplus,
  Mish,
  Erf,
  ErfDx,
  Sin,
  Cos,
  Tan,
  Arctan,
  Sign,
  Abs,
  Reciprocal,
  Prelu
};
inline constexpr std::size_t kActFnCount = 29;
std::string_view name_of(ActFn f);
std::optional<ActFn> act_fn_from(std::string_view name);
/// Table that holds the function; 0 means every table has it, so that no load is needed.
unsigned table_of(ActFn f);

/// Operations of the lanes. `And`, `Or`, `Xor` and `Not` are the logical ones.
enum class AluOp : std::uint8_t {
  Bypass,
  Add,
  Subtract,
  Multiply,
  Divide,
  Max,
  Min,
  Abs,
  AbsMax,
  Power,
  Rsqrt,
  And,
  Or,
  IsGe,
  IsLe,
  IsGt,
  IsLt,
  IsEqual,
  NotEqual,
  Xor,
  Not,
  BitwiseAnd,
  BitwiseOr,
  BitwiseXor,
  BitwiseNot,
  LeftShift,
  RightShift,
  Mod,
  AbsMin,
  Average,
  Floor,
  Ceil,
  Trunc,
  Negative
};
inline constexpr std::size_t kAluOpCount = 34;
std::string_view name_of(AluOp op);
std::optional<AluOp> alu_op_from(std::string_view name);
/// Bits and shifts: integers on the Vector engine only, never beside arithmetic.
bool is_bitwise(AluOp op);

/// Modes of the Tensor engine beyond the plain multiply.
enum class PerfMode : std::uint8_t { None, DoubleRow };

/// Who builds the descriptors of a DMA. `Default` is the generation's: static on v2, hardware on v3 and later.
enum class DgeMode : std::uint8_t { Default, Static, Software, Hardware };
std::string_view name_of(DgeMode m);
std::optional<DgeMode> dge_mode_from(std::string_view name);

}  // namespace trnsim
