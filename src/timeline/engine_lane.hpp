// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <string>
#include <vector>

#include "timeline/writer.hpp"
#include "timing/clock.hpp"
#include "trnsim/observer.hpp"

namespace trnsim {

/// Shortens an interval to what the account of a run has of it that ended at `end`; false if that is nothing.
bool cut_at(ObservedInterval& interval, const Clock& clock, Time end);

/// Slices of one engine: for each instruction its stalls and its busy time, as the account has them.
///
/// The last ones are held back, so that an arrow to a later instruction can still be added to them.
class EngineLane {
 public:
  EngineLane(TimelineWriter& writer, TrackId track, Clock clock) : writer_(&writer), track_(track), clock_(clock), held_(kHeld) {}

  /// `flow_in` is the number of the arrow that ends here, 0 for none.
  void add(const ExecutedInstruction& executed, std::string& operands, const std::string& source, std::uint64_t flow_in);
  /// Begins an arrow at an instruction; false if it is written already.
  bool add_flow(std::uint64_t number, std::uint64_t flow);
  /// Writes what is held; cuts at the end of the run.
  void finish(Time end);

 private:
  static constexpr std::size_t kHeld = 256, kMostIntervals = 8, kMostFlows = 8;
  struct Held {
    std::uint64_t number = 0, flow_in = 0;
    Opcode op = Opcode::TensorCopy;
    std::uint32_t line = 0;
    std::size_t intervals = 0, flows = 0;
    std::array<ObservedInterval, kMostIntervals> interval;
    std::array<std::uint64_t, kMostFlows> flow;
    std::string operands, source;
  };
  /// Several instructions in one slice.
  struct Merged {
    std::uint64_t instructions = 0, busy = 0;
    std::array<std::uint64_t, kStallReasonCount> stalls{};
    Time from, until;
  };
  void write(const Held& held);
  void write_interval(const Held& held, const ObservedInterval& interval, bool main);
  void merge(const Held& held);
  void write_merged();
  void cut(Held& held, Time end) const;

  TimelineWriter* writer_;
  TrackId track_;
  Clock clock_;
  std::vector<Held> held_;
  std::uint64_t added_ = 0, written_ = 0;
  Merged merged_;
  std::vector<TraceArg> args_;
};

}  // namespace trnsim
