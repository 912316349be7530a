// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timing/hbm_address.hpp"
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
/// costs one step, and no event is needed. Leaves out reordering between requests (except that the
/// bus turn-around is shared by those a controller would group), column timing within a bank
/// group, and the command bus. The rules and formulas stand in docs/modelling.md.
class HbmTiming {
 public:
  explicit HbmTiming(const HbmConfig& config);

  /// Reserves `bytes` at `address` within the stack, any alignment and size. Calls come in
  /// nondecreasing order of `arrival`.
  HbmReservation reserve(Time arrival, std::uint64_t address, std::uint32_t bytes, bool write);

  /// Carries the refreshes of idle channels up to `end`; they are otherwise counted when the next request comes.
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
    std::uint64_t ready = 0;  ///< Row open: earliest precharge. Closed: earliest activate.
  };
  struct Channel {
    std::uint64_t bus_free = 0;
    std::uint64_t rrd_ready = 0;               ///< Earliest next activate by tRRD.
    std::array<std::uint64_t, 4> faw_ready{};  ///< Earliest fifth activate after each of the last four.
    std::uint64_t refreshed = 0;               ///< End of the last refresh.
    std::uint64_t next_refresh = kNever;
    std::uint32_t faw_at = 0;
    std::uint32_t slot = 0;  ///< Queue slot of the next request: the oldest one.
    std::uint32_t run = 0;   ///< Requests since the bus last changed direction.
    bool writing = false;
  };
  struct Piece {  ///< Part of a request in one row.
    std::uint64_t row;
    std::uint64_t bursts;
    bool write;
  };

  HbmReservation reserve_piece(std::uint64_t arrival, const HbmPlace& place, std::uint32_t bytes, bool write);
  std::uint64_t transfer(std::uint32_t channel, Bank& bank, Piece piece, std::uint64_t accepted);
  std::uint64_t turn_around(std::uint32_t channel, bool write, std::uint64_t accepted);
  [[nodiscard]] std::uint64_t waiting(std::uint32_t channel, std::uint64_t now) const;
  [[nodiscard]] std::uint64_t activate_time(const Channel& channel, const Bank& bank, std::uint64_t accepted) const;
  void open_row(Channel& channel, Bank& bank, std::uint64_t row, std::uint64_t activate);
  void refresh(std::uint32_t channel, std::uint64_t count);
  void refresh_until(std::uint32_t channel, std::uint64_t now);

  Times t_;
  HbmAddressMap map_;
  FixedDivisor access_;
  std::uint32_t banks_per_channel_;
  std::uint32_t queue_depth_;
  std::vector<Channel> channels_;
  std::vector<Bank> banks_;            ///< By channel, then bank.
  std::vector<std::uint64_t> finish_;  ///< By channel, then slot: when the request there leaves the queue.
  HbmStackCounters counters_;
};

}  // namespace trnsim
