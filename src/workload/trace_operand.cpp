// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_operand.hpp"

#include <limits>

#include "trnsim/units.hpp"

namespace trnsim {
namespace {

/// An HBM tensor as a table of rows, a tile as its partitions.
struct Table {
  std::uint64_t rows = 1;
  std::uint64_t row_bytes = 0;
  std::int64_t row_stride = 0;
};

Table table_of(const TensorInfo& tensor) {
  if (tensor.buffer != Buffer::Hbm) return {tensor.partitions, tensor.bytes_per_partition, 0};
  const std::uint64_t all = bytes_of(tensor);
  if (tensor.shape.size() < 2 || all == 0) return {1, all, 0};
  const std::uint64_t rows = tensor.shape.front();
  return {rows, all / rows, static_cast<std::int64_t>(all / rows)};
}

/// Rows left from `offset` on.
std::uint64_t rows_from(const Table& table, std::uint64_t offset, Buffer buffer) {
  if (buffer != Buffer::Hbm || table.row_bytes == 0) return table.rows;
  const std::uint64_t skipped = offset / table.row_bytes;
  return skipped < table.rows ? table.rows - skipped : 0;
}

std::uint64_t columns_from(const Table& table, std::uint64_t offset, const Operand& operand) {
  const std::uint64_t skipped = operand.buffer == Buffer::Hbm && table.row_bytes != 0 ? offset % table.row_bytes : offset;
  return skipped < table.row_bytes ? (table.row_bytes - skipped) / element_bytes(operand.dtype) : 0;
}

}  // namespace

OperandGap complete(const OperandKeys& keys, const TensorInfo& tensor, Operand& operand) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const Table table = table_of(tensor);
  operand.buffer = tensor.buffer;
  operand.dtype = keys.dtype.value_or(tensor.dtype);
  operand.offset = keys.offset.value_or(0);
  if (keys.partitions) {
    operand.partition = keys.partitions->start;
    operand.partitions = keys.partitions->count;
    operand.partition_step = keys.partitions->count > 1 ? keys.partitions->step : std::uint16_t{1};
  } else {
    const std::uint64_t rows = rows_from(table, operand.offset, tensor.buffer);
    if (rows == 0 || rows > kMost) return OperandGap::Pattern;
    operand.partition = 0;
    operand.partition_step = 1;
    operand.partitions = static_cast<std::uint32_t>(rows);
  }
  if (keys.rank != 0) {
    operand.rank = keys.rank;
    operand.free = keys.pattern;
  } else {
    const std::uint64_t columns = columns_from(table, operand.offset, operand);
    if (columns == 0 || columns > kMost) return OperandGap::Pattern;
    operand.rank = 1;
    operand.free = {Dim{1, static_cast<std::uint32_t>(columns)}};
  }
  if (!keys.row_stride && tensor.buffer == Buffer::Hbm && table.row_stride == 0 && operand.partitions > 1) return OperandGap::RowStride;
  operand.row_stride = keys.row_stride.value_or(table.row_stride);
  return OperandGap::None;
}

OperandKeys keys_of(const Operand& operand, const TensorInfo& tensor) {
  OperandKeys keys;
  if (operand.dtype != tensor.dtype) keys.dtype = operand.dtype;
  if (operand.offset != 0) keys.offset = operand.offset;
  const Table table = table_of(tensor);
  if (operand.partition != 0 || operand.partition_step != 1 || operand.partitions != rows_from(table, operand.offset, tensor.buffer)) {
    keys.partitions = {operand.partition, operand.partitions, operand.partition_step};
  }
  const bool default_pattern =
      operand.rank == 1 && operand.free[0].stride == 1 && operand.free[0].count == columns_from(table, operand.offset, operand);
  if (!default_pattern || operand.free[0].count == 0) {
    keys.rank = operand.rank;
    keys.pattern = operand.free;
  }
  const bool needed = tensor.buffer == Buffer::Hbm && table.row_stride == 0 && operand.partitions > 1;
  if (needed || operand.row_stride != table.row_stride) keys.row_stride = operand.row_stride;
  return keys;
}

}  // namespace trnsim
