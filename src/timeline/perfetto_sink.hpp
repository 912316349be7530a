// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <unordered_map>
#include <vector>

#include "timeline/protobuf.hpp"
#include "timeline/trace_sink.hpp"

namespace trnsim {

/// The native format of Perfetto: a stream of TracePacket messages (perfetto/trace/trace_packet.proto).
///
/// Each track is a packet sequence of its own: times are differences to the event before (an
/// incremental clock), the track is a default of the sequence, and names are numbers after their first use.
class PerfettoSink : public TraceSink {
 public:
  explicit PerfettoSink(const std::string& path) : TraceSink(path) {}

  TrackId group(const std::string& name) override;
  TrackId track(TrackId group, const std::string& name) override;
  TrackId counter(TrackId group, const std::string& name, const std::string& unit) override;
  void slice(const TraceSlice& slice) override;
  void value(TrackId counter, Time at, double value) override;

 private:
  static constexpr std::size_t kMostStrings = 50'000;  ///< Per track; beyond that texts are written out.

  struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Strings = std::unordered_map<std::string, std::uint64_t, StringHash, std::equal_to<>>;
  struct Sequence {
    std::uint64_t last_ns = 0;
    Strings names, arg_names, texts;
  };
  /// Number of a string, and whether the packet has to introduce it.
  struct Interned {
    std::uint64_t number = 0;  ///< 0: there are too many.
    bool is_new = false;
  };

  TrackId describe(TrackId group, const std::string& name, const std::string& unit, bool is_counter);
  void open_sequence(TrackId track);
  std::uint64_t step_to(Sequence& sequence, Time at);
  static Interned intern(Strings& strings, std::string_view text);

  std::vector<Sequence> sequences_{1};  ///< By track; the first is nobody's.
  std::vector<Interned> arg_numbers_, text_numbers_;
};

}  // namespace trnsim
