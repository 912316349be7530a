// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/trace.hpp"
#include "workload/check_report.hpp"

namespace trnsim {
namespace {

std::string quoted(DType t) { return std::string(name_of(t)); }

bool is_fp32_like(DType t) { return t == DType::Fp32 || t == DType::Tf32; }

bool is_float(DType t) { return is_fp32_like(t) || is_16bit_float(t) || is_fp8(t); }

/// Sizes of a product in the terms of its operands.
struct Product {
  std::uint64_t k, m, n;
};

Product product_of(const Instruction& i) {
  const Operand &stationary = i.operands[1], &moving = i.operands[2];
  const unsigned halves = i.perf_mode == PerfMode::DoubleRow ? 2 : 1;
  return {stationary.partitions, stationary.columns() / halves, moving.columns() / halves};
}

/// Both ways to say what a matmul computes, since they are easily mixed up.
std::string conventions(const Product& p) {
  return "stationary is [K, M] and moving [K, N] with K on the partitions: K=" + std::to_string(p.k) + ", M=" + std::to_string(p.m) +
         ", N=" + std::to_string(p.n) + ", output [M, N] = [" + std::to_string(p.m) + ", " + std::to_string(p.n) +
         "]; in matrix terms C[M, N] = A[M, K] x B[K, N] with stationary = transpose of A";
}

}  // namespace

std::uint64_t macs_of(const Instruction& i) {
  if ((i.op != Opcode::NcMatmul && i.op != Opcode::NcMatmulMx) || i.transpose) return 0;
  const Product p = product_of(i);
  const std::uint64_t halves = i.perf_mode == PerfMode::DoubleRow ? 2 : 1;
  return p.k * halves * values_per_element(i.operands[1].dtype) * p.m * p.n;
}

void InstructionChecker::check_matmul_types(const Instruction& i, Report& report) const {
  const DType s = i.operands[1].dtype, m = i.operands[2].dtype;
  for (const auto& [key, type] : {std::pair{"stationary", s}, std::pair{"moving", m}}) {
    if (is_mx(type)) {
      report.add(key, "type " + quoted(type) + " needs nc_matmul_mx");
    } else if (!is_float(type)) {
      report.add(key, "type " + quoted(type) + "; allowed: fp32, tf32, bf16, fp16, fp8_e4m3, fp8_e5m2");
    }
  }
  if (!report.clean()) return;
  if (is_fp32_like(s) != is_fp32_like(m)) {
    report.add("moving",
               "type " + quoted(m) + " with a stationary operand of type " + quoted(s) + "; allowed: fp32 and tf32 only with each other");
  }
  if (i.perf_mode != PerfMode::DoubleRow) return;
  if (tensor_.fp8_rate <= 1) {
    report.add("perf_mode", "double_row is not available on " + label_ + "; generations that have it: " + generations_of(6));
  }
  for (const auto& [key, k] : {std::pair{"stationary", 1}, std::pair{"moving", 2}}) {
    const Operand& o = i.operands[static_cast<std::size_t>(k)];
    if (!is_fp8(o.dtype)) report.add(key, "type " + quoted(o.dtype) + " in double_row; allowed: fp8_e4m3, fp8_e5m2");
    if (o.rank < 2 || o.free[0].count != 2) {
      report.add(key, "double_row needs the two halves of K as the slowest dimension of its pattern: [[stride, 2], ...]");
    }
  }
  if (i.transpose) report.add("transpose", "does not go with double_row");
}

void InstructionChecker::check_matmul(const Instruction& i, const TensorTable& tensors, Report& report) const {
  check_matmul_types(i, report);
  if (!report.clean()) return;
  const Operand &dst = i.operands[0], &stationary = i.operands[1], &moving = i.operands[2];
  const Product p = product_of(i);
  if (stationary.partitions != moving.partitions) {
    report.add("moving", "contracts over " + std::to_string(moving.partitions) + " partitions, stationary over " +
                             std::to_string(stationary.partitions) + "; " + conventions(p));
  } else if (dst.partitions != p.m || dst.columns() != p.n) {
    report.add("dst", shape_of(dst) + "; " + conventions(p));
  }
  check_array_tile(i, report);
  check_matmul_output(i, tensors, report);
}

void InstructionChecker::check_matmul_output(const Instruction& i, const TensorTable& tensors, Report& report) const {
  const Operand& dst = i.operands[0];
  const Product p = product_of(i);
  const bool narrow = bf16_output_ && dst.dtype == DType::Bf16;
  const std::uint64_t most = std::uint64_t{tensor_.max_moving_columns} * (narrow ? 2 : 1);
  if (p.n > most) report.add("moving", thousands(p.n) + " columns; allowed on " + label_ + ": at most " + thousands(most));
  if (p.k > tensor_.rows) report.add("stationary", std::to_string(p.k) + " partitions; allowed: at most " + std::to_string(tensor_.rows));
  if (p.m > tensor_.columns) {
    report.add("stationary", thousands(p.m) + " columns; allowed: at most " + std::to_string(tensor_.columns));
  }
  const bool transposed = i.transpose && tensor_.transpose_mode && (dst.dtype == i.operands[1].dtype || bits_of(dst.dtype) == 16);
  if (dst.dtype != DType::Fp32 && !narrow && !transposed) {
    report.add("dst", "type " + quoted(dst.dtype) + "; allowed on " + label_ + ": fp32" + (bf16_output_ ? ", bf16" : "") +
                          (bf16_output_ ? "" : "; bf16 is available on " + generations_of(4)));
  }
  Extent extent;
  if (generation_ == Generation::V4 || !row_extent(dst, extent)) return;
  const TensorInfo& tile = tensors[dst.tensor];
  const std::int64_t base = tile.address < 0 ? 0 : tile.address, bank = static_cast<std::int64_t>(bank_bytes_);
  if ((base + extent.first) / bank == (base + extent.end - 1) / bank) return;
  report.add("dst", "bytes " + thousands(static_cast<std::uint64_t>(base + extent.first)) + " to " +
                        thousands(static_cast<std::uint64_t>(base + extent.end)) + " leave their PSUM bank; allowed on " + label_ +
                        ": one bank of " + thousands(bank_bytes_) + " bytes");
}

void InstructionChecker::check_array_tile(const Instruction& i, Report& report) const {
  const auto legal = [&](unsigned size, unsigned all) {
    return size == all || (size >= tensor_.min_array_tile && size < all && (size & (size - 1)) == 0);
  };
  if (i.tile_row == 0 && i.tile_col == 0 && i.tile_rows == 128 && i.tile_cols == 128) return;  // the whole array
  const Product p = product_of(i);
  const std::string size = "[" + std::to_string(i.tile_rows) + ", " + std::to_string(i.tile_cols) + "]";
  if (!legal(i.tile_rows, tensor_.rows) || !legal(i.tile_cols, tensor_.columns)) {
    std::string sizes;
    for (unsigned s = tensor_.min_array_tile; s <= tensor_.rows; s *= 2) sizes += (sizes.empty() ? "" : ", ") + std::to_string(s);
    return report.add("tile_size", "value " + size + "; allowed on " + label_ + ": rows and columns of " + sizes);
  }
  if (i.tile_row % i.tile_rows != 0 || i.tile_col % i.tile_cols != 0 || i.tile_row + i.tile_rows > tensor_.rows ||
      i.tile_col + i.tile_cols > tensor_.columns) {
    return report.add("tile_position", "value [" + std::to_string(i.tile_row) + ", " + std::to_string(i.tile_col) +
                                           "]; allowed: multiples of tile_size " + size + " inside the array");
  }
  if (p.k > i.tile_rows)
    report.add("stationary", std::to_string(p.k) + " partitions on an array tile of " + std::to_string(i.tile_rows) + " rows");
  if (p.m > i.tile_cols)
    report.add("stationary", thousands(p.m) + " columns on an array tile of " + std::to_string(i.tile_cols) + " columns");
  const bool whole_columns = i.perf_mode == PerfMode::DoubleRow || i.op == Opcode::NcMatmulMx;
  if (whole_columns && i.tile_cols != tensor_.columns) {
    report.add("tile_size",
               "value " + size + "; allowed in double_row and for nc_matmul_mx: all " + std::to_string(tensor_.columns) + " columns");
  }
}

void InstructionChecker::check_matmul_mx(const Instruction& i, const TensorTable& tensors, Report& report) const {
  const Operand &dst = i.operands[0], &stationary = i.operands[1], &moving = i.operands[2];
  for (const auto& [key, k] : {std::pair{"stationary", 1}, std::pair{"moving", 2}}) {
    const DType type = i.operands[static_cast<std::size_t>(k)].dtype;
    if (!is_mx(type)) report.add(key, "type " + quoted(type) + "; allowed: mxfp8, mxfp4");
  }
  for (const auto& [key, k] : {std::pair{"stationary_scale", 3}, std::pair{"moving_scale", 4}}) {
    const DType type = i.operands[static_cast<std::size_t>(k)].dtype;
    if (type != DType::Uint8) report.add(key, "type " + quoted(type) + "; allowed: uint8");
  }
  if (i.perf_mode != PerfMode::None) report.add("perf_mode", "has no meaning here; allowed: nc_matmul");
  if (i.transpose) report.add("transpose", "has no meaning here; allowed: nc_matmul");
  if (!report.clean()) return;
  const Product p = product_of(i);
  if (stationary.partitions % 32 != 0) report.add("stationary", std::to_string(p.k) + " partitions; allowed: a multiple of 32");
  if (p.m % 2 != 0) report.add("stationary", thousands(p.m) + " columns; allowed: an even number");
  if (stationary.partitions != moving.partitions) {
    report.add("moving", "contracts over " + std::to_string(moving.partitions) + " partitions, stationary over " +
                             std::to_string(stationary.partitions) + "; " + conventions(p));
  } else if (dst.partitions != p.m || dst.columns() != p.n) {
    report.add("dst", shape_of(dst) + "; " + conventions(p));
  }
  check_array_tile(i, report);
  check_matmul_output(i, tensors, report);
}

}  // namespace trnsim
