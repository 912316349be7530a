// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <vector>

#include "dma/dma_engine.hpp"
#include "memory/dma_ring_if.hpp"
#include "memory/semaphore_file.hpp"
#include "stats/source_account.hpp"
#include "trnsim/observer.hpp"

namespace trnsim {

/// One DMA ring (queue): copies in order, a front end that starts at most one copy per issue
/// interval, and a semaphore that counts completed copies in order.
///
/// Every DMA engine of the ring takes part in every copy, if only with its completion write, so copies
/// complete in ring order. Left out: how the doorbell reaches the ring.
class DmaRing : public sc_core::sc_module, public DmaRingIf, public TransferListener {
 public:
  sc_core::sc_port<SemaphoreIf> semaphores{"semaphores"};

  struct Wiring {
    std::vector<DmaEngine*> engines;  ///< Those that serve the ring.
    DmaAccount* account;
    std::uint32_t partitions;  ///< Of SBUF: engine e moves its e-th share of them.
    std::function<void(Transfer&)> recycle;
    SourceAccount* sources = nullptr;  ///< Null when the program does not name its sources.
    RunObserver* observer = nullptr;
    std::uint32_t core = 0;
  };
  DmaRing(sc_core::sc_module_name name, const DmaConfig& config, Actor actor, Wiring wiring);

  [[nodiscard]] std::size_t depth() const override { return depth_; }
  [[nodiscard]] bool full() const override { return outstanding_.size() >= depth_; }
  void wait_for_room(ProcessModule& waiter) override { waiters_.push_back(&waiter); }
  void trigger(Transfer& transfer) override;
  void part_done(Transfer& transfer, Time last_data) override;

  /// Time up to `end` that the front end was taken: copies × issue interval, less what lies after it.
  [[nodiscard]] std::uint64_t front_end_fs(Time end) const { return front_end_fs_ - (std::max(front_end_free_, end) - end).value; }
  [[nodiscard]] bool used() const { return used_; }
  [[nodiscard]] const std::vector<DmaEngine*>& engines() const { return wiring_.engines; }
  [[nodiscard]] std::size_t outstanding() const { return outstanding_.size(); }

 private:
  void distribute(Transfer& transfer, Time available);

  DmaTiming timing_;
  Actor actor_;
  Wiring wiring_;
  std::size_t depth_;
  bool used_ = false;
  Time front_end_free_;
  Time last_usable_;
  std::uint64_t front_end_fs_ = 0;
  std::deque<Transfer*> outstanding_;  ///< In ring order; those that are done wait for their turn.
  std::vector<ProcessModule*> waiters_;
};

}  // namespace trnsim
