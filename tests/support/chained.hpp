// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>
#include <utility>

#include "trnsim/isa/program.hpp"

namespace trnsim::test {

/// A program whose every instruction waits for the one before it, so that nothing runs in parallel: its time is the
/// serial sum of the latencies.
class Chained final : public Program {
 public:
  explicit Chained(std::unique_ptr<Program> program) : program_(std::move(program)) {}

  [[nodiscard]] const ProgramInfo& info() const override { return program_->info(); }
  const Record* next() override {
    const Record* record = program_->next();
    if (record == nullptr || record->kind != Record::Kind::Instruction) return record;
    record_ = *record;
    record_.instruction.after_count = id_ > 0 ? 1 : 0;
    record_.instruction.after[0] = id_;
    record_.instruction.id = ++id_;
    return &record_;
  }

 private:
  std::unique_ptr<Program> program_;
  Record record_;
  std::uint64_t id_ = 0;
};

inline Workload chained(Workload workload) {
  for (auto& program : workload.programs) program = std::make_unique<Chained>(std::move(program));
  return workload;
}

}  // namespace trnsim::test
