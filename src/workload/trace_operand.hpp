// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>

#include "trnsim/isa/instruction.hpp"

namespace trnsim {

struct PartitionKeys {
  std::uint16_t start = 0;
  std::uint32_t count = 0;
  std::uint16_t step = 1;
};

/// What a trace line says of one operand: the reader fills what is missing with the defaults below,
/// and the writer leaves out what they would give.
struct OperandKeys {
  std::optional<DType> dtype;
  std::optional<std::uint64_t> offset;
  std::optional<PartitionKeys> partitions;
  std::uint8_t rank = 0;  ///< 0: no pattern given.
  std::array<Dim, kMaxRank> pattern{};
  std::optional<std::int64_t> row_stride;
};

/// Why a line has to be more explicit.
enum class OperandGap : std::uint8_t { None, Pattern, RowStride };

/// Default of a tile: all of it, from `offset` on. Of an HBM tensor: its first dimension gives the
/// rows, the others one row without gaps; a tensor of rank one is a single row.
OperandGap complete(const OperandKeys& keys, const TensorInfo& tensor, Operand& operand);

/// The keys that `complete` needs to give exactly this operand.
OperandKeys keys_of(const Operand& operand, const TensorInfo& tensor);

}  // namespace trnsim
