// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/isa/instruction.hpp"

#include <utility>

#include "trnsim/isa/program.hpp"
#include "units/names.hpp"

namespace trnsim {
namespace {

constexpr std::array<std::string_view, kIssueOrderCount> kIssueOrders{"written", "list"};

}  // namespace

std::string_view name_of(IssueOrder order) { return kIssueOrders[static_cast<std::size_t>(order)]; }
std::optional<IssueOrder> issue_order_from(std::string_view name) { return find_name<IssueOrder>(kIssueOrders, name); }

std::uint64_t bytes_of(const TensorInfo& tensor) {
  if (tensor.buffer != Buffer::Hbm) return std::uint64_t{tensor.partitions} * tensor.bytes_per_partition;
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : tensor.shape) elements *= extent;
  return elements * element_bytes(tensor.dtype);
}

const Operand* Instruction::find(Role role) const {
  const auto rules = trnsim::info(op).operands;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].role == role && operands[i].present()) return &operands[i];
  }
  return nullptr;
}

Operand* Instruction::find(Role role) { return const_cast<Operand*>(std::as_const(*this).find(role)); }

}  // namespace trnsim
