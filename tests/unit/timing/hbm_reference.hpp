// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "timing/hbm_timing.hpp"

namespace trnsim::test {

/// The rules of docs/modelling.md, burst by burst, one refresh at a time, with the whole history
/// kept and searched: slow and plain, to compare HbmTiming with.
class HbmReference {
 public:
  explicit HbmReference(const HbmConfig& c) : c_(c), map_(c), channels_(c.pseudo_channels) {
    burst_ = std::max<std::uint64_t>(1, from_ns(c.access_bytes / (c.stack_gb_per_s / c.pseudo_channels)).value);
    for (std::uint32_t i = 0; i < c.pseudo_channels; ++i) {
      channels_[i].banks.resize(c.banks);
      channels_[i].refresh_due = fs(c.trefi_ns) + i * fs(c.trrd_ns);
    }
  }

  HbmReservation reserve(Time arrival, std::uint64_t address, std::uint32_t bytes, bool write) {
    HbmReservation all{arrival, arrival};
    for (const std::uint64_t end = address + bytes; address < end;) {
      const HbmPlace p = map_.place(address);
      const std::uint64_t stop = std::min<std::uint64_t>(end, address + p.run_bytes);
      std::set<std::uint64_t> columns;  // bursts touched, byte by byte
      for (; address < stop; ++address) columns.insert(map_.place(address).column / c_.access_bytes);
      const auto [accepted, done] = piece(channels_[p.channel], p, arrival.value, columns.size(), write);
      all.accepted = std::max(all.accepted, Time{accepted});
      all.done = std::max(all.done, Time{done});
    }
    (write ? counters.write_bytes : counters.read_bytes) += bytes;
    counters.back_pressure += all.accepted > arrival ? 1 : 0;
    return all;
  }

  HbmStackCounters counters;

 private:
  struct Interval {
    std::uint64_t from, to;
  };
  struct Bank {
    bool open = false;
    std::uint64_t row = 0, column_ready = 0, precharge_ready = 0, activate_ready = 0;
  };
  struct Channel {
    std::vector<Bank> banks;
    std::vector<std::uint64_t> finish;       // of all requests ever
    std::multiset<std::uint64_t> activates;  // all ever
    std::vector<Interval> busy;              // every burst and turn-around ever
    std::uint64_t refresh_due = 0, run = 0;
    bool writing = false;
  };

  static std::uint64_t fs(double ns) { return from_ns(ns).value; }

  std::pair<std::uint64_t, std::uint64_t> piece(Channel& ch, const HbmPlace& p, std::uint64_t arrival, std::uint64_t bursts, bool write) {
    std::uint64_t accepted = arrival;
    if (ch.finish.size() >= c_.queue_depth) {  // wait until fewer than queue_depth are unfinished
      std::vector<std::uint64_t> f = ch.finish;
      std::sort(f.begin(), f.end());
      accepted = std::max(accepted, f[f.size() - c_.queue_depth]);
    }
    if (c_.trfc_ns != 0) {
      while (ch.refresh_due <= accepted) refresh(ch);
    }
    Bank& bank = ch.banks[p.bank];
    const bool hit = bank.open && bank.row == p.row;
    if (!hit) open(ch, bank, p.row, accepted);
    const std::uint64_t turn = turn_around(ch, accepted, write);
    const std::uint64_t earliest = std::max(accepted, bank.column_ready) + fs(c_.tcl_ns);
    std::uint64_t begin = first_free(ch, earliest, turn, bursts * burst_);
    if (turn != 0) ch.busy.push_back({begin - turn, begin});
    for (std::uint64_t i = 0; i < bursts; ++i, begin += burst_) {
      ch.busy.push_back({begin, begin + burst_});
      const std::uint64_t next = write ? begin + burst_ + fs(c_.twr_ns) : begin - fs(c_.tcl_ns) + fs(c_.trtp_ns);
      bank.precharge_ready = std::max(bank.precharge_ready, next);
      ++(hit || i > 0 ? counters.row_hits : counters.row_misses);
      counters.data_bus_fs += burst_;
    }
    ch.finish.push_back(begin);
    return {accepted, begin};
  }

  void refresh(Channel& ch) {
    std::uint64_t begin = ch.refresh_due;
    for (const Bank& b : ch.banks) begin = std::max(begin, b.open ? b.precharge_ready + fs(c_.trp_ns) : b.activate_ready);
    for (Bank& b : ch.banks) {
      b = Bank{};
      b.activate_ready = begin + fs(c_.trfc_ns);
    }
    ch.refresh_due += fs(c_.trefi_ns);
    ++counters.refreshes;
  }

  void open(Channel& ch, Bank& bank, std::uint64_t row, std::uint64_t accepted) {
    std::uint64_t own = bank.open ? std::max(accepted, bank.precharge_ready) + fs(c_.trp_ns) : std::max(accepted, bank.activate_ready);
    if (ch.activates.size() >= 5) own = std::max(own, *std::prev(ch.activates.end(), 5));
    std::set<std::uint64_t> candidates{own};
    for (const std::uint64_t a : ch.activates) {
      candidates.insert(a + fs(c_.trrd_ns));
      candidates.insert(a + fs(c_.tfaw_ns));
    }
    for (const std::uint64_t t : candidates) {
      if (t < own) continue;
      const auto added = ch.activates.insert(t);
      if (legal(ch.activates)) {
        bank = Bank{true, row, t + fs(c_.trcd_ns), t + fs(c_.tras_ns), 0};
        return;
      }
      ch.activates.erase(added);
    }
  }

  [[nodiscard]] bool legal(const std::multiset<std::uint64_t>& activates) const {
    const std::vector<std::uint64_t> a(activates.begin(), activates.end());
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i >= 1 && a[i] - a[i - 1] < fs(c_.trrd_ns)) return false;
      if (i >= 4 && a[i] - a[i - 4] < fs(c_.tfaw_ns)) return false;
    }
    return true;
  }

  std::uint64_t turn_around(Channel& ch, std::uint64_t accepted, bool write) {
    if (ch.run != 0 && ch.writing == write) return ++ch.run, 0;
    const std::uint64_t run = ch.run;
    ch.run = 1;
    ch.writing = write;
    if (run == 0) return 0;
    const auto waiting =
        static_cast<std::uint64_t>(std::count_if(ch.finish.begin(), ch.finish.end(), [&](std::uint64_t f) { return f > accepted; }));
    const std::uint64_t group = std::max<std::uint64_t>(1, (waiting + 1) / 2);
    return ceil_div(fs(write ? c_.read_to_write_ns : c_.write_to_read_ns) * std::min(run, group), group);
  }

  [[nodiscard]] static std::uint64_t first_free(const Channel& ch, std::uint64_t earliest, std::uint64_t turn, std::uint64_t length) {
    std::set<std::uint64_t> candidates{std::max(earliest, turn)};
    for (const Interval& b : ch.busy) candidates.insert(std::max(earliest, b.to + turn));
    for (const std::uint64_t t : candidates) {
      const bool free =
          std::none_of(ch.busy.begin(), ch.busy.end(), [&](const Interval& b) { return b.from < t + length && t - turn < b.to; });
      if (free) return t;
    }
    return 0;
  }

  HbmConfig c_;
  HbmAddressMap map_;
  std::vector<Channel> channels_;
  std::uint64_t burst_ = 0;
};

}  // namespace trnsim::test
