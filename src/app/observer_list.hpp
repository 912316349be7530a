// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <vector>

#include "trnsim/observer.hpp"

namespace trnsim::app {

/// Tells several observers, in the order in which they were added.
class ObserverList : public RunObserver {
 public:
  /// Null adds nobody.
  void add(RunObserver* observer) {
    if (observer != nullptr) all_.push_back(observer);
  }
  /// What to give to a simulation: nobody, the only one, or this.
  [[nodiscard]] RunObserver* observer() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }

  void begin(const ChipConfig& chip, const std::vector<const ProgramInfo*>& programs) override {
    for (RunObserver* o : all_) o->begin(chip, programs);
  }
  void placed(const PlacedTile& tile, const TensorInfo& info) override {
    for (RunObserver* o : all_) o->placed(tile, info);
  }
  void released(std::uint32_t core, TensorId tile) override {
    for (RunObserver* o : all_) o->released(core, tile);
  }
  void planned(const PlannedInstruction& planned, const Instruction& instruction) override {
    for (RunObserver* o : all_) o->planned(planned, instruction);
  }
  void executed(const ExecutedInstruction& executed) override { tell(&RunObserver::executed, executed); }
  void triggered(const TriggeredCopy& copy) override { tell(&RunObserver::triggered, copy); }
  void moved(const MovedChunk& chunk) override { tell<MovedChunk>(&RunObserver::moved, chunk); }
  void moved(const MovedPart& part) override { tell<MovedPart>(&RunObserver::moved, part); }
  void completed(const CompletedCopy& copy) override { tell(&RunObserver::completed, copy); }
  void accessed(const HbmAccess& access) override { tell(&RunObserver::accessed, access); }
  void end(const Snapshot& snapshot) override { tell(&RunObserver::end, snapshot); }

 private:
  template <class Event>
  void tell(void (RunObserver::*what)(const Event&), const Event& event) {
    for (RunObserver* o : all_) (o->*what)(event);
  }

  std::vector<RunObserver*> all_;
};

}  // namespace trnsim::app
