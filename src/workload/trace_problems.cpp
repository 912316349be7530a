// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/trace_problems.hpp"

#include "trnsim/error.hpp"

namespace trnsim {

void Problems::add(std::uint32_t line, std::string_view text) {
  if (full()) return;
  texts_.push_back(file_ + ":" + (line == 0 ? " " : std::to_string(line) + ": ") + std::string(text));
}

void Problems::check() const {
  if (texts_.empty()) return;
  std::vector<std::string> texts = texts_;
  if (full()) texts.push_back(file_ + ": stopped after " + std::to_string(kMost) + " problems; there may be more");
  throw ProgramError(std::move(texts));
}

}  // namespace trnsim
