// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "trnsim/critical_path.hpp"
#include "trnsim/observer.hpp"

namespace trnsim {

/// Keeps of a run what its critical path needs.
class RunRecorder : public RunObserver {
 public:
  [[nodiscard]] const RunRecord& record() const { return record_; }

  void begin(const ChipConfig& config, const std::vector<const ProgramInfo*>& programs) override;
  void planned(const PlannedInstruction& planned, const Instruction& instruction) override;
  void executed(const ExecutedInstruction& done) override;
  void triggered(const TriggeredCopy& copy) override;
  void moved(const MovedChunk& chunk) override;
  void moved(const MovedPart& part) override;
  void completed(const CompletedCopy& copy) override;

 private:
  /// The part of a copy that a DMA engine works on, per ring.
  struct Part {
    std::uint64_t copy = 0;
    Time begun, next, held;
    PathRef served_before;
  };
  struct DmaEngineState {
    std::vector<Part> parts;  ///< By ring.
    PathRef served;           ///< The copy served last.
  };
  struct Core {
    bool names_sources = false;
    std::array<std::deque<std::uint32_t>, kEngineCount> sources;  ///< Of instructions that are planned and not executed.
    std::vector<DmaEngineState> dma;
  };
  std::uint32_t source_of(std::uint32_t core, SourceLine at);
  Part& part_of(std::uint32_t core, std::uint32_t engine, std::uint8_t ring);

  RunRecord record_;
  std::vector<Core> cores_;
  std::map<std::pair<std::uint32_t, SourceLine>, std::uint32_t> numbers_;
};

}  // namespace trnsim
