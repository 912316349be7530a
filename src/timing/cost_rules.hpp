// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <span>

#include "trnsim/config/charge.hpp"
#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// What the choice of a cost rule depends on, worked out once per instruction.
struct Use {
  const Instruction* instruction;
  Generation generation;
  bool short_types;     ///< Every streamed operand has a type of the fast modes.
  bool all_bf16;        ///< Every streamed operand is BF16.
  bool contiguous;      ///< The innermost dimension of every streamed operand.
  unsigned psum_sides;  ///< Streamed operands in PSUM.
  bool psum_input;      ///< A streamed input is in PSUM.
  std::uint64_t columns;
};

/// How the time of an instruction follows from its sizes, N columns and a number c of the description.
enum class Formula : std::uint8_t {
  Stream,        ///< c × N
  Fixed,         ///< c
  Triples,       ///< c × N / 3
  Overlapped,    ///< GpSimd: the longer of start and c × N
  TwiceStarted,  ///< GpSimd: two starts and c × N
  Chunked,       ///< GpSimd: a start for every 512 columns, and c × N
  SixteenLanes,  ///< GpSimd: c × elements of 16 partitions, and one cycle per result
  LocalGather,   ///< GpSimd: per index c and a rate of its own
  Volume         ///< GpSimd: bytes at c GB/s
};

/// One row: the first whose condition holds is the cost of the instruction on that engine.
struct CostRule {
  Opcode op;
  bool (*when)(const Use&);  ///< Null: always.
  Charge charge;             ///< The number c; None: 1.
  Formula formula = Formula::Stream;
  bool per_cycle = false;  ///< The number is elements per cycle, not cycles per element; a mode of the Vector engine.
};

/// Rows of an instruction on the Vector, Scalar or GpSimd engine; none: one cycle per element.
std::span<const CostRule> cost_rules(EngineKind engine, Opcode op);

}  // namespace trnsim
