// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <memory>

#include "timeline/trace_sink.hpp"

namespace trnsim {

/// A sink with a limit: counts what goes in, gets coarser as the file grows, ends the slices in time.
class TimelineWriter {
 public:
  explicit TimelineWriter(const TimelineOptions& options) : limit_(options.limit_bytes), sink_(open_sink(options)) {
    summary_.merge = options.merge;
  }

  [[nodiscard]] TraceSink& sink() { return *sink_; }
  [[nodiscard]] TimelineSummary& summary() { return summary_; }
  /// Instructions of an engine in one slice, now.
  [[nodiscard]] std::uint64_t merge() const { return summary_.merge; }

  void slice(const TraceSlice& slice) {
    if (summary_.cut) return;
    sink_->slice(slice);
    ++summary_.slices;
    summary_.flows += slice.flows_in.size();
    if (summary_.slices % kCheckEvery == 0) check(slice.from);
  }
  void value(TrackId counter, Time at, double value) {
    sink_->value(counter, at, value);
    ++summary_.counter_values;
  }

 private:
  static constexpr std::uint64_t kCheckEvery = 256;

  void check(Time at) {
    const std::uint64_t bytes = sink_->file_bytes();
    const auto coarser = [&](std::uint64_t part, std::uint64_t merge) {
      if (bytes > limit_ / 16 * part) summary_.merge = std::max(summary_.merge, merge);
    };
    coarser(8, 16);
    coarser(10, 256);
    coarser(11, 4096);
    if (bytes < limit_ / 4 * 3) return;  // the rest is for counters and what a compressor holds back
    summary_.cut = true;
    summary_.cut_ns = to_ns(at);
  }

  std::uint64_t limit_;
  std::unique_ptr<TraceSink> sink_;
  TimelineSummary summary_;
};

}  // namespace trnsim
