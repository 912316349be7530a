// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "workload/trace_symbols.hpp"

namespace trnsim {

/// Looks up the names of a parsed line: operands as written become operands of tensors alive.
class TraceResolver {
 public:
  explicit TraceResolver(Problems& problems) : problems_(&problems) {}
  TraceResolver(const TraceResolver&) = delete;
  TraceResolver& operator=(const TraceResolver&) = delete;
  virtual ~TraceResolver() = default;

 protected:
  enum class Outcome : std::uint8_t { Good, Broken, Refused };  ///< Broken: a tile whose declaration was refused.

  /// Fills `line.instruction.operands` and `extras`.
  Outcome resolve_operands(TraceLine& line);
  /// Tile of a range at a fixed address, and the offset of the range in it through `keys`.
  virtual TensorId fixed_range(const OperandText& text, std::uint32_t line, OperandKeys& keys) = 0;

  void problem(std::uint32_t line, const std::string& text) { problems_->add(line, text); }
  Problems& problems() { return *problems_; }
  TraceSymbols& symbols() { return symbols_; }

 private:
  Outcome resolve_operand(const OperandText& text, std::uint32_t line, Operand& operand);
  Outcome resolve_further(TraceLine& line);

  Problems* problems_;
  TraceSymbols symbols_;
};

}  // namespace trnsim
