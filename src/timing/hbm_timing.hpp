// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <vector>

#include "timing/hbm_address.hpp"
#include "timing/hbm_channel.hpp"
#include "trnsim/config/memory_config.hpp"
#include "trnsim/snapshot.hpp"
#include "trnsim/units.hpp"

namespace trnsim {

/// Answer to one request.
struct HbmReservation {
  Time accepted;  ///< The last of its pieces got a queue slot; the requester may not send its next request before.
  Time done;      ///< Last data on the bus (read) or last data written.
  auto operator<=>(const HbmReservation&) const = default;
};

/// One HBM stack: pseudo-channels with a bounded queue, open-page banks and one data bus each.
///
/// Time is reserved: a request gets its final times when it arrives, a run of bursts in one row
/// costs one step, and no event is needed. Requests to different banks pass each other as in a
/// reordering controller; those to one bank stay in order. Leaves out column timing within a bank
/// group and the command bus. The rules and formulas stand in docs/modelling.md.
class HbmTiming {
 public:
  explicit HbmTiming(const HbmConfig& config);

  /// Reserves `bytes` at `address` within the stack, any alignment and size. Calls come in
  /// nondecreasing order of `arrival`.
  HbmReservation reserve(Time arrival, std::uint64_t address, std::uint32_t bytes, bool write);

  /// Counts the refreshes of idle pseudo-channels up to `end`; otherwise they are counted when the next request comes.
  void settle(Time end);

  [[nodiscard]] const HbmStackCounters& counters() const { return counters_; }
  [[nodiscard]] Time burst() const { return Time{t_.burst}; }

 private:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct Times {  ///< Femtoseconds, rounded up once.
    explicit Times(const HbmConfig& config);
    std::uint64_t burst, rcd, rp, cl, ras, rrd, faw, wr, rtp, write_to_read, read_to_write, rfc, refi;
  };
  struct Bank {
    std::uint64_t row = kClosed;
    std::uint64_t ready = 0;         ///< Row open: earliest precharge. Closed: earliest activate.
    std::uint64_t column_ready = 0;  ///< Row open: earliest read or write.
  };
  struct Channel {
    HbmQueue queue;
    HbmBus bus;
    HbmActivates activates;
    std::uint64_t refresh_due = kNever;
    std::uint64_t run = 0;  ///< Requests since the bus last changed direction.
    bool writing = false;
  };
  struct Transfer {  ///< Part of a request in one row.
    std::uint64_t row;
    std::uint64_t bursts;
    bool write;
    std::uint64_t accepted;
  };

  HbmReservation reserve_piece(std::uint64_t arrival, const HbmPlace& place, std::uint32_t bytes, bool write);
  std::uint64_t transfer(Channel& channel, Bank& bank, const Transfer& piece);
  void open_row(Channel& channel, Bank& bank, const Transfer& piece);
  std::uint64_t turn_around(Channel& channel, const Transfer& piece) const;
  void refresh(std::size_t channel, std::uint64_t now);

  Times t_;
  HbmAddressMap map_;
  FixedDivisor access_;
  std::uint32_t banks_per_channel_;
  std::vector<Channel> channels_;
  std::vector<Bank> banks_;  ///< By channel, then bank.
  HbmStackCounters counters_;
};

}  // namespace trnsim
