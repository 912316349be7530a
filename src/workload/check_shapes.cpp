// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/check_report.hpp"

namespace trnsim {
namespace {

bool psum(const Operand* o) { return o != nullptr && o->buffer == Buffer::Psum; }

}  // namespace

void InstructionChecker::check_shapes(const Instruction& i, const TensorTable& tensors, Report& report) const {
  switch (i.op) {
    case Opcode::NcMatmul: return check_matmul(i, tensors, report);
    case Opcode::NcMatmulMx: return check_matmul_mx(i, tensors, report);
    case Opcode::NcTranspose: return check_transpose(i, report);
    case Opcode::DmaCopy:
    case Opcode::DmaTranspose: return check_dma(i, report);
    default: return check_elementwise(i, report);
  }
}

void InstructionChecker::check_transpose(const Instruction& i, Report& report) const {
  const Operand &dst = i.operands[0], &data = i.operands[1];
  const bool tensor = i.engine == EngineKind::Tensor;
  const std::uint64_t most_partitions = tensor ? tensor_.rows : 32, most_columns = tensor ? tensor_.columns : 32;
  if (data.partitions > most_partitions || data.columns() > most_columns) {
    report.add("data", shape_of(data) + "; allowed on the " + std::string(name_of(i.engine)) + " engine: at most [" +
                           std::to_string(most_partitions) + " partitions, " + std::to_string(most_columns) + " columns]");
  }
  if (dst.partitions != data.columns() || dst.columns() != data.partitions) {
    report.add("dst", shape_of(dst) + "; allowed: the transpose of data " + shape_of(data));
  }
}

void InstructionChecker::check_elementwise(const Instruction& i, Report& report) const {
  const auto rules = info(i.op).operands;
  const Operand& dst = i.operands[0];
  const bool reduces = i.op == Opcode::TensorReduce || i.op == Opcode::BnStats || i.op == Opcode::BnAggr;
  for (std::size_t k = 1; k < rules.size(); ++k) {
    const Operand& o = i.operands[k];
    if (!o.present()) continue;
    const std::string_view role = name_of(rules[k].role);
    if (o.partitions != dst.partitions) {
      report.add(role, std::to_string(o.partitions) + " partitions; allowed: as many as dst, " + std::to_string(dst.partitions));
    } else if (!rules[k].streamed) {
      if (o.columns() != 1) report.add(role, shape_of(o) + "; allowed: one column");
    } else if (!reduces && o.columns() != dst.columns()) {
      report.add(role, shape_of(o) + "; allowed: as many columns as dst, " + thousands(dst.columns()));
    }
  }
  if (i.op == Opcode::TensorReduce && i.operands[1].columns() % dst.columns() != 0) {
    report.add("dst", shape_of(dst) + "; allowed: a number of columns that divides those of data, " + thousands(i.operands[1].columns()));
  }
  if (psum(i.find(Role::Data)) && psum(i.find(Role::Data2))) {
    report.add("data2", "both inputs are in psum; allowed: one of data and data2");
  }
}

void InstructionChecker::check_dma(const Instruction& i, Report& report) const {
  const Operand &dst = i.operands[0], &src = i.operands[1];
  const std::uint64_t to = dst.columns() * dst.partitions, from = src.columns() * src.partitions;
  if (to != from) report.add("dst", thousands(to) + " elements; allowed: as many as src, " + thousands(from));
  if (i.op == Opcode::DmaTranspose && dst.dtype != src.dtype) {
    report.add("dst", "type " + std::string(name_of(dst.dtype)) + "; allowed: the type of src, " + std::string(name_of(src.dtype)));
  }
  if (i.ring != kDefaultRing && i.ring >= rings_) {
    report.add("queue", "value " + std::to_string(i.ring) + "; allowed: 0 to " + std::to_string(rings_ - 1));
  }
  if (dge_[static_cast<std::size_t>(i.dge)]) return;
  std::vector<std::string_view> modes;
  for (std::size_t m = 0; m < 4; ++m) {
    if (dge_[m]) modes.push_back(name_of(static_cast<DgeMode>(m)));
  }
  report.add("dge", "value \"" + std::string(name_of(i.dge)) + "\"; allowed on " + label_ + ": " + listed(modes));
}

}  // namespace trnsim
