// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/critical_path.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

struct PartInfo {
  std::string_view name, meaning, group;
};

constexpr std::array<PartInfo, kPathPartCount> kParts{{
    {"tensor_multiply", "Tensor engine: moving data, with issue and power ramp", "tensor"},
    {"tensor_load", "Tensor engine: a stationary load that nothing hides", "tensor"},
    {"tensor_latency", "Tensor engine: way through the array to PSUM", "tensor"},
    {"vector_work", "Vector engine: elements and issue", "vector"},
    {"vector_latency", "Vector engine: pipeline until the result is there", "vector"},
    {"scalar_work", "Scalar engine: elements and issue", "scalar"},
    {"scalar_latency", "Scalar engine: pipeline until the result is there", "scalar"},
    {"table_load", "Scalar engine: change of the activation table", "scalar"},
    {"gpsimd_work", "GpSimd engine: start, elements and issue", "gpsimd"},
    {"gpsimd_latency", "GpSimd engine: pipeline until the result is there", "gpsimd"},
    {"sync_work", "Sync engine: trigger and control instructions", "sync"},
    {"dma_issue", "DMA: issue interval of a ring's front end", "dma"},
    {"dma_start", "DMA: start latency of a copy", "dma"},
    {"dma_transfer", "DMA: descriptors and bytes on the DMA engines", "dma"},
    {"hbm", "HBM: DMA engines held back, last data under way", "hbm"},
    {"dma_completion", "DMA: last byte to semaphore", "dma"},
    {"synchronisation", "semaphore hops, to the next clock edge", "synchronisation"},
    {"other", "before the first instruction, or without a known cause", "other"},
}};

const PartInfo& entry(PathPart part) { return kParts[static_cast<std::size_t>(part)]; }

struct Work {
  PathPart work, latency;
};

Work work_of(std::uint64_t actor) {
  switch (static_cast<EngineKind>(actor)) {
    case EngineKind::Tensor: return {PathPart::TensorMultiply, PathPart::TensorLatency};
    case EngineKind::Vector: return {PathPart::VectorWork, PathPart::VectorLatency};
    case EngineKind::Scalar: return {PathPart::ScalarWork, PathPart::ScalarLatency};
    case EngineKind::GpSimd: return {PathPart::GpSimdWork, PathPart::GpSimdLatency};
    default: return {PathPart::SyncWork, PathPart::SyncWork};
  }
}

PathPart part_of(Ahead ahead) { return ahead == Ahead::TensorLoad ? PathPart::TensorLoad : PathPart::TableLoad; }

/// Goes back in time from the end of one core's run. At any moment everything after `time_` is accounted for.
class Walk {
 public:
  Walk(const CoreRecord& record, std::uint64_t end) : record_(record), time_(end) {}

  CriticalPath path() {
    CriticalPath path;
    path.length_fs = time_;
    for (PathRef at = record_.last(); at.number != 0 && time_ > 0;) {
      ++path.steps;
      at = at.actor < kEngineCount ? instruction(at) : copy(at);
    }
    op_ = {};
    line_ = {};
    take(PathPart::Other, 0);
    path.fs = fs_;
    for (const auto& [key, sum] : sums_) path.segments.push_back(segment(key, sum));
    std::stable_sort(path.segments.begin(), path.segments.end(), [](const auto& a, const auto& b) { return a.fs > b.fs; });
    return path;
  }

 private:
  using Key = std::tuple<PathPart, std::string_view, SourceLine>;
  struct Sum {
    std::uint64_t fs = 0, count = 0;
  };

  /// Gives the time back to `from` to a part.
  void take(PathPart part, std::uint64_t from) {
    if (from >= time_) return;
    add(part, time_ - from);
    time_ = from;
  }

  void add(PathPart part, std::uint64_t fs) {
    if (fs == 0) return;
    fs_[static_cast<std::size_t>(part)] += fs;
    Sum& sum = sums_[{part, op_, line_}];
    sum.fs += fs;
    ++sum.count;
  }

  void name(const PathInstruction& done) {
    op_ = info(done.op).name;
    line_ = done.source < record_.sources.size() ? record_.sources[done.source] : SourceLine{};
  }

  PathRef instruction(PathRef at) {
    const PathInstruction* done = record_.instruction(at);
    if (done == nullptr) return {};
    name(*done);
    const auto [work, latency] = work_of(at.actor);
    // Semaphores count in order: a quick instruction behind a slow one is not seen before it.
    const PathRef before{at.number - 1, at.actor};
    const PathInstruction* previous = record_.instruction(before);
    if (previous != nullptr && time_ > done->visible_fs && previous->visible_fs > done->visible_fs) return before;
    take(PathPart::Synchronisation, done->visible_fs);
    take(latency, done->free_fs);
    take(work, done->start_fs);
    moving_ = done->ahead == Ahead::RingFull;
    if (done->ahead != Ahead::None && !moving_) take(part_of(done->ahead), done->ahead_fs);
    return done->cause;
  }

  PathRef copy(PathRef at) {
    const PathCopy* done = record_.copy(at);
    if (done == nullptr) return {};
    const PathInstruction* trigger = record_.instruction(done->trigger);
    if (trigger != nullptr) name(*trigger);
    // Copies of a ring complete in order: a quick one behind a slow one is the slow one's affair.
    const PathRef before{at.number - 1, at.actor};
    const PathCopy* previous = record_.copy(before);
    if (!moving_) {
      take(PathPart::Synchronisation, done->usable_fs);
      if (previous != nullptr && previous->usable_fs >= done->usable_fs && previous->data_fs > done->data_fs) return before;
      take(PathPart::DmaCompletion, done->data_fs);
    }
    return moved(*done, before);
  }

  PathRef moved(const PathCopy& done, PathRef before) {
    const bool served = time_ > done.begun_fs;  // else another DMA engine began later on it
    if (served) {
      add(PathPart::Hbm, std::min(done.held_fs, time_ - done.begun_fs));
      time_ -= std::min(done.held_fs, time_ - done.begun_fs);
      take(PathPart::DmaTransfer, done.begun_fs);
    }
    moving_ = served && done.begun_fs > done.available_fs && done.served_before.number != 0;
    if (moving_) return done.served_before;
    take(PathPart::DmaTransfer, done.available_fs);
    take(PathPart::DmaStart, done.front_fs);
    if (!done.behind_another) return done.trigger;
    const PathCopy* previous = record_.copy(before);
    if (previous == nullptr) return done.trigger;
    take(PathPart::DmaIssue, previous->front_fs);
    moving_ = true;
    return before;
  }

  [[nodiscard]] PathSegment segment(const Key& key, const Sum& sum) const {
    PathSegment s;
    s.part = std::get<0>(key);
    s.opcode = std::get<1>(key);
    const SourceLine& at = std::get<2>(key);
    s.line = at.line;
    if (at.known() && at.file < record_.files.size()) s.file = record_.files[at.file];
    s.fs = sum.fs;
    s.count = sum.count;
    return s;
  }

  const CoreRecord& record_;
  std::uint64_t time_;
  bool moving_ = false;  ///< The copy that comes next delays by its bytes, not by its completion.
  std::array<std::uint64_t, kPathPartCount> fs_{};
  std::map<Key, Sum> sums_;
  std::string_view op_;
  SourceLine line_;
};

template <class T>
const T* numbered(const std::deque<T>& all, std::uint64_t number) {
  return number == 0 || number > all.size() ? nullptr : &all[number - 1];
}

}  // namespace

std::string_view name_of(PathPart part) { return entry(part).name; }
std::string_view meaning_of(PathPart part) { return entry(part).meaning; }
std::string_view group_of(PathPart part) { return entry(part).group; }

PathCopy& CoreRecord::copy_at(std::uint8_t ring, std::uint64_t number) {
  if (ring >= rings_.size()) rings_.resize(ring + std::size_t{1});
  if (number > rings_[ring].size()) rings_[ring].resize(number);
  return rings_[ring][number - 1];
}

const PathInstruction* CoreRecord::instruction(PathRef ref) const {
  return ref.actor < kEngineCount ? numbered(engines_[ref.actor], ref.number) : nullptr;
}

const PathCopy* CoreRecord::copy(PathRef ref) const {
  const std::size_t ring = ref.actor - kEngineCount;
  return ref.actor < kEngineCount || ring >= rings_.size() ? nullptr : numbered(rings_[ring], ref.number);
}

PathRef CoreRecord::last() const {
  PathRef latest;
  std::uint64_t end = 0;
  const auto look = [&](std::size_t actor, std::size_t number, std::uint64_t at) {
    if (at <= end) return;
    end = at;
    latest = {number, actor};
  };
  // The last one of each need not end last: a quick one may be behind a slow one.
  constexpr std::size_t kLast = 64;
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    const std::size_t size = engines_[e].size();
    for (std::size_t i = size - std::min(size, kLast); i < size; ++i)
      look(e, i + 1, std::max(engines_[e][i].visible_fs, engines_[e][i].free_fs));
  }
  for (std::size_t r = 0; r < rings_.size(); ++r) {
    if (!rings_[r].empty()) look(kEngineCount + r, rings_[r].size(), rings_[r].back().usable_fs);
  }
  return latest;
}

CriticalPath critical_path(const RunRecord& record, std::uint64_t end_fs) {
  const CoreRecord* longest = nullptr;
  const auto end_of = [](const CoreRecord& core) -> std::uint64_t {
    const PathRef last = core.last();
    if (const PathInstruction* done = core.instruction(last)) return std::max(done->visible_fs, done->free_fs);
    const PathCopy* copy = core.copy(last);
    return copy == nullptr ? 0 : copy->usable_fs;
  };
  for (const CoreRecord& core : record.cores) {
    if (longest == nullptr || end_of(core) > end_of(*longest)) longest = &core;
  }
  if (longest == nullptr) return {};
  CriticalPath path = Walk(*longest, end_fs).path();
  if (std::accumulate(path.fs.begin(), path.fs.end(), std::uint64_t{0}) != end_fs)
    throw InternalError("the parts of the critical path do not add up to the device time");
  return path;
}

}  // namespace trnsim
