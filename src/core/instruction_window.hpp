// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "engine/instruction_supply.hpp"
#include "plan/planner.hpp"

namespace trnsim {

/// Queue of steps of one engine, in chunks: a step keeps its address until it is popped.
class StepQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const Step& front() const { return (*chunks_.front())[head_]; }
  void pop();
  void push(const Step& step);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Step& operator[](std::size_t i) const { return (*chunks_[(head_ + i) / kChunkSteps])[(head_ + i) % kChunkSteps]; }

 private:
  static constexpr std::size_t kChunkSteps = 64;
  using Chunk = std::array<Step, kChunkSteps>;

  std::deque<std::unique_ptr<Chunk>> chunks_;
  std::unique_ptr<Chunk> spare_;
  std::size_t head_ = 0;  ///< In the first chunk.
  std::size_t size_ = 0;
};

/// Sliding window over a core's program: plans ahead as far as an engine asks for, at most `kWindow`
/// steps that no engine has taken yet.
///
/// Real engines fetch their own streams independently; the window only bounds memory. How often it
/// kept an engine waiting is counted. An `after` that names a later instruction is looked for beyond the
/// window, since an engine may wait for it from the start.
class InstructionWindow : public sc_core::sc_module, public InstructionSupplyIf {
 public:
  static constexpr std::size_t kWindow = 16384;

  InstructionWindow(sc_core::sc_module_name name, Planner& planner) : sc_module(name), planner_(&planner) {}

  const Step* front(EngineKind engine, ProcessModule& waiter) override;
  void pop(EngineKind engine) override;
  [[nodiscard]] bool exhausted(EngineKind engine) const override;
  std::optional<Wait> resolve(std::uint64_t id) override;
  [[nodiscard]] const Step* awaited(const Wait& wait) const override;

  [[nodiscard]] std::uint64_t window_limited() const { return window_limited_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  struct Lane {
    StepQueue queue;
    ProcessModule* starved = nullptr;  ///< Its engine, while it waits for a step.
    std::uint64_t taken = 0;
  };
  bool plan_one();
  Lane& lane(EngineKind engine) { return lanes_[static_cast<std::size_t>(engine)]; }

  Planner* planner_;
  std::array<Lane, kEngineCount> lanes_;
  Step scratch_;
  std::size_t waiting_ = 0;  ///< Steps planned but not taken.
  std::uint64_t taken_ = 0;
  std::uint64_t window_limited_ = 0;
  bool ended_ = false;
};

}  // namespace trnsim
