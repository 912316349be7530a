// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <span>

#include "trnsim/isa/instruction.hpp"

namespace trnsim {

/// Sizes that one operand of one instruction may have, beyond what its `Form` says.
struct SizeRule {
  Opcode op;
  Role role;
  std::uint32_t least = 1, most = ~std::uint32_t{0}, multiple = 1;  ///< Columns.
  std::uint32_t most_partitions = ~std::uint32_t{0}, partition_multiple = 1;
};
std::span<const SizeRule> size_rules();

/// Types that one operand may have.
struct TypeRule {
  Opcode op;
  Role role;
  std::uint32_t types;  ///< Bit set of 1 << DType.
};
std::span<const TypeRule> type_rules();

/// Operations that an instruction may be given on an engine; `bypass`, which is none, always.
struct OperationRule {
  Opcode op;
  std::uint8_t engines;      ///< Bit set of 1 << EngineKind.
  std::uint8_t generations;  ///< Bit set of 1 << Generation.
  bool first, second;        ///< Holds for op0, op1.
  std::uint64_t operations;  ///< Bit set of 1 << AluOp.
};
std::span<const OperationRule> operation_rules();

}  // namespace trnsim
