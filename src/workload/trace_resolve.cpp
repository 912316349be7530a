// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_resolve.hpp"

#include "error/nearest.hpp"

namespace trnsim {

TraceResolver::Outcome TraceResolver::resolve_operands(TraceLine& line) {
  Outcome outcome = Outcome::Good;
  Instruction& to = line.instruction;
  const auto rules = info(to.op).operands;
  for (std::size_t i = 0; i < line.operand_count; ++i) {
    std::size_t k = 0;
    while (rules[k].role != line.operands[i].role) ++k;
    outcome = std::max(outcome, resolve_operand(line.operands[i], to.line, to.operands[k]));
  }
  return line.has_extras ? std::max(outcome, resolve_further(line)) : outcome;
}

TraceResolver::Outcome TraceResolver::resolve_further(TraceLine& line) {
  Outcome outcome = Outcome::Good;
  InstructionExtras extras = line.extras;
  for (const OperandText& text : line.further) {
    auto& item = extras.operands.emplace_back();
    item.role = text.role;
    outcome = std::max(outcome, resolve_operand(text, line.instruction.line, item.operand));
  }
  if (extras != InstructionExtras{}) line.instruction.extras = std::make_shared<const InstructionExtras>(std::move(extras));
  return outcome;
}

TraceResolver::Outcome TraceResolver::resolve_operand(const OperandText& text, std::uint32_t number, Operand& operand) {
  const auto refuse = [&](const std::string& what) {
    problem(number, "key '" + std::string(name_of(text.role)) + "': " + what);
    return Outcome::Refused;
  };
  OperandKeys keys = text.keys;
  TensorId id = kNoTensor;
  if (text.tensor.empty()) {
    id = fixed_range(text, number, keys);
  } else if (const auto found = symbols_.find(text.tensor)) {
    id = *found;
  } else {
    return refuse("value \"" + std::string(text.tensor) +
                  "\"; allowed: a tensor of the header or a tile that is declared and not yet released" +
                  nearest_hint(text.tensor, symbols_.names()));
  }
  if (symbols_.is_tile(id)) {
    symbols_.tile(id).last_use = number;
    if (symbols_.tile(id).broken) return Outcome::Broken;
  }
  operand.tensor = id;
  switch (complete(keys, symbols_.info(id), operand)) {
    case OperandGap::None: return Outcome::Good;
    case OperandGap::Pattern: return refuse("nothing of tensor '" + std::string(text.tensor) + "' is left there; give 'p' and 'ap'");
    case OperandGap::RowStride:
      return refuse("several rows of a tensor with one dimension; give 'row', the bytes from one row to the next");
  }
  return Outcome::Good;
}

}  // namespace trnsim
