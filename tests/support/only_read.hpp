// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <utility>

#include "trnsim/isa/program.hpp"

namespace trnsim::test {

/// A program that cannot sum itself up, like a trace.
class OnlyRead final : public Program {
 public:
  explicit OnlyRead(std::unique_ptr<Program> program) : program_(std::move(program)) {}
  [[nodiscard]] const ProgramInfo& info() const override { return program_->info(); }
  const Record* next() override { return program_->next(); }

 private:
  std::unique_ptr<Program> program_;
};

inline Workload only_read(Workload workload) {
  for (auto& program : workload.programs) program = std::make_unique<OnlyRead>(std::move(program));
  return workload;
}

}  // namespace trnsim::test
