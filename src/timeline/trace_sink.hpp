// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trnsim/timeline.hpp"
#include "trnsim/trace.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

using TrackId = std::uint32_t;

/// A name with a number or a text.
struct TraceArg {
  std::string_view name;
  std::uint64_t number = 0;
  std::string_view text;  ///< Counts when it is not empty.
};

struct TraceSlice {
  TrackId track = 0;
  Time from, until;
  std::string_view name;
  std::span<const TraceArg> args;
  std::span<const std::uint64_t> flows_out, flows_in;  ///< An arrow leads from the one with a number to the other.
};

/// A timeline file in one of the formats. Slices of one track come in order and do not overlap.
class TraceSink {
 public:
  explicit TraceSink(const std::string& path);
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
  virtual ~TraceSink() = default;

  /// A group of tracks, in the order of their declaration.
  virtual TrackId group(const std::string& name) = 0;
  virtual TrackId track(TrackId group, const std::string& name) = 0;
  virtual TrackId counter(TrackId group, const std::string& name, const std::string& unit) = 0;
  virtual void slice(const TraceSlice& slice) = 0;
  virtual void value(TrackId counter, Time at, double value) = 0;

  /// Bytes in the file so far, packed.
  [[nodiscard]] std::uint64_t file_bytes();
  std::uint64_t close();  ///< Ends the file; its size.

 protected:
  /// What belongs after the last event.
  virtual void end() {}
  [[nodiscard]] std::string& buffer() { return buffer_; }
  void flush_if_full() {
    if (buffer_.size() >= kBlock) flush();
  }

 private:
  static constexpr std::size_t kBlock = 256 * kKiB;
  void flush();

  std::string path_;
  bool packed_;
  TraceFile file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

std::unique_ptr<TraceSink> open_sink(const TimelineOptions& options);

}  // namespace trnsim
