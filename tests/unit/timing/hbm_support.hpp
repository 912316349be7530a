// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "timing/hbm_timing.hpp"

namespace trnsim::test {

/// One pseudo-channel whose times are round: a burst of 32 B takes 1 ns. No refresh.
inline HbmConfig one_channel() {
  HbmConfig c;
  c.pseudo_channels = 1;
  c.interleave_bytes = c.row_bytes;
  c.stack_gb_per_s = 32;
  c.banks = 16;
  c.trfc_ns = 0;
  return c;
}

inline HbmConfig hbm2e() {
  HbmConfig c;
  c.gib_per_stack = 16;
  c.stack_gb_per_s = 410;
  c.pseudo_channels = 16;
  c.banks = 32;
  c.tras_ns = 33;
  return c;
}

inline HbmConfig hbm3() { return HbmConfig{}; }

inline HbmConfig hbm3e() {
  HbmConfig c;
  c.gib_per_stack = 36;
  c.stack_gb_per_s = 1225;
  c.banks = 48;
  return c;
}

/// Every time parameter zero, refresh off.
inline HbmConfig without_delays(HbmConfig c) {
  for (double* ns : {&c.trcd_ns, &c.trp_ns, &c.tcl_ns, &c.tras_ns, &c.trrd_ns, &c.tfaw_ns, &c.twr_ns, &c.trtp_ns, &c.write_to_read_ns,
                     &c.read_to_write_ns, &c.trfc_ns}) {
    *ns = 0;
  }
  return c;
}

/// Requesters that each send the next request as soon as the last was accepted.
struct Requesters {
  std::uint32_t count = 1;
  std::uint64_t requests = 1;  ///< Of each.
  std::uint32_t bytes = 1024;
  std::function<std::uint64_t(std::uint32_t requester, std::uint64_t n)> address;
  std::function<bool(std::uint32_t requester, std::uint64_t n)> write = [](std::uint32_t, std::uint64_t) { return false; };
};

struct Run {
  std::uint64_t bytes = 0;
  std::uint64_t end_fs = 0;
  HbmStackCounters counters;
  [[nodiscard]] double gb_per_s() const { return static_cast<double>(bytes) / (static_cast<double>(end_fs) * 1e-6); }
};

inline Run run(const HbmConfig& config, const Requesters& r) {
  using Turn = std::pair<std::uint64_t, std::uint32_t>;
  HbmTiming hbm(config);
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  std::vector<std::uint64_t> sent(r.count);
  for (std::uint32_t i = 0; i < r.count; ++i) turns.push({0, i});
  Run result;
  while (!turns.empty()) {
    const auto [now, who] = turns.top();
    turns.pop();
    const std::uint64_t n = sent[who]++;
    const HbmReservation got = hbm.reserve(Time{now}, r.address(who, n), r.bytes, r.write(who, n));
    result.end_fs = std::max(result.end_fs, got.done.value);
    result.bytes += r.bytes;
    if (sent[who] < r.requests) turns.push({got.accepted.value, who});
  }
  result.counters = hbm.counters();
  return result;
}

/// Requesters take the rows of a matrix in turn and walk each in chunks of 1 KiB.
inline Requesters matrix_walk(std::uint32_t count, std::uint64_t row_bytes, std::uint64_t total = 64ULL << 20) {
  Requesters r;
  r.count = count;
  r.requests = total / count / 1024;
  r.address = [count, row_bytes](std::uint32_t who, std::uint64_t n) {
    const std::uint64_t chunks = row_bytes / 1024;
    return (n / chunks * count + who) * row_bytes + n % chunks * 1024;
  };
  return r;
}

}  // namespace trnsim::test
