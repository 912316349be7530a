// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trnsim::app {
namespace {

constexpr double kQuietSeconds = 2, kRedrawSeconds = 0.2, kLineSeconds = 60;

double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string simulated_time(Time time) {
  const double us = to_ns(time) / 1000;
  if (us < 1000) return fmt::format("{:.1f} us", us);
  return us < 1e6 ? fmt::format("{:.2f} ms", us / 1e3) : fmt::format("{:.3f} s", us / 1e6);
}

std::string bar(double share, std::size_t cells, bool utf8) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
  std::string text = utf8 ? "" : "[";
  for (std::size_t i = 0; i < cells; ++i) text += i < full ? (utf8 ? "█" : "#") : (utf8 ? "░" : ".");
  return text + (utf8 ? " " : "] ");
}

}  // namespace

std::string host_time(double seconds) {
  const auto s = static_cast<std::uint64_t>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

std::string progress_line(const ProgressState& state, unsigned width, bool utf8) {
  return progress_line(state, fmt::format("{} instructions, {} simulated", state.done, simulated_time(state.simulated)), width, utf8);
}

std::string progress_line(const ProgressState& state, const std::string& counts, unsigned width, bool utf8) {
  if (state.total == 0) return fmt::format("{}, {}", counts, host_time(state.seconds)).substr(0, width);
  const double share = std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
  std::string text = fmt::format("{:.0f} %", 100 * share);
  if (share > 0) text += fmt::format(", {} left", host_time(state.seconds * (1 - share) / share));
  if (text.size() + 2 + counts.size() <= width) text += ", " + counts;
  const std::size_t cells = width > text.size() + 3 ? std::min<std::size_t>(24, width - text.size() - 3) : 0;
  return cells >= 4 ? bar(share, cells, utf8) + text : text.substr(0, width);
}

Progress::Progress(ProgressMode mode, std::uint64_t total, Console& console, Clock clock)
    : mode_(mode), total_(total), console_(console), clock_(clock ? std::move(clock) : steady_seconds), start_(clock_()) {
  const double wait = console.err_terminal.interactive ? (mode == ProgressMode::Always ? 0 : kQuietSeconds) : kLineSeconds;
  next_ = start_ + wait;
}

void Progress::update(std::uint64_t done, Time simulated) {
  if (due()) show(progress_line({done, total_, simulated, seconds()}, columns(), console_.err_terminal.utf8));
}

void Progress::update(std::uint64_t done, const std::string& counts) {
  if (due()) show(progress_line({done, total_, {}, seconds()}, counts, columns(), console_.err_terminal.utf8));
}

void Progress::show(const std::string& line) {
  if (console_.err_terminal.interactive) {
    console_.err << "\r\033[K" << line << std::flush;
    drawn_ = true;
    next_ = clock_() + kRedrawSeconds;
  } else {
    console_.err << "trnsim: " << line << std::endl;
    next_ = clock_() + kLineSeconds;
  }
}

void Progress::finish() {
  if (drawn_) console_.err << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace trnsim::app
