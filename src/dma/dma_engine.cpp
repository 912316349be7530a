// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "dma/dma_engine.hpp"

#include <algorithm>

#include "trnsim/observer.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kChunk = 1024;

}  // namespace

void DmaAccount::book(Time from, Time duration) {
  counters.engine_busy_fs += duration.value;
  const std::uint64_t end = from.value + duration.value;
  if (end <= active_until_fs) return;
  counters.active_fs += end - std::max(active_until_fs, from.value);
  active_until_fs = end;
}

DmaEngine::DmaEngine(sc_core::sc_module_name name, const DmaConfig& config, std::uint32_t core, DmaAccount& account, Context& context,
                     std::uint32_t number)
    : ProcessModule(name, context),
      config_(config),
      timing_(config),
      core_(core),
      number_(number),
      account_(&account),
      rings_(config.rings_per_engine),
      in_flight_(std::max<std::uint64_t>(1, config.outstanding_bytes / kChunk)) {
  start(run());
}

void DmaEngine::enqueue(Transfer& transfer, TransferListener& listener, std::uint64_t begin, std::uint64_t end, Time available) {
  rings_[transfer.ring].jobs.push_back({&transfer, &listener, begin, end, available, begin, Time{}});
  wake_at(available);
}

Process DmaEngine::run() {
  for (;;) {
    Ring* ring = pick(now());
    if (ring == nullptr) {
      const Time next = next_available();
      auto suspension = woken();
      if (next != kForever) wake_at(next);
      co_await suspension;
      continue;
    }
    Job& job = ring->jobs.front();
    const Time next = move_chunk(job);
    co_await until(next);
    if (job.position < job.end) continue;
    if (context().observer != nullptr) {
      const MovedPart part{core_, number_, job.transfer->ring, job.transfer->sequence, std::max(job.last_data, now())};
      context().observer->moved(part);
    }
    job.listener->part_done(*job.transfer, std::max(job.last_data, now()));
    ring->jobs.pop_front();
  }
}

DmaEngine::Ring* DmaEngine::pick(Time present) {
  const auto ready = [&](const Ring& ring) { return !ring.jobs.empty() && ring.jobs.front().available <= present; };
  if (packet_left_ > 0 && ready(rings_[turn_])) return &rings_[turn_];
  for (std::size_t i = 1; i <= rings_.size(); ++i) {
    const std::size_t candidate = (turn_ + i) % rings_.size();
    if (!ready(rings_[candidate])) continue;
    turn_ = candidate;
    packet_left_ = config_.packet_bytes;
    return &rings_[candidate];
  }
  return nullptr;
}

Time DmaEngine::next_available() const {
  Time next = kForever;
  for (const Ring& ring : rings_) {
    if (!ring.jobs.empty()) next = std::min(next, ring.jobs.front().available);
  }
  return next;
}

std::uint64_t DmaEngine::descriptor_bytes(const Job& job) const {
  const Transfer& t = *job.transfer;
  const std::uint64_t in_row = job.position % t.row_bytes;
  std::uint64_t bytes = std::min(job.end - job.position, t.row_bytes - in_row);
  bytes = std::min<std::uint64_t>({bytes, t.chip_run - in_row % t.chip_run, config_.max_descriptor_bytes});
  if (t.source_hbm) bytes = std::min(bytes, t.source.locate(job.position).bytes);
  for (const ByteStream& source : t.further_sources) bytes = std::min(bytes, source.locate(job.position).bytes);
  if (t.destination_hbm) bytes = std::min(bytes, t.destination.locate(job.position).bytes);
  return bytes;
}

/// Moves up to one chunk, several descriptors if they are short; returns when the next may start.
Time DmaEngine::move_chunk(Job& job) {
  const Time begin = now();
  std::uint64_t budget = kChunk;
  Time engine_time;
  Time earliest_next = begin;
  while (budget > 0 && job.position < job.end) earliest_next = std::max(earliest_next, move_piece(job, budget, engine_time));
  account_->book(begin, engine_time);
  const std::uint64_t moved = kChunk - budget;
  packet_left_ -= std::min(packet_left_, moved);
  const Time next = std::max(earliest_next, begin + engine_time);
  if (context().observer != nullptr) {
    const Transfer& t = *job.transfer;
    const MovedChunk chunk{core_, number_, t.ring, t.sequence, begin, engine_time, next, job.last_data, moved};
    context().observer->moved(chunk);
  }
  return next;
}

Time DmaEngine::payload(const Transfer& t, std::uint64_t bytes) const {
  if (t.transpose) return timing_.transposed_payload(bytes, t.element_bytes, t.source_hbm);
  return t.sources > 1 ? timing_.computed_payload(bytes * t.sources) : timing_.payload(bytes);
}

/// Reserves a read; returns when the next may be asked for and moves `data_at` to its arrival.
Time DmaEngine::read_hbm(const ByteStream& source, std::uint64_t position, std::uint64_t bytes, Time& data_at) {
  const std::uint64_t in_memory = source.memory_bytes(bytes);
  const HbmReservation read = hbm->access(core_, source.locate(position).address, static_cast<std::uint32_t>(in_memory), false);
  account_->counters.hbm_read_bytes += in_memory;
  if (source.border) account_->counters.input_read_bytes += in_memory;
  data_at = std::max(data_at, read.done);
  return std::max(read.accepted, in_flight_limit(read.done));
}

Time DmaEngine::move_piece(Job& job, std::uint64_t& budget, Time& engine_time) {
  Transfer& t = *job.transfer;
  if (job.position == job.descriptor_end) {
    job.descriptor_end = job.position + descriptor_bytes(job);
    engine_time += timing_.descriptor() * t.sources;
    account_->counters.descriptors += t.sources;
  }
  const std::uint64_t bytes = std::min(budget, job.descriptor_end - job.position);
  engine_time += payload(t, bytes);
  Time earliest_next;
  Time data_at = now() + engine_time;
  if (t.source_hbm) earliest_next = read_hbm(t.source, job.position, bytes, data_at);
  for (const ByteStream& source : t.further_sources)
    earliest_next = std::max(earliest_next, read_hbm(source, job.position, bytes, data_at));
  if (t.destination_hbm) {
    const std::uint64_t in_memory = t.destination.memory_bytes(bytes);
    const HbmReservation write =
        hbm->access(core_, t.destination.locate(job.position).address, static_cast<std::uint32_t>(in_memory), true);
    account_->counters.hbm_write_bytes += in_memory;
    if (t.destination.border) account_->counters.output_write_bytes += in_memory;
    earliest_next = std::max(earliest_next, write.accepted);
    data_at = std::max(data_at, write.done);
  }
  job.last_data = std::max(job.last_data, data_at);
  job.position += bytes;
  budget -= bytes;
  account_->counters.completed_bytes += bytes;
  return earliest_next;
}

/// Remembers a read in flight; the next one has to wait until the oldest has arrived.
Time DmaEngine::in_flight_limit(Time data_at) {
  in_flight_[oldest_] = data_at;
  oldest_ = (oldest_ + 1) % in_flight_.size();
  return in_flight_[oldest_];
}

}  // namespace trnsim
