// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <array>

#include "workload/check_report.hpp"
#include "workload/check_rules.hpp"

namespace trnsim {
namespace {

bool streamed_from_psum(const Instruction& i, Role role) {
  const auto rules = info(i.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (rules[k].role == role) return rules[k].streamed() && i.operands[k].present() && i.operands[k].buffer == Buffer::Psum;
  }
  return false;
}

std::string range_text(const SizeRule& rule) {
  const bool bounded = rule.most != ~std::uint32_t{0};
  if (bounded && rule.least == rule.most) return thousands(rule.most);
  std::string text = bounded ? thousands(rule.least) + " to " + thousands(rule.most) : "from " + thousands(rule.least);
  if (rule.multiple > 1) text += ", a multiple of " + std::to_string(rule.multiple);
  return text;
}

void check_size(const SizeRule& rule, const Operand& o, std::string_view role, InstructionChecker::Report& report) {
  const std::uint64_t columns = o.columns();
  if (columns < rule.least || columns > rule.most || columns % rule.multiple != 0) {
    report.add(role, shape_of(o) + "; allowed: columns " + range_text(rule));
  }
  if (o.partitions > rule.most_partitions) {
    report.add(role, std::to_string(o.partitions) + " partitions; allowed: " + std::to_string(rule.most_partitions));
  } else if (o.partitions % rule.partition_multiple != 0) {
    report.add(role, std::to_string(o.partitions) + " partitions; allowed: a multiple of " + std::to_string(rule.partition_multiple));
  }
}

template <class Enum>
std::string members_text(std::uint64_t set, std::size_t count) {
  std::vector<std::string_view> names;
  for (std::size_t n = 0; n < count; ++n) {
    if ((set >> n & 1U) != 0) names.push_back(name_of(static_cast<Enum>(n)));
  }
  return listed(names);
}

bool is_integer(DType t) { return t >= DType::Int32; }

}  // namespace

void InstructionChecker::check_shapes(const Instruction& i, const TensorTable& tensors, Report& report) const {
  switch (i.op) {
    case Opcode::NcMatmul: return check_matmul(i, tensors, report);
    case Opcode::NcMatmulMx: return check_matmul_mx(i, tensors, report);
    case Opcode::NcTranspose: return check_transpose(i, report);
    default: break;
  }
  if (is_dma(i.op)) {
    check_operations(i, report);
    return check_dma(i, report);
  }
  check_forms(i, report);
  check_rules(i, report);
  check_operations(i, report);
  if (report.clean()) check_relations(i, report);
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

/// Every operand against `dst`, as the form in the table of instructions says.
void InstructionChecker::check_forms(const Instruction& i, Report& report) const {
  const auto rules = info(i.op).operands;
  const Operand& dst = i.operands[0];
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const Operand& o = i.operands[k];
    const Form form = rules[k].form;
    if (!o.present() || form == Form::Free || form == Form::Aside) continue;
    const std::string_view role = name_of(rules[k].role);
    if (o.partitions != dst.partitions) {
      report.add(role, std::to_string(o.partitions) + " partitions; allowed: as many as dst, " + std::to_string(dst.partitions));
    } else if (form == Form::Column && o.columns() != 1) {
      report.add(role, shape_of(o) + "; allowed: one column");
    } else if (form == Form::Eight && o.columns() != 8) {
      report.add(role, shape_of(o) + "; allowed: eight columns");
    } else if (form == Form::Same && k > 0 && o.columns() != dst.columns()) {
      report.add(role, shape_of(o) + "; allowed: as many columns as dst, " + thousands(dst.columns()));
    }
  }
  if (streamed_from_psum(i, Role::Data) && streamed_from_psum(i, Role::Data2)) {
    report.add("data2", "both inputs are in psum; allowed: one of data and data2");
  }
}

void InstructionChecker::check_rules(const Instruction& i, Report& report) const {
  for (const SizeRule& rule : size_rules()) {
    if (rule.op != i.op) continue;
    if (const Operand* o = i.find(rule.role)) check_size(rule, *o, name_of(rule.role), report);
  }
  for (const TypeRule& rule : type_rules()) {
    if (rule.op != i.op) continue;
    const Operand* o = i.find(rule.role);
    if (o == nullptr || (rule.types >> static_cast<unsigned>(o->dtype) & 1U) != 0) continue;
    report.add(name_of(rule.role), "type " + std::string(name_of(o->dtype)) + "; allowed: " + members_text<DType>(rule.types, kDTypeCount));
  }
  if (i.engine == EngineKind::GpSimd && i.find(Role::ReduceRes) != nullptr)
    report.add("reduce_res", "is given on gpsimd, which has no accumulator; allowed: scalar, vector");
}

void InstructionChecker::check_operations(const Instruction& i, Report& report) const {
  const std::array<AluOp, 2> operations{i.alu0, i.alu1};
  constexpr std::array<std::string_view, 2> kKeys{"op0", "op1"};
  for (std::size_t k = 0; k < 2; ++k) {
    const AluOp op = operations[k];
    if (op == AluOp::Bypass) continue;
    for (const OperationRule& rule : operation_rules()) {
      const bool here = rule.op == i.op && (k == 0 ? rule.first : rule.second) &&
                        (rule.engines >> static_cast<unsigned>(i.engine) & 1U) != 0 &&
                        (rule.generations >> static_cast<unsigned>(generation_) & 1U) != 0;
      if (!here || (rule.operations >> static_cast<unsigned>(op) & 1U) != 0) continue;
      report.add(kKeys[k], "value \"" + std::string(name_of(op)) + "\"; allowed on the " + std::string(name_of(i.engine)) + " engine of " +
                               label_ + ": " + members_text<AluOp>(rule.operations, kAluOpCount));
    }
    if (!is_bitwise(op) || i.op == Opcode::TensorPartitionReduce) continue;
    if (i.engine != EngineKind::Vector)
      report.add(kKeys[k], "value \"" + std::string(name_of(op)) + "\" works on bits, which only the vector engine does");
    const Operand* data = i.find(Role::Data);
    if (data != nullptr && !is_integer(data->dtype))
      report.add(kKeys[k], "value \"" + std::string(name_of(op)) + "\" works on bits; allowed: integer types, found " +
                               std::string(name_of(data->dtype)));
    const AluOp other = operations[1 - k];
    if (other != AluOp::Bypass && !is_bitwise(other))
      report.add(kKeys[k], "value \"" + std::string(name_of(op)) + "\" beside arithmetic \"" + std::string(name_of(other)) +
                               "\"; allowed: two of one kind");
  }
}

/// Sizes of several operands together.
void InstructionChecker::check_relations(const Instruction& i, Report& report) const {
  const Operand& dst = i.operands[0];
  const Operand* data = i.find(Role::Data);
  const auto expect = [&](bool good, std::string_view role, const Operand& o, const std::string& allowed) {
    if (!good) report.add(role, shape_of(o) + "; allowed: " + allowed);
  };
  switch (i.op) {
    case Opcode::TensorReduce:
      expect(data->columns() % dst.columns() == 0, "dst", dst,
             "a number of columns that divides those of data, " + thousands(data->columns()));
      break;
    case Opcode::QuantizeMx:
      expect(dst.columns() * values_per_element(dst.dtype) == data->columns(), "dst", dst,
             "the values of data, " + thousands(data->columns()));
      break;
    case Opcode::NcStreamShuffle:
      expect(data->columns() == dst.columns() && (data->partitions == dst.partitions || data->partitions == 1), "data", *data,
             "the shape of dst " + shape_of(dst) + ", or one partition of it");
      break;
    case Opcode::TensorPartitionReduce:
      expect(data->columns() == dst.columns(), "data", *data, "as many columns as dst, " + thousands(dst.columns()));
      break;
    case Opcode::NcNGather: {
      const Operand& indices = *i.find(Role::Data2);
      expect(indices.partitions == dst.partitions && indices.columns() == dst.columns(), "dst", dst,
             "the shape of data2 " + shape_of(indices));
      break;
    }
    case Opcode::NonzeroWithCount:
      expect(dst.columns() == data->columns() + 1, "dst", dst, "one column more than data, " + thousands(data->columns() + 1));
      break;
    default: break;
  }
}

void InstructionChecker::check_dma(const Instruction& i, Report& report) const {
  const Operand &dst = i.operands[0], &src = i.operands[1];
  const std::uint64_t to = dst.columns() * dst.partitions, from = src.columns() * src.partitions;
  if (to != from) report.add("dst", thousands(to) + " elements; allowed: as many as src, " + thousands(from));
  if (i.op == Opcode::DmaCompute && i.extras) {
    for (const auto& [role, operand] : i.extras->operands) {
      const std::uint64_t elements = operand.columns() * operand.partitions;
      if (!is_index(role) && elements != to)
        report.add(name_of(role), thousands(elements) + " elements; allowed: as many as dst, " + thousands(to));
    }
  }
  if ((i.op == Opcode::DmaTranspose || i.op == Opcode::Sendrecv) && dst.dtype != src.dtype) {
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
