// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <limits>

#include "workload/check_report.hpp"

namespace trnsim {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 62;

/// base + a × b without leaving ±2^62.
bool add_product(std::int64_t& base, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > kFar || product < -kFar) return false;
  if (__builtin_add_overflow(base, product, &base)) return false;
  return base <= kFar && base >= -kFar;
}

bool start_allowed(std::uint32_t start, std::uint32_t count) {
  if (count > 64) return start == 0;
  if (count > 32) return start == 0 || start == 64;
  return start % 32 == 0;
}

std::string_view starts_for(std::uint32_t count) {
  if (count > 64) return "0";
  return count > 32 ? "0, 64" : "0, 32, 64, 96";
}

std::string buffers_text(std::uint8_t bits) {
  std::vector<std::string_view> names;
  for (unsigned b = 0; b < 3; ++b) {
    if ((bits >> b & 1U) != 0) names.push_back(name_of(static_cast<Buffer>(b)));
  }
  return listed(names);
}

std::string signed_grouped(std::int64_t n) {
  return n < 0 ? "-" + thousands(static_cast<std::uint64_t>(-n)) : thousands(static_cast<std::uint64_t>(n));
}

}  // namespace

bool row_extent(const Operand& o, Extent& extent) {
  if (o.offset > static_cast<std::uint64_t>(kFar)) return false;
  const auto bytes = static_cast<std::int64_t>(element_bytes(o.dtype));
  extent.first = extent.end = static_cast<std::int64_t>(o.offset);
  for (unsigned i = 0; i < o.rank; ++i) {
    std::int64_t& side = o.free[i].stride < 0 ? extent.first : extent.end;
    if (!add_product(side, o.free[i].stride * bytes, std::int64_t{o.free[i].count} - 1)) return false;
  }
  extent.end += bytes;
  return true;
}

bool tensor_extent(const Operand& o, Extent& extent) {
  if (!row_extent(o, extent)) return false;
  return add_product(o.row_stride < 0 ? extent.first : extent.end, o.row_stride, std::int64_t{o.partitions} - 1);
}

bool InstructionChecker::check_operands(const Instruction& i, const TensorTable& tensors, Report& report) const {
  const auto rules = info(i.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (i.operands[k].present()) {
      check_operand(i, i.operands[k], rules[k], tensors, report);
    } else if (rules[k].required) {
      report.add(name_of(rules[k].role), "is missing");
    }
  }
  if (i.extras) check_further(i, tensors, report);
  return report.clean();
}

void InstructionChecker::check_operand(const Instruction& i, const Operand& o, const OperandRule& rule, const TensorTable& tensors,
                                       Report& report) const {
  const std::string_view role = name_of(rule.role);
  if (o.tensor >= tensors.size()) return report.add(role, "its tensor is not alive");
  const TensorInfo& tensor = tensors[o.tensor];
  if (o.buffer != tensor.buffer) {
    return report.add(
        role, "is in " + std::string(name_of(o.buffer)) + ", its tensor '" + tensor.name + "' in " + std::string(name_of(tensor.buffer)));
  }
  const bool written = writes(rule);
  check_buffer(i, o, rule, report);
  if (o.buffer == Buffer::Hbm) {
    check_hbm(o, tensor, role, written, report);
  } else {
    check_on_chip(i, o, tensor, role, report);
    if (written && o.partition_step == 0 && o.partitions > 1)
      report.add(role, "is written, one partition for all rows; allowed: a step from 1");
  }
}

/// Rules of operands that no table has: an index may be anywhere, a numbered tensor where the first one may.
void InstructionChecker::check_further(const Instruction& i, const TensorTable& tensors, Report& report) const {
  constexpr std::uint8_t kAnywhere = 7;
  for (const auto& [role, operand] : i.extras->operands) {
    OperandRule rule{role, true, kAnywhere, Form::Aside, writes_further(role)};
    if (is_index(role)) {
      const auto base = static_cast<Role>(static_cast<unsigned>(role) - static_cast<unsigned>(Role::DstIndex));
      if (i.find(base) == nullptr) report.add(name_of(role), "there is no '" + std::string(name_of(base)) + "' whose rows it could pick");
      if (!i.dynamic_address) report.add(name_of(role), "an address known at run time; 'dynamic_address' must be true");
    } else {
      const Role first = role == Role::Data2 || role >= Role::Data3 ? Role::Data : role >= Role::Src2 ? Role::Src : Role::Dst;
      for (const OperandRule& known : info(i.op).operands) {
        if (known.role == first) rule.buffers = known.buffers;
      }
    }
    check_operand(i, operand, rule, tensors, report);
  }
}

void InstructionChecker::check_buffer(const Instruction& i, const Operand& o, const OperandRule& rule, Report& report) const {
  const std::string_view role = name_of(rule.role);
  std::uint8_t buffers = rule.buffers;
  if (i.op == Opcode::NcTranspose && i.engine == EngineKind::Tensor) {
    buffers = static_cast<std::uint8_t>(1U << static_cast<unsigned>(rule.role == Role::Dst ? Buffer::Psum : Buffer::Sbuf));
  }
  if (i.op == Opcode::DmaTranspose && rule.role == Role::Dst) buffers = 1U << static_cast<unsigned>(Buffer::Sbuf);
  if ((buffers >> static_cast<unsigned>(o.buffer) & 1U) == 0) {
    report.add(role, "is in " + std::string(name_of(o.buffer)) + "; allowed: " + buffers_text(buffers));
  } else if (o.buffer == Buffer::Psum && i.engine == EngineKind::GpSimd && !is_dma(i.op)) {
    report.add(role, "is in psum, which GpSimd cannot reach; allowed: sbuf");
  }
}

void InstructionChecker::check_on_chip(const Instruction& i, const Operand& o, const TensorInfo& tensor, std::string_view role,
                                       Report& report) const {
  if (o.partitions == 0 || o.partitions > partitions_) {
    return report.add(role, std::to_string(o.partitions) + " partitions; allowed: 1 to " + std::to_string(partitions_));
  }
  const std::uint64_t span = std::uint64_t{o.partitions - 1} * o.partition_step + 1;
  if (o.partition + span > tensor.partitions) {
    return report.add(role, "start " + std::to_string(o.partition) + " + " + std::to_string(span) + " partitions past the end of tile '" +
                                tensor.name + "' (" + std::to_string(tensor.partitions) + " partitions)");
  }
  const std::uint32_t start = std::uint32_t{tensor.partition} + o.partition;
  const std::uint32_t covered = o.partition_step == 0 ? 1 : o.partitions;
  if (!is_dma(i.op) && !start_allowed(start, covered)) {
    report.add(role, "starts at partition " + std::to_string(start) + "; allowed for " + std::to_string(covered) +
                         " partitions: " + std::string(starts_for(covered)));
  }
  if (!is_dma(i.op)) {
    for (unsigned d = 0; d < o.rank; ++d) {
      if (o.free[d].count > 65535 || o.free[d].stride > 32767 || o.free[d].stride < -32768) {
        report.add(role, "dimension [" + std::to_string(o.free[d].stride) + ", " + std::to_string(o.free[d].count) +
                             "] of the access pattern; allowed: stride from -32,768 to 32,767, count to 65,535");
      }
    }
  }
  Extent extent;
  if (row_extent(o, extent) && extent.first >= 0 && extent.end <= std::int64_t{tensor.bytes_per_partition}) return;
  report.add(role, "bytes " + signed_grouped(extent.first) + " to " + signed_grouped(extent.end) +
                       " (start + size) past the end of tile '" + tensor.name + "', which has " + thousands(tensor.bytes_per_partition) +
                       " per partition");
}

void InstructionChecker::check_hbm(const Operand& o, const TensorInfo& tensor, std::string_view role, bool written, Report& report) const {
  if (written && tensor.use == TensorUse::Input) report.add(role, "writes tensor '" + tensor.name + "', whose use is input");
  if (!written && tensor.use == TensorUse::Output) report.add(role, "reads tensor '" + tensor.name + "', whose use is output");
  if (o.partitions == 0) return report.add(role, "no rows; allowed: from 1");
  if (o.partition_step != 1) return report.add(role, "a step of partitions in hbm; allowed: 'row', the bytes from one row to the next");
  Extent extent;
  const std::uint64_t bytes = bytes_of(tensor);
  if (tensor_extent(o, extent) && extent.first >= 0 && static_cast<std::uint64_t>(extent.end) <= bytes) return;
  report.add(role, "bytes " + signed_grouped(extent.first) + " to " + signed_grouped(extent.end) +
                       " (start + size) past the end of tensor '" + tensor.name + "', which has " + thousands(bytes));
}

}  // namespace trnsim
