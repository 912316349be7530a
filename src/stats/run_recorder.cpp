// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/run_recorder.hpp"

#include <algorithm>

namespace trnsim {
namespace {

PathRef of_engine(std::uint64_t engine, std::uint64_t number) { return {number, engine}; }
PathRef of_ring(std::uint64_t ring, std::uint64_t number) { return {number, kEngineCount + ring}; }

/// Begin of the table load that ends with the start; the start if there is none.
Time table_load(const ExecutedInstruction& done) {
  for (const ObservedInterval& i : done.intervals) {
    if (!i.busy && i.reason == StallReason::TableLoad && i.until == done.start) return i.from;
  }
  return done.start;
}

void set_cause(const ExecutedInstruction& done, PathInstruction& kept) {
  const StartedBy& cause = done.cause;
  switch (cause.kind) {
    case StartCause::None: return;
    case StartCause::Copy:
    case StartCause::LoadCopy:
    case StartCause::RingRoom: kept.cause = of_ring(cause.actor, cause.number); break;
    default: kept.cause = of_engine(cause.actor, cause.number);
  }
  if (cause.kind == StartCause::RingRoom) kept.ahead = Ahead::RingFull;
  const bool load = cause.kind == StartCause::LoadPath || cause.kind == StartCause::Shadow || cause.kind == StartCause::LoadResult ||
                    cause.kind == StartCause::LoadCopy;
  if (load) {
    kept.ahead = Ahead::TensorLoad;
    kept.ahead_fs = done.load_from.value;
  }
  if (const Time from = table_load(done); cause.kind == StartCause::EngineFree && from < done.start) {
    kept.ahead = Ahead::TableLoad;
    kept.ahead_fs = from.value;
  }
}

}  // namespace

void RunRecorder::begin(const ChipConfig& config, const std::vector<const ProgramInfo*>& programs) {
  cores_.resize(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    cores_[i].names_sources = !programs[i]->files.empty();
    cores_[i].dma.resize(config.dma.engines);
    CoreRecord& core = record_.cores.emplace_back();
    core.files = programs[i]->files;
    core.sources.emplace_back();
  }
}

std::uint32_t RunRecorder::source_of(std::uint32_t core, SourceLine at) {
  std::vector<SourceLine>& sources = record_.cores[core].sources;
  const auto [place, added] = numbers_.try_emplace({core, at}, static_cast<std::uint32_t>(sources.size()));
  if (added) sources.push_back(at);
  return place->second;
}

void RunRecorder::planned(const PlannedInstruction& planned, const Instruction& instruction) {
  Core& core = cores_[planned.core];
  if (core.names_sources) core.sources[static_cast<std::size_t>(planned.engine)].push_back(source_of(planned.core, instruction.at));
}

void RunRecorder::executed(const ExecutedInstruction& done) {
  if (!done.started) return;
  PathInstruction kept;
  kept.ahead_fs = kept.start_fs = done.start.value;
  kept.free_fs = done.free.value;
  kept.visible_fs = done.visible.value;
  kept.op = done.op;
  set_cause(done, kept);
  auto& sources = cores_[done.core].sources[static_cast<std::size_t>(done.engine)];
  if (!sources.empty()) {
    kept.source = sources.front();
    sources.pop_front();
  }
  CoreRecord& core = record_.cores[done.core];
  core.add(done.engine, kept);
  if (done.copy != 0) core.copy_at(done.ring, done.copy).trigger = of_engine(static_cast<std::uint64_t>(done.engine), done.number);
}

void RunRecorder::triggered(const TriggeredCopy& copy) {
  PathCopy& kept = record_.cores[copy.core].copy_at(copy.ring, copy.copy);
  kept.front_fs = copy.front.value;
  kept.available_fs = copy.available.value;
  kept.behind_another = copy.front > copy.triggered;
}

RunRecorder::Part& RunRecorder::part_of(std::uint32_t core, std::uint32_t engine, std::uint8_t ring) {
  std::vector<Part>& parts = cores_[core].dma[engine].parts;
  if (ring >= parts.size()) parts.resize(ring + std::size_t{1});
  return parts[ring];
}

void RunRecorder::moved(const MovedChunk& chunk) {
  DmaEngineState& engine = cores_[chunk.core].dma[chunk.engine];
  Part& part = part_of(chunk.core, chunk.engine, chunk.ring);
  if (part.copy != chunk.copy) part = {chunk.copy, chunk.from, Time{}, Time{}, engine.served};
  const Time free = chunk.from + chunk.engine_time;
  if (chunk.next > free) part.held += chunk.next - free;
  part.next = chunk.next;
  engine.served = of_ring(chunk.ring, chunk.copy);
}

void RunRecorder::moved(const MovedPart& moved) {
  const Part& part = part_of(moved.core, moved.engine, moved.ring);
  PathCopy& kept = record_.cores[moved.core].copy_at(moved.ring, moved.copy);
  if (moved.last_data.value < kept.data_fs) return;
  kept.begun_fs = part.begun.value;
  kept.data_fs = moved.last_data.value;
  kept.held_fs = (part.held + (std::max(moved.last_data, part.next) - part.next)).value;
  kept.served_before = part.served_before;
}

void RunRecorder::completed(const CompletedCopy& copy) {
  PathCopy& kept = record_.cores[copy.core].copy_at(copy.ring, copy.copy);
  kept.data_fs = copy.last_data.value;
  kept.usable_fs = copy.usable.value;
}

}  // namespace trnsim
