// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/instruction_text.hpp"

#include <array>
#include <charconv>

namespace trnsim {
namespace {

void append_number(std::string& to, std::uint64_t value) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  to.append(digits.data(), end);
}

}  // namespace

void describe_operands(const Instruction& instruction, const std::function<std::string_view(TensorId)>& name, std::string& to) {
  const auto list = [&](bool written) {
    bool first = true;
    instruction.for_each([&](const Operand& operand, bool writes) {
      if (writes != written) return;
      if (!first) to += ", ";
      first = false;
      to += name(operand.tensor);
      to += '[';
      append_number(to, operand.partitions);
      to += ',';
      append_number(to, operand.columns());
      to += ']';
    });
  };
  to.clear();
  list(true);
  if (!to.empty()) to += instruction.accumulate ? " += " : " = ";
  list(false);
}

}  // namespace trnsim
