// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timeline/engine_lane.hpp"

#include <algorithm>
#include <utility>

namespace trnsim {

bool cut_at(ObservedInterval& interval, const Clock& clock, Time end) {
  const Cycles last = clock.edge_at_or_after(end), from = clock.edge_at_or_after(interval.from);
  if (from >= last) return false;
  interval.cycles = std::min(interval.cycles, last - from);
  interval.until = std::min(interval.until, clock.time_of(last));
  return true;
}

void EngineLane::add(const ExecutedInstruction& e, std::string& operands, const std::string& source, std::uint64_t flow_in) {
  if (added_ - written_ == kHeld) write(held_[written_++ % kHeld]);
  Held& held = held_[added_++ % kHeld];
  held.number = e.started ? e.number : 0;
  held.flow_in = flow_in;
  held.op = e.op;
  held.line = e.line;
  held.flows = 0;
  held.intervals = std::min(e.intervals.size(), kMostIntervals);
  std::copy_n(e.intervals.begin(), held.intervals, held.interval.begin());
  held.operands.swap(operands);
  held.source = source;
}

bool EngineLane::add_flow(std::uint64_t number, std::uint64_t flow) {
  if (number == 0 || number <= written_ || number > added_ || writer_->merge() > 1) return false;
  Held& held = held_[(number - 1) % kHeld];
  if (held.number != number || held.flows == kMostFlows || held.intervals == 0) return false;
  held.flow[held.flows++] = flow;
  return true;
}

void EngineLane::write(const Held& held) {
  if (writer_->merge() > 1) return merge(held);
  // Arrows start and end at the slice in which it works.
  std::size_t main = 0;
  while (main + 1 < held.intervals && !held.interval[main].busy) ++main;
  for (std::size_t i = 0; i < held.intervals; ++i) write_interval(held, held.interval[i], i == main);
}

void EngineLane::write_interval(const Held& held, const ObservedInterval& interval, bool main) {
  args_.clear();
  args_.push_back({"cycles", interval.cycles.value, {}});
  TraceSlice slice{track_, interval.from, interval.until, interval.busy ? info(held.op).name : name_of(interval.reason), {}, {}, {}};
  if (main) {
    args_.push_back({"instruction", held.number, {}});
    if (!held.operands.empty()) args_.push_back({"operands", 0, held.operands});
    slice.flows_out = {held.flow.data(), held.flows};
    if (held.flow_in != 0) slice.flows_in = {&held.flow_in, 1};
  }
  if (!held.source.empty()) args_.push_back({"source", 0, held.source});
  if (main && held.line != 0) args_.push_back({"line", held.line, {}});
  slice.args = args_;
  writer_->slice(slice);
}

void EngineLane::merge(const Held& held) {
  if (held.intervals == 0) return;
  if (merged_.instructions == 0) merged_.from = held.interval[0].from;
  ++merged_.instructions;
  for (std::size_t i = 0; i < held.intervals; ++i) {
    const ObservedInterval& interval = held.interval[i];
    (interval.busy ? merged_.busy : merged_.stalls[static_cast<std::size_t>(interval.reason)]) += interval.cycles.value;
    merged_.until = interval.until;
  }
  if (merged_.instructions >= writer_->merge()) write_merged();
}

void EngineLane::write_merged() {
  if (merged_.instructions == 0) return;
  args_.clear();
  args_.push_back({"instructions", merged_.instructions, {}});
  args_.push_back({"busy", merged_.busy, {}});
  for (std::size_t i = 0; i < kStallReasonCount; ++i) {
    if (merged_.stalls[i] != 0) args_.push_back({name_of(static_cast<StallReason>(i)), merged_.stalls[i], {}});
  }
  writer_->slice({track_, merged_.from, merged_.until, "instructions", args_, {}, {}});
  merged_ = {};
}

void EngineLane::cut(Held& held, Time end) const {
  std::size_t kept = 0;
  while (kept < held.intervals && cut_at(held.interval[kept], clock_, end)) ++kept;
  held.intervals = kept;
}

void EngineLane::finish(Time end) {
  while (written_ < added_) {
    Held& held = held_[written_++ % kHeld];
    cut(held, end);
    write(held);
  }
  write_merged();
}

}  // namespace trnsim
