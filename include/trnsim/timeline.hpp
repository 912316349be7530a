// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "trnsim/observer.hpp"
#include "trnsim/result.hpp"

namespace trnsim {

enum class TimelineFormat : std::uint8_t { Perfetto, Chrome };

struct TimelineOptions {
  std::string path;  ///< Packed as its suffix says (`.gz`, `.zst`).
  TimelineFormat format = TimelineFormat::Perfetto;
  std::uint64_t limit_bytes = 200'000'000;  ///< Of the file; at least kLeastTimelineBytes.
  std::uint64_t merge = 1;                  ///< Instructions of an engine in one slice.
};
inline constexpr std::uint64_t kLeastTimelineBytes = 1'000'000;

/// What became of a timeline.
struct TimelineSummary {
  std::uint64_t slices = 0, flows = 0, counter_values = 0;
  std::uint64_t bytes = 0;  ///< Of the file.
  std::uint64_t merge = 1;  ///< Instructions in one slice at the end; more than asked for in a long run.
  bool cut = false;         ///< The file reached its limit.
  double cut_ns = 0;        ///< Slices after about then are missing.
};

/// A run as a file for a trace viewer: written while the run goes on, complete after `finish`.
///
/// A slice holds the exact cycles of the engine's account, since viewers count in nanoseconds. Long runs
/// get coarser: from a half of the limit on several instructions share a slice, at the limit slices end.
class Timeline : public RunObserver {
 public:
  explicit Timeline(const TimelineOptions& options);  ///< IoError if the file cannot be made.
  ~Timeline() override;

  void begin(const ChipConfig& chip, const std::vector<const ProgramInfo*>& programs) override;
  void placed(const PlacedTile& tile, const TensorInfo& info) override;
  void released(std::uint32_t core, TensorId tile) override;
  void planned(const PlannedInstruction& planned, const Instruction& instruction) override;
  void executed(const ExecutedInstruction& executed) override;
  void triggered(const TriggeredCopy& copy) override;
  void moved(const MovedChunk& chunk) override;
  void completed(const CompletedCopy& copy) override;
  void accessed(const HbmAccess& access) override;
  void end(const Snapshot& snapshot) override;

  /// Writes what is left: counters over time, with the energies of the result, and what the file lacks.
  TimelineSummary finish(const Result& result);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The layers of a list one after another, with the gaps between them: no engine is shown.
TimelineSummary write_layers_timeline(const TimelineOptions& options, const Result& result);

/// One sentence on what is missing or merged, empty for a whole timeline.
std::string timeline_warning(const TimelineSummary& summary, const std::string& path);

}  // namespace trnsim
