// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/hbm_timing.hpp"

#include <algorithm>
#include <cmath>

#include "trnsim/error.hpp"

namespace trnsim {
namespace {

std::uint64_t fs(double ns) { return from_ns(ns).value; }

/// One burst on a pseudo-channel's bus, at least 1 fs; bytes over GB/s are nanoseconds.
std::uint64_t burst_time(const HbmConfig& c) {
  const double channel_gb_per_s = c.stack_gb_per_s / c.pseudo_channels;
  return std::max<std::uint64_t>(1, fs(c.access_bytes / channel_gb_per_s));
}

}  // namespace

HbmTiming::Times::Times(const HbmConfig& c)
    : burst(burst_time(c)),
      rcd(fs(c.trcd_ns)),
      rp(fs(c.trp_ns)),
      cl(fs(c.tcl_ns)),
      ras(fs(c.tras_ns)),
      rrd(fs(c.trrd_ns)),
      faw(fs(c.tfaw_ns)),
      wr(fs(c.twr_ns)),
      rtp(fs(c.trtp_ns)),
      write_to_read(fs(c.write_to_read_ns)),
      read_to_write(fs(c.read_to_write_ns)),
      rfc(fs(c.trfc_ns)),
      refi(fs(c.trefi_ns)) {
  // A row opened after one refresh must be usable before the next closes it.
  if (rfc != 0 && rfc + rcd >= refi) {
    throw ConfigError("hbm.trfc_ns: refresh (" + std::to_string(c.trfc_ns) + ") and hbm.trcd_ns (" + std::to_string(c.trcd_ns) +
                      ") together must be shorter than hbm.trefi_ns (" + std::to_string(c.trefi_ns) + ")");
  }
}

HbmTiming::HbmTiming(const HbmConfig& config)
    : t_(config),
      map_(config),
      access_(config.access_bytes),
      banks_per_channel_(config.banks),
      queue_depth_(config.queue_depth),
      channels_(config.pseudo_channels),
      banks_(std::size_t{config.pseudo_channels} * config.banks),
      finish_(std::size_t{config.pseudo_channels} * config.queue_depth) {
  if (t_.rfc == 0) return;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    channels_[i].next_refresh = static_cast<std::uint64_t>(static_cast<unsigned __int128>(t_.refi) * (i + 1) / channels_.size());
  }
}

HbmReservation HbmTiming::reserve(Time arrival, std::uint64_t address, std::uint32_t bytes, bool write) {
  HbmReservation all{arrival, arrival};
  for (std::uint32_t left = bytes; left != 0;) {
    const HbmPlace place = map_.place(address);
    const std::uint32_t piece = std::min(left, place.run_bytes);
    const HbmReservation one = reserve_piece(arrival.value, place, piece, write);
    all.accepted = std::max(all.accepted, one.accepted);
    all.done = std::max(all.done, one.done);
    address += piece;
    left -= piece;
  }
  (write ? counters_.write_bytes : counters_.read_bytes) += bytes;
  counters_.back_pressure += all.accepted > arrival ? 1 : 0;
  return all;
}

HbmReservation HbmTiming::reserve_piece(std::uint64_t arrival, const HbmPlace& place, std::uint32_t bytes, bool write) {
  Channel& channel = channels_[place.channel];
  std::uint64_t& slot = finish_[std::size_t{place.channel} * queue_depth_ + channel.slot];
  const std::uint64_t accepted = std::max(arrival, slot);
  const std::uint64_t bursts = access_.quotient(std::uint64_t{place.column} + bytes - 1) - access_.quotient(place.column) + 1;
  Bank& bank = banks_[std::size_t{place.channel} * banks_per_channel_ + place.bank];
  const std::uint64_t done = transfer(place.channel, bank, Piece{place.row, bursts, write}, accepted);
  slot = done;
  channel.slot = channel.slot + 1 == queue_depth_ ? 0 : channel.slot + 1;
  counters_.data_bus_fs += bursts * t_.burst;
  return {Time{accepted}, Time{done}};
}

/// Reserves the bus for all bursts of a piece; only a refresh in between makes a second step.
std::uint64_t HbmTiming::transfer(std::uint32_t channel_index, Bank& bank, Piece piece, std::uint64_t accepted) {
  Channel& channel = channels_[channel_index];
  if (accepted >= channel.next_refresh) refresh_until(channel_index, accepted);
  channel.bus_free += turn_around(channel_index, piece.write, accepted);
  for (;;) {
    const bool hit = bank.row == piece.row;
    const std::uint64_t activate = hit ? 0 : activate_time(channel, bank, accepted);
    // On a hit tRCD is over: the burst that opened the row went before on the same bus.
    const std::uint64_t ready = hit ? accepted : activate + t_.rcd;
    const std::uint64_t data = std::max(ready + t_.cl, channel.bus_free);
    const std::uint64_t column = data - t_.cl;
    if (column >= channel.next_refresh) {
      refresh(channel_index, 1);
      continue;
    }
    if (!hit) open_row(channel, bank, piece.row, activate);
    std::uint64_t bursts = piece.bursts;
    if (column + (bursts - 1) * t_.burst >= channel.next_refresh) bursts = ceil_div(channel.next_refresh - column, t_.burst);
    channel.bus_free = data + bursts * t_.burst;
    const std::uint64_t last_column = channel.bus_free - t_.burst - t_.cl;
    bank.ready = std::max(bank.ready, piece.write ? channel.bus_free + t_.wr : last_column + t_.rtp);
    counters_.row_hits += bursts - (hit ? 0 : 1);
    piece.bursts -= bursts;
    if (piece.bursts == 0) return channel.bus_free;
    refresh(channel_index, 1);
  }
}

/// Earliest activate of a row in a bank whose row is another one or closed. Activates of a channel go in order.
std::uint64_t HbmTiming::activate_time(const Channel& channel, const Bank& bank, std::uint64_t accepted) const {
  const std::uint64_t own = std::max(accepted, bank.ready) + (bank.row == kClosed ? 0 : t_.rp);
  return std::max({own, channel.rrd_ready, channel.faw_ready[channel.faw_at], channel.refreshed});
}

void HbmTiming::open_row(Channel& channel, Bank& bank, std::uint64_t row, std::uint64_t activate) {
  bank = Bank{row, activate + t_.ras};
  channel.rrd_ready = activate + t_.rrd;
  channel.faw_ready[channel.faw_at] = activate + t_.faw;
  channel.faw_at = (channel.faw_at + 1) % 4;
  ++counters_.row_misses;
}

/// Idle time of the bus before this piece. A controller serves the requests waiting in its queue in
/// groups of one direction, at best half of them each; shorter runs share the turn-around of a group.
std::uint64_t HbmTiming::turn_around(std::uint32_t channel_index, bool write, std::uint64_t accepted) {
  Channel& channel = channels_[channel_index];
  if (channel.writing == write) {
    ++channel.run;
    return 0;
  }
  // Nothing has used the bus before its first request.
  const std::uint64_t turn = channel.bus_free == 0 ? 0 : write ? t_.read_to_write : t_.write_to_read;
  const std::uint64_t run = channel.run;
  channel.writing = write;
  channel.run = 1;
  if (run >= queue_depth_ / 2) return turn;
  const std::uint64_t group = (waiting(channel_index, accepted) + 1) / 2;
  return run >= group ? turn : ceil_div(turn * run, group);
}

/// Requests in the queue at `now`. Finishing times grow round the ring from the oldest slot on.
std::uint64_t HbmTiming::waiting(std::uint32_t channel_index, std::uint64_t now) const {
  const auto ring = finish_.begin() + static_cast<std::ptrdiff_t>(std::size_t{channel_index} * queue_depth_);
  const auto oldest = ring + channels_[channel_index].slot;
  const auto end = ring + queue_depth_;
  const auto left = [now](auto from, auto to) { return to - std::upper_bound(from, to, now); };
  return static_cast<std::uint64_t>(left(oldest, end) + left(ring, oldest));
}

/// The next `count` refreshes of a channel happen. All its rows close; the precharge is part of tRFC.
void HbmTiming::refresh(std::uint32_t channel_index, std::uint64_t count) {
  Channel& channel = channels_[channel_index];
  const std::uint64_t last = channel.next_refresh + (count - 1) * t_.refi;
  channel.refreshed = last + t_.rfc;
  channel.next_refresh = last + t_.refi;
  counters_.refreshes += count;
  const std::size_t first = std::size_t{channel_index} * banks_per_channel_;
  for (std::size_t b = first; b < first + banks_per_channel_; ++b) {
    if (banks_[b].row != kClosed) banks_[b] = Bank{kClosed, banks_[b].ready + t_.rp};
  }
}

void HbmTiming::refresh_until(std::uint32_t channel_index, std::uint64_t now) {
  refresh(channel_index, (now - channels_[channel_index].next_refresh) / t_.refi + 1);
}

void HbmTiming::settle(Time end) {
  for (std::uint32_t i = 0; i < channels_.size(); ++i) {
    if (end.value >= channels_[i].next_refresh) refresh_until(i, end.value);
  }
}

}  // namespace trnsim
