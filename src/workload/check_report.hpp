// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include "workload/check.hpp"
#include "workload/trace_words.hpp"

namespace trnsim {

/// Problems of one instruction; each begins with its name and the key at fault.
class InstructionChecker::Report {
 public:
  Report(std::string_view op, std::vector<std::string>& problems) : op_(op), problems_(&problems), before_(problems.size()) {}

  void add(std::string_view key, const std::string& text) {
    problems_->push_back(std::string(op_) + ": " + (key.empty() ? "" : "key '" + std::string(key) + "': ") + text);
  }
  [[nodiscard]] bool clean() const { return problems_->size() == before_; }

 private:
  std::string_view op_;
  std::vector<std::string>* problems_;
  std::size_t before_;
};

/// "[128 partitions, 512 columns]"
inline std::string shape_of(const Operand& o) {
  return "[" + std::to_string(o.partitions) + " partitions, " + thousands(o.columns()) + (o.columns() == 1 ? " column]" : " columns]");
}

}  // namespace trnsim
