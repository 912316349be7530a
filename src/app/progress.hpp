// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "app/console.hpp"
#include "trnsim/units.hpp"

namespace trnsim::app {

enum class ProgressMode { Off, Auto, Always };

/// State of a run at one moment.
struct ProgressState {
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0 = unknown.
  Time simulated;
  double seconds = 0;  ///< Of host time since the start.
};

/// One line that fits `width` columns: bar, share, instructions, simulated time, estimate of what is left.
std::string progress_line(const ProgressState& state, unsigned width, bool utf8);
/// The same with other words for what is done.
std::string progress_line(const ProgressState& state, const std::string& counts, unsigned width, bool utf8);

/// Host time for a person: "12 s", "3:07 min".
std::string host_time(double seconds);

/// Shows how far a run is, on stderr: a bar on a terminal once a run takes longer than two seconds (at
/// once with Always), elsewhere a line a minute.
class Progress {
 public:
  using Clock = std::function<double()>;  ///< Seconds, for tests.

  Progress(ProgressMode mode, std::uint64_t total, Console& console, Clock clock = {});

  void update(std::uint64_t done, Time simulated);
  void update(std::uint64_t done, const std::string& counts);
  void finish();  ///< Clears the bar.
  [[nodiscard]] double seconds() const { return clock_() - start_; }

 private:
  [[nodiscard]] bool due() const { return mode_ != ProgressMode::Off && clock_() >= next_; }
  [[nodiscard]] unsigned columns() const { return console_.err_terminal.width - 1; }  ///< Writing to the last one wraps the line on some.
  void show(const std::string& line);

  ProgressMode mode_;
  std::uint64_t total_;
  Console& console_;
  Clock clock_;
  double start_, next_;
  bool drawn_ = false;
};

}  // namespace trnsim::app
