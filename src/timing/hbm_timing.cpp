// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/hbm_timing.hpp"

#include <algorithm>
#include <string>

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
  if (rfc != 0 && rfc >= refi) {
    throw ConfigError("hbm.trfc_ns: a refresh of " + std::to_string(c.trfc_ns) + " ns must be shorter than hbm.trefi_ns, " +
                      std::to_string(c.trefi_ns) + " ns");
  }
}

HbmTiming::HbmTiming(const HbmConfig& config)
    : t_(config),
      map_(config),
      access_(config.access_bytes),
      banks_per_channel_(config.banks),
      channels_(config.pseudo_channels, Channel{HbmQueue(config.queue_depth), HbmBus(t_.burst), HbmActivates(t_.rrd, t_.faw)}),
      banks_(std::size_t{config.pseudo_channels} * config.banks) {
  if (t_.rfc == 0) return;
  for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i].refresh_due = t_.refi + i * t_.rrd;
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
  Bank& bank = banks_[std::size_t{place.channel} * banks_per_channel_ + place.bank];
  const std::uint64_t accepted = std::max(arrival, channel.queue.free_at());
  if (accepted >= channel.refresh_due) refresh(place.channel, accepted);
  const std::uint64_t bursts = access_.quotient(std::uint64_t{place.column} + bytes - 1) - access_.quotient(place.column) + 1;
  const std::uint64_t done = transfer(channel, bank, Transfer{place.row, bursts, write, accepted});
  channel.queue.push(done);
  return {Time{accepted}, Time{done}};
}

/// Reserves row and bus for all bursts of a piece; gives the end of the last one.
std::uint64_t HbmTiming::transfer(Channel& channel, Bank& bank, const Transfer& piece) {
  const bool hit = bank.row == piece.row;
  if (!hit) open_row(channel, bank, piece);
  const std::uint64_t length = piece.bursts * t_.burst;
  channel.bus.forget_before(piece.accepted + t_.cl);
  const std::uint64_t ready = std::max(piece.accepted, bank.column_ready);
  const std::uint64_t done = channel.bus.reserve(ready + t_.cl, turn_around(channel, piece), length) + length;
  const std::uint64_t last_column = done - t_.burst - t_.cl;
  bank.ready = std::max(bank.ready, piece.write ? done + t_.wr : last_column + t_.rtp);
  counters_.row_hits += piece.bursts - (hit ? 0 : 1);
  counters_.row_misses += hit ? 0 : 1;
  counters_.data_bus_fs += length;
  return done;
}

void HbmTiming::open_row(Channel& channel, Bank& bank, const Transfer& piece) {
  const std::uint64_t precharge = bank.row == kClosed ? 0 : t_.rp;
  const std::uint64_t activate = channel.activates.reserve(std::max(piece.accepted, bank.ready) + precharge);
  bank.row = piece.row;
  bank.ready = activate + t_.ras;
  bank.column_ready = activate + t_.rcd;
}

/// Idle time of the bus before this piece. A controller serves the requests waiting in its queue in
/// groups of one direction, at best half of them each; shorter runs share the turn-around of a group.
std::uint64_t HbmTiming::turn_around(Channel& channel, const Transfer& piece) const {
  const std::uint64_t run = channel.run++;
  if (channel.writing == piece.write) return 0;
  channel.writing = piece.write;
  channel.run = 1;
  const std::uint64_t turn = piece.write ? t_.read_to_write : t_.write_to_read;
  if (run == 0 || 2 * run >= channel.queue.depth()) return run == 0 ? 0 : turn;
  const std::uint64_t group = (channel.queue.waiting(piece.accepted) + 1) / 2;
  return run >= group ? turn : ceil_div(turn * run, group);
}

/// The refreshes due by `now`, when a request arrives. The requests accepted before finish first and all
/// banks precharge; those owed follow back to back.
void HbmTiming::refresh(std::size_t channel_index, std::uint64_t now) {
  Channel& channel = channels_[channel_index];
  const std::size_t first = channel_index * banks_per_channel_;
  std::uint64_t begin = channel.refresh_due;
  for (std::size_t b = first; b < first + banks_per_channel_; ++b) {
    begin = std::max(begin, banks_[b].ready + (banks_[b].row == kClosed ? 0 : t_.rp));
  }
  const std::uint64_t count = (now - channel.refresh_due) / t_.refi + 1;
  const std::uint64_t last_due = channel.refresh_due + (count - 1) * t_.refi;
  const std::uint64_t end = std::max(begin + count * t_.rfc, last_due + t_.rfc);
  for (std::size_t b = first; b < first + banks_per_channel_; ++b) banks_[b] = Bank{kClosed, end, 0};
  channel.refresh_due = last_due + t_.refi;
  counters_.refreshes += count;
}

void HbmTiming::settle(Time end) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (end.value >= channels_[i].refresh_due) refresh(i, end.value);
  }
}

}  // namespace trnsim
