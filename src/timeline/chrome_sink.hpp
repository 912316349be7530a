// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <vector>

#include "timeline/trace_sink.hpp"

namespace trnsim {

/// The JSON format of chrome://tracing: a group is a process, a track a thread. Times are microseconds to 1 ps.
class ChromeSink : public TraceSink {
 public:
  explicit ChromeSink(const std::string& path);

  TrackId group(const std::string& name) override;
  TrackId track(TrackId group, const std::string& name) override;
  TrackId counter(TrackId group, const std::string& name, const std::string& unit) override;
  void slice(const TraceSlice& slice) override;
  void value(TrackId counter, Time at, double value) override;

 private:
  struct Track {
    TrackId group = 0;
    std::string name;  ///< Of a counter, as JSON.
  };
  void end() override;
  void head(std::string_view phase, TrackId track, Time at);
  void arrow(std::string_view phase, TrackId track, Time at, std::uint64_t number);

  std::vector<Track> tracks_{1};
};

}  // namespace trnsim
