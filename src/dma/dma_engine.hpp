// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "dma/hbm_router.hpp"
#include "plan/transfer.hpp"
#include "sysc/process_module.hpp"
#include "timing/dma_timing.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {

/// Counters that the DMA engines and rings of one core share.
struct DmaAccount {
  DmaCounters counters;
  std::uint64_t active_until_fs = 0;

  /// Books engine time [from, from + duration); calls come in order of `from`.
  void book(Time from, Time duration);
};

/// Told when an engine has moved its part of a copy.
class TransferListener {
 public:
  virtual ~TransferListener() = default;
  virtual void part_done(Transfer& transfer, Time last_data) = 0;
};

/// One DMA engine: takes the descriptors of its rings in order, rings in turn after each packet, and
/// moves chunks of at most 1 KiB at its sustained rate. Reads and writes of HBM are reserved per chunk;
/// a full queue in HBM or too many bytes in flight hold the engine back.
///
/// Left out: descriptor fetches, and the write side of SBUF, which never limits.
class DmaEngine : public ProcessModule {
 public:
  sc_core::sc_port<HbmIf> hbm{"hbm"};

  DmaEngine(sc_core::sc_module_name name, const DmaConfig& config, std::uint32_t core, DmaAccount& account, Context& context,
            std::uint32_t number = 0);

  /// Bytes [begin, end) of the copy's stream, from `available` on.
  void enqueue(Transfer& transfer, TransferListener& listener, std::uint64_t begin, std::uint64_t end, Time available);

 private:
  struct Job {
    Transfer* transfer;
    TransferListener* listener;
    std::uint64_t position, end;
    Time available;
    std::uint64_t descriptor_end = 0;  ///< Stream position where the current descriptor ends.
    Time last_data;
  };
  struct Ring {
    std::deque<Job> jobs;
  };

  Process run();
  [[nodiscard]] Ring* pick(Time present);
  [[nodiscard]] Time next_available() const;
  Time move_chunk(Job& job);
  Time read_hbm(const ByteStream& source, std::uint64_t position, std::uint64_t bytes, Time& data_at);
  [[nodiscard]] Time payload(const Transfer& transfer, std::uint64_t bytes) const;
  Time move_piece(Job& job, std::uint64_t& budget, Time& engine_time);
  [[nodiscard]] std::uint64_t descriptor_bytes(const Job& job) const;
  Time in_flight_limit(Time data_at);

  DmaConfig config_;
  DmaTiming timing_;
  std::uint32_t core_, number_;
  DmaAccount* account_;
  std::vector<Ring> rings_;
  std::size_t turn_ = 0;           ///< Ring being served.
  std::uint64_t packet_left_ = 0;  ///< Bytes until the next ring's turn.
  std::vector<Time> in_flight_;    ///< Arrival of the data of the last chunks.
  std::size_t oldest_ = 0;
};

}  // namespace trnsim
