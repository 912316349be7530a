// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "dma/dma_ring.hpp"

#include <algorithm>

namespace trnsim {
namespace {

constexpr std::uint64_t kSplitUnit = 512;  ///< HBM to HBM copies are cut at multiples of it.

}  // namespace

DmaRing::DmaRing(sc_core::sc_module_name name, const DmaConfig& config, Actor actor, Wiring wiring)
    : sc_module(name), timing_(config), actor_(actor), wiring_(std::move(wiring)), depth_(config.ring_depth) {}

void DmaRing::trigger(Transfer& transfer) {
  outstanding_.push_back(&transfer);
  used_ = true;
  ++wiring_.account->counters.transfers;
  wiring_.account->counters.loads += transfer.source_hbm ? 1 : 0;
  wiring_.account->counters.issued_bytes += transfer.bytes();
  const Time front = std::max(now(), front_end_free_);
  const Time interval = timing_.issue_interval(transfer.mode);
  front_end_free_ = front + interval;
  front_end_fs_ += interval.value;
  const Time available = front + timing_.start(transfer.mode, transfer.source_hbm) + transfer.handshake;
  distribute(transfer, available);
  if (wiring_.observer == nullptr) return;
  wiring_.observer->triggered({wiring_.core, transfer.ring, transfer.sequence, now(), front, front_end_free_, available, transfer.bytes(),
                               transfer.engines_left, transfer.source_hbm, transfer.destination_hbm, transfer.line});
}

void DmaRing::distribute(Transfer& transfer, Time available) {
  const std::uint64_t engines = wiring_.engines.size();
  const bool by_partition = !(transfer.source_hbm && transfer.destination_hbm);
  const std::uint64_t share = ceil_div(ceil_div(transfer.bytes(), engines), kSplitUnit) * kSplitUnit;
  const auto begin_of = [&](std::uint64_t engine) {
    if (!by_partition) return std::min(engine * share, transfer.bytes());
    const std::uint64_t partition = engine * wiring_.partitions / engines;
    if (partition <= transfer.first_partition) return std::uint64_t{0};
    const std::uint64_t row = ceil_div(partition - transfer.first_partition, transfer.partition_step);
    return std::min<std::uint64_t>(row, transfer.rows) * transfer.row_bytes;
  };
  for (std::uint64_t e = 0; e < engines; ++e) {
    if (begin_of(e) < begin_of(e + 1)) ++transfer.engines_left;
  }
  for (std::uint64_t e = 0; e < engines; ++e) {
    if (begin_of(e) < begin_of(e + 1)) wiring_.engines[e]->enqueue(transfer, *this, begin_of(e), begin_of(e + 1), available);
  }
}

void DmaRing::part_done(Transfer& transfer, Time last_data) {
  transfer.last_data = std::max(transfer.last_data, last_data);
  if (--transfer.engines_left > 0) return;
  while (!outstanding_.empty() && outstanding_.front()->engines_left == 0) {
    Transfer& done = *outstanding_.front();
    last_usable_ = std::max(last_usable_, done.last_data + timing_.completion(done.destination_hbm));
    outstanding_.pop_front();
    semaphores->complete(actor_, last_usable_, last_usable_);
    if (wiring_.observer != nullptr) wiring_.observer->completed({wiring_.core, done.ring, done.sequence, done.last_data, last_usable_});
    if (wiring_.sources != nullptr) wiring_.sources->complete(now(), last_usable_, done.source_line);
    wiring_.recycle(done);
  }
  for (ProcessModule* waiter : waiters_) waiter->wake_at(now());
  waiters_.clear();
}

}  // namespace trnsim
