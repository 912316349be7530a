// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/totals.hpp"
#include "timeline/copy_lanes.hpp"
#include "timeline/counters.hpp"
#include "timeline/engine_lane.hpp"
#include "timeline/instruction_text.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kCounterValues = 1024;
constexpr std::uint64_t kLongestHbmFs = kFsPerUs;

/// An instruction between planner and engine.
struct Planned {
  std::string operands, source;
  std::vector<TileLevels::Use> tiles;
};

struct CoreTracks {
  std::string program;
  TrackId dma_group = 0, kernel = 0, utilisation = 0, sbuf = 0, psum = 0;
  std::vector<std::string_view> tensors;  ///< In HBM.
  std::vector<std::string> files;
  std::vector<EngineLane> engines;
  std::array<std::deque<Planned>, kEngineCount> planned;
  std::map<std::uint8_t, RingLane> rings;
  std::map<std::uint32_t, WorkLane> dma_engines;
  TileLevels tiles;
  TimeBins array;
};

}  // namespace

struct Timeline::Impl {
  explicit Impl(const TimelineOptions& options) : writer(options) {}

  void open_core(std::uint32_t core, const ProgramInfo& info, const ChipConfig& chip);
  RingLane& ring(std::uint32_t core, std::uint8_t number);
  WorkLane& dma_engine(std::uint32_t core, std::uint32_t number);
  WorkLane& stack(std::uint32_t number);
  bool begin_flow(CoreTracks& core, const StartedBy& cause);
  void finish_lanes();
  void write_counters(const Result& result);
  void write_note(const Result& result);

  TimelineWriter writer;
  std::deque<CoreTracks> cores;
  TrackId hbm_group = 0, run_track = 0, power = 0, dma_bandwidth = 0, hbm_read = 0, hbm_write = 0;
  std::map<std::uint32_t, WorkLane> stacks;
  Activity activity;
  std::uint64_t flows = 0;
  Time end;
};

Timeline::Timeline(const TimelineOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Timeline::~Timeline() = default;

void Timeline::Impl::open_core(std::uint32_t number, const ProgramInfo& program, const ChipConfig& chip) {
  CoreTracks& core = cores.emplace_back();
  TraceSink& sink = writer.sink();
  core.program = program.name;
  core.files = program.files;
  for (const TensorInfo& tensor : program.tensors) core.tensors.push_back(tensor.name);
  const TrackId group = sink.group(fmt::format("core {}", number));
  core.kernel = sink.track(group, "kernel");
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    const auto kind = static_cast<EngineKind>(e);
    core.engines.emplace_back(writer, sink.track(group, std::string(name_of(kind))), Clock(clock_ghz(chip, kind)));
  }
  core.utilisation = sink.counter(group, "PE utilisation", "%");
  core.sbuf = sink.counter(group, "SBUF in use", "B");
  core.psum = sink.counter(group, "PSUM in use", "B");
  core.dma_group = sink.group(fmt::format("core {} DMA", number));
}

void Timeline::begin(const ChipConfig& chip, const std::vector<const ProgramInfo*>& programs) {
  TraceSink& sink = impl_->writer.sink();
  const TrackId group = sink.group("chip");
  impl_->run_track = sink.track(group, "run");
  impl_->power = sink.counter(group, "power", "mW");
  impl_->dma_bandwidth = sink.counter(group, "DMA bandwidth", "GB/s");
  impl_->hbm_read = sink.counter(group, "HBM read bandwidth", "GB/s");
  impl_->hbm_write = sink.counter(group, "HBM write bandwidth", "GB/s");
  for (std::size_t i = 0; i < programs.size(); ++i) impl_->open_core(static_cast<std::uint32_t>(i), *programs[i], chip);
  impl_->hbm_group = sink.group("HBM");
}

RingLane& Timeline::Impl::ring(std::uint32_t core, std::uint8_t number) {
  auto& rings = cores[core].rings;
  if (const auto found = rings.find(number); found != rings.end()) return found->second;
  return rings.try_emplace(number, writer, cores[core].dma_group, fmt::format("ring {}", number)).first->second;
}

WorkLane& Timeline::Impl::dma_engine(std::uint32_t core, std::uint32_t number) {
  auto& engines = cores[core].dma_engines;
  if (const auto found = engines.find(number); found != engines.end()) return found->second;
  return engines.try_emplace(number, writer, writer.sink().track(cores[core].dma_group, fmt::format("engine {}", number))).first->second;
}

WorkLane& Timeline::Impl::stack(std::uint32_t number) {
  if (const auto found = stacks.find(number); found != stacks.end()) return found->second;
  return stacks.try_emplace(number, writer, writer.sink().track(hbm_group, fmt::format("stack {}", number))).first->second;
}

void Timeline::placed(const PlacedTile& tile, const TensorInfo& info) { impl_->cores[tile.core].tiles.place(tile.tile, info); }
void Timeline::released(std::uint32_t core, TensorId tile) { impl_->cores[core].tiles.release(tile); }

void Timeline::planned(const PlannedInstruction& planned, const Instruction& instruction) {
  CoreTracks& core = impl_->cores[planned.core];
  Planned entry;
  describe_operands(
      instruction, [&](TensorId id) { return id < core.tensors.size() ? core.tensors[id] : core.tiles.name(id); }, entry.operands);
  if (instruction.at.known() && instruction.at.file < core.files.size())
    entry.source = fmt::format("{}:{}", core.files[instruction.at.file], instruction.at.line);
  instruction.for_each([&](const Operand& operand, bool) {
    if (operand.buffer == Buffer::Hbm) return;
    if (TileLevels::Use use = core.tiles.use(operand.tensor)) entry.tiles.push_back(std::move(use));
  });
  if (planned.copy != 0) {
    impl_->ring(planned.core, planned.ring).plan({instruction.op, entry.operands, entry.source, std::move(entry.tiles)});
    entry.tiles.clear();
  }
  core.planned[static_cast<std::size_t>(planned.engine)].push_back(std::move(entry));
}

bool Timeline::Impl::begin_flow(CoreTracks& core, const StartedBy& cause) {
  switch (cause.kind) {
    case StartCause::Result:
    case StartCause::LoadResult:
    case StartCause::Port: return core.engines[cause.actor].add_flow(cause.number, flows + 1);
    case StartCause::Copy:
    case StartCause::LoadCopy:
    case StartCause::RingRoom: {
      const auto ring = core.rings.find(cause.actor);
      return ring != core.rings.end() && ring->second.add_flow(cause.number, flows + 1);
    }
    default: return false;
  }
}

void Timeline::executed(const ExecutedInstruction& e) {
  CoreTracks& core = impl_->cores[e.core];
  const auto engine = static_cast<std::size_t>(e.engine);
  for (const ObservedInterval& i : e.intervals) {
    if (i.busy) impl_->activity.engine_busy[engine].add(i.from, i.until, static_cast<double>((i.until - i.from).value));
  }
  auto& queue = core.planned[engine];
  if (!e.started || queue.empty()) {
    std::string none;
    core.engines[engine].add(e, none, {}, 0);
    return;
  }
  if (e.array_until > e.array_from) {
    const auto fs = static_cast<double>((e.array_until - e.array_from).value);
    core.array.add(e.array_from, e.array_until, fs);
    impl_->activity.array.add(e.array_from, e.array_until, fs);
  }
  Planned planned = std::move(queue.front());
  queue.pop_front();
  for (const TileLevels::Use& tile : planned.tiles) core.tiles.done(*tile, e.start, std::max(e.visible, e.free));
  const std::uint64_t flow = impl_->begin_flow(core, e.cause) ? ++impl_->flows : 0;
  core.engines[engine].add(e, planned.operands, planned.source, flow);
}

void Timeline::triggered(const TriggeredCopy& copy) { impl_->ring(copy.core, copy.ring).trigger(copy); }

void Timeline::moved(const MovedChunk& chunk) {
  impl_->activity.dma.add(chunk.from, chunk.from + chunk.engine_time, static_cast<double>(chunk.bytes));
  impl_->ring(chunk.core, chunk.ring).move(chunk);
  const WorkLane::Piece piece{chunk.from,  chunk.next, std::uint64_t{chunk.ring} << 56 | chunk.copy,
                              chunk.bytes, 0,          chunk.engine_time.value};
  impl_->dma_engine(chunk.core, chunk.engine).add(piece, "move", std::uint64_t{1} << 40);
}

void Timeline::completed(const CompletedCopy& copy) {
  RingLane& ring = impl_->ring(copy.core, copy.ring);
  const auto [from, tiles] = ring.front_tiles();
  for (const TileLevels::Use& tile : tiles) impl_->cores[copy.core].tiles.done(*tile, from, copy.usable);
  ring.complete(copy);
}

void Timeline::accessed(const HbmAccess& access) {
  (access.write ? impl_->activity.hbm_write : impl_->activity.hbm_read).add(access.at, access.done, access.bytes);
  const std::uint64_t read = access.write ? 0 : access.bytes, write = access.write ? access.bytes : 0;
  impl_->stack(access.stack).add({access.at, access.done, 0, read, write, 0}, "access", kLongestHbmFs);
}

void Timeline::end(const Snapshot& snapshot) { impl_->end = Time{snapshot.end_fs}; }

void Timeline::Impl::finish_lanes() {
  for (CoreTracks& core : cores) {
    for (EngineLane& engine : core.engines) engine.finish(end);
    for (auto& [number, ring] : core.rings) ring.finish(end);
    for (auto& [number, engine] : core.dma_engines) engine.finish(end);
  }
  for (auto& [number, lane] : stacks) lane.finish(end);
}

void Timeline::Impl::write_counters(const Result& result) {
  const std::vector<Time> edges = counter_edges(end, std::min<std::size_t>(kCounterValues, 8192 / (cores.size() * 3 + 4)));
  for (CoreTracks& core : cores) {
    write_rate(writer, core.utilisation, core.array, 100.0 / static_cast<double>(kFsPerNs), edges);
    write_level(writer, core.sbuf, core.tiles.changes()[0], edges);
    write_level(writer, core.psum, core.tiles.changes()[1], edges);
  }
  write_rate(writer, dma_bandwidth, activity.dma, 1.0, edges);  // 1 B/ns is 1 GB/s
  write_rate(writer, hbm_read, activity.hbm_read, 1.0, edges);
  write_rate(writer, hbm_write, activity.hbm_write, 1.0, edges);
  write_power(writer, power, activity, result.energy, edges);
}

void Timeline::Impl::write_note(const Result& result) {
  TraceSink& sink = writer.sink();
  for (CoreTracks& core : cores) {
    const TraceArg args[] = {{"instructions", result.instructions, {}}};
    sink.slice({core.kernel, Time{0}, end, core.program, args, {}, {}});
  }
  const TimelineSummary& s = writer.summary();
  const std::string cut = s.cut ? fmt::format("slices end at {:.0f} ns, where the file reached its limit", s.cut_ns) : "none";
  const std::string truncated = result.snapshot.truncated.empty() ? "no" : result.snapshot.truncated;
  const TraceArg args[] = {{"slices", s.slices, {}},
                           {"instructions per slice", s.merge, {}},
                           {"cut", 0, cut},
                           {"run stopped early", 0, truncated},
                           {"cycles", result.cycles, {}},
                           {"launch_ps", from_ns(result.launch_ns).value / kFsPerPs, {}},
                           {"chip", 0, result.chip.name}};
  sink.slice({run_track, Time{0}, end, s.cut ? "run (timeline cut)" : "run", args, {}, {}});
}

TimelineSummary Timeline::finish(const Result& result) {
  impl_->finish_lanes();
  impl_->write_counters(result);
  impl_->write_note(result);
  impl_->writer.summary().bytes = impl_->writer.sink().close();
  return impl_->writer.summary();
}

std::string timeline_warning(const TimelineSummary& summary, const std::string& path) {
  if (summary.cut) {
    return fmt::format("{}: the timeline reached its size limit; slices after about {:.0f} ns are missing, counters are whole", path,
                       summary.cut_ns);
  }
  if (summary.merge > 1) return fmt::format("{}: up to {} instructions of an engine share a slice of the timeline", path, summary.merge);
  return {};
}

}  // namespace trnsim
