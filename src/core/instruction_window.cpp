// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "core/instruction_window.hpp"

namespace trnsim {

void StepQueue::push(const Step& step) {
  const std::size_t tail = head_ + size_;
  if (tail == chunks_.size() * kChunkSteps) chunks_.push_back(spare_ ? std::move(spare_) : std::make_unique<Chunk>());
  (*chunks_[tail / kChunkSteps])[tail % kChunkSteps] = step;
  ++size_;
}

void StepQueue::pop() {
  --size_;
  if (++head_ < kChunkSteps) return;
  head_ = 0;
  spare_ = std::move(chunks_.front());
  chunks_.pop_front();
}

const Step* InstructionWindow::front(EngineKind engine, ProcessModule& waiter) {
  Lane& own = lane(engine);
  while (own.queue.empty() && waiting_ < kWindow && plan_one()) {
  }
  if (!own.queue.empty()) return &own.queue.front();
  if (!ended_) own.starved = &waiter;
  return nullptr;
}

bool InstructionWindow::plan_one() {
  if (ended_) return false;
  if (!planner_->next(scratch_)) {
    ended_ = true;
    for (Lane& l : lanes_) {
      if (l.starved != nullptr) l.starved->wake_at(now());
      l.starved = nullptr;
    }
    return false;
  }
  Lane& target = lane(scratch_.engine);
  target.queue.push(scratch_);
  ++waiting_;
  if (target.starved != nullptr) {
    ++window_limited_;
    target.starved->wake_at(now());
    target.starved = nullptr;
  }
  return true;
}

void InstructionWindow::pop(EngineKind engine) {
  lane(engine).queue.pop();
  ++lane(engine).taken;
  --waiting_;
  ++taken_;
  for (const Lane& l : lanes_) {
    if (l.starved == nullptr) continue;
    plan_one();  // room for one more
    return;
  }
}

bool InstructionWindow::exhausted(EngineKind engine) const { return ended_ && lanes_[static_cast<std::size_t>(engine)].queue.empty(); }

std::optional<Wait> InstructionWindow::resolve(std::uint64_t id) {
  auto wait = planner_->find_id(id);
  while (!wait && plan_one()) wait = planner_->find_id(id);
  return wait;
}

const Step* InstructionWindow::awaited(const Wait& wait) const {
  if (wait.actor < kEngineCount) {
    const Lane& own = lanes_[wait.actor];
    const std::uint64_t ahead = wait.count - own.taken;
    return wait.count > own.taken && ahead <= own.queue.size() ? &own.queue[ahead - 1] : nullptr;
  }
  for (const Lane& l : lanes_) {
    for (std::size_t i = 0; i < l.queue.size(); ++i) {
      const Transfer* transfer = l.queue[i].transfer;
      if (transfer != nullptr && transfer->ring + kFirstRing == wait.actor && transfer->sequence == wait.count) return &l.queue[i];
    }
  }
  return nullptr;
}

}  // namespace trnsim
