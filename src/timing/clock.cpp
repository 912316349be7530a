// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/clock.hpp"

#include <cmath>

namespace trnsim {
namespace {

constexpr std::uint64_t kFsTimesKhz = 1'000'000'000'000;        // 1e15 fs/s over 1e3 Hz/kHz
constexpr std::uint64_t kSmallCycles = std::uint64_t{1} << 37;  // n × remainder fits 64 bits up to 134 GHz

}  // namespace

Clock::Clock(double ghz)
    : khz_(static_cast<std::uint64_t>(std::llround(ghz * 1e6))),
      period_fs_(kFsTimesKhz / khz_),
      remainder_(kFsTimesKhz % khz_),
      edges_per_fs_(static_cast<double>(khz_) / static_cast<double>(kFsTimesKhz)) {}

Time Clock::time_of(Cycles n) const {
  if (n.value < kSmallCycles) return Time{n.value * period_fs_ + ceil_div(n.value * remainder_, khz_)};
  const unsigned __int128 fraction = static_cast<unsigned __int128>(n.value) * remainder_;
  return Time{n.value * period_fs_ + static_cast<std::uint64_t>((fraction + khz_ - 1) / khz_)};
}

Cycles Clock::edge_at_or_after(Time t) const {
  std::uint64_t n = static_cast<std::uint64_t>(static_cast<double>(t.value) * edges_per_fs_);
  while (time_of(Cycles{n}) < t) ++n;
  while (n > 0 && time_of(Cycles{n - 1}) >= t) --n;
  return Cycles{n};
}

}  // namespace trnsim
