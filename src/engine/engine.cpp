// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/transfer.hpp"

namespace trnsim {
namespace {

std::string actor_name(unsigned actor) {
  if (actor < kEngineCount) return std::string(name_of(static_cast<EngineKind>(actor)));
  return fmt::format("DMA ring {}", actor - kFirstRing);
}

std::string described(const Step& step) {
  return step.line == 0 ? std::string(info(step.op).name) : fmt::format("{} (line {})", info(step.op).name, step.line);
}

}  // namespace

Engine::Engine(sc_core::sc_module_name name, const Parts& parts, Context& context) : ProcessModule(name, context), parts_(parts) {
  if (context.observer != nullptr) {
    watch_ = std::make_unique<Watch>();
    watch_->observer = context.observer;
    account_.record(&watch_->booked);
  }
  start(run());
}

Process Engine::run() {
  for (;;) {
    current_ = supply->front(parts_.kind, *this);
    if (current_ == nullptr) {
      if (supply->exhausted(parts_.kind)) co_return;
      co_await woken();
      continue;
    }
    const Step& step = *current_;
    if (parts_.sources != nullptr) account_.charge(&source_of(step).engines[static_cast<std::size_t>(parts_.kind)]);
    if (watch_) begin_watch(step);
    arrive(step);
    Ready load, ready;
    unsigned next = 0;
    while (!collect(step, next, load, ready)) co_await woken();
    if (step.transfer != nullptr) {
      if (watch_) watch_->seen.cause = cause_of(ready, account_.booked());
      Cycles start = std::max(account_.booked(), ready.at);
      account_.stall(ready.reason, start);
      co_await until(clock().time_of(start));
      DmaRingIf& ring = *rings[static_cast<int>(step.transfer->ring)];
      while (ring.full()) {
        ring.wait_for_room(*this);
        co_await woken();
        start = std::max(start, clock().edge_at_or_after(now()));
        if (watch_) watch_->seen.cause = {StartCause::RingRoom, step.transfer->ring, step.transfer->sequence - ring.depth()};
      }
      trigger(step, start);
    } else if (step.sequencer) {
      if (watch_) watch_->seen.cause = cause_of(ready, std::max(account_.booked(), held_));
      const Cycles start = std::max({account_.booked(), held_, ready.at});
      if (clock().time_of(start) > context().limit) co_await until(clock().time_of(start));
      control(step, start, ready.reason);
    } else {
      load.later(held_, StallReason::WaitEngine);
      ready.later(held_, StallReason::WaitEngine);
      Cycles start = earliest(step, load, ready);
      const bool at_own_time = shared(step);
      if (at_own_time || clock().time_of(start) > context().limit) co_await until(clock().time_of(start));
      for (Cycles granted = start; at_own_time && (granted = admit(step, start)) != start;) {
        start = granted;
        co_await until(clock().time_of(start));
      }
      if (watch_) watch_->seen.cause = cause(step, start, load, ready);
      execute(step, start, load, ready);
    }
    if (watch_) end_watch(true);
    count(step);
    current_ = nullptr;
    supply->pop(parts_.kind);
  }
}

/// Adds the completion times of the step's waits from `next` on; false if one is not known yet.
bool Engine::collect(const Step& step, unsigned& next, Ready& load, Ready& ready) {
  const auto take = [&](const Wait& wait) {
    const auto t = semaphores->reached(static_cast<Actor>(wait.actor), wait.count);
    if (!t) {
      blocking_ = wait;
      semaphores->wait_for(static_cast<Actor>(wait.actor), wait.count, *this);
      return false;
    }
    const Cycles at = clock().edge_at_or_after(*t);
    if (wait.for_load) load.later(at, static_cast<StallReason>(wait.reason), wait);
    ready.later(at, static_cast<StallReason>(wait.reason), wait);
    return true;
  };
  for (; next < step.forward_count; ++next) {
    const auto wait = supply->resolve(step.forward_ids[next]);
    missing_id_ = wait ? 0 : step.forward_ids[next];
    if (!wait || !take(*wait)) return false;
  }
  for (; next < unsigned{step.forward_count} + step.wait_count; ++next) {
    if (!take(step.waits[next - step.forward_count])) return false;
  }
  return true;
}

/// Nothing behind it in the queue starts before it is done.
void Engine::control(const Step& step, Cycles start, StallReason reason) {
  account_.stall(reason, start);
  if (watch_) watch_->seen.start = clock().time_of(start);
  held_ = start + std::max(clock().cycles_of(step.control), step.cost.interval);
  account_.busy(held_);
  if (watch_) watch_->seen.free = clock().time_of(held_);
  announce(held_);
}

void Engine::trigger(const Step& step, Cycles start) {
  account_.stall(StallReason::QueueFull, start);
  const Cycles busy = trigger_cycles(step);
  account_.busy(start + busy);
  if (watch_) {
    watch_->seen.start = clock().time_of(start);
    watch_->seen.free = clock().time_of(start + busy);
    watch_->seen.ring = step.transfer->ring;
    watch_->seen.copy = step.transfer->sequence;
  }
  if (parts_.sources != nullptr) source_of(step).dma_bytes += step.transfer->bytes();
  rings[static_cast<int>(step.transfer->ring)]->trigger(*step.transfer);
  announce(start + busy);
}

Cycles Engine::trigger_cycles(const Step& step) const {
  const Transfer& transfer = *step.transfer;
  Time duration = parts_.dma.trigger(transfer.mode);
  if (transfer.mode == DgeMode::Software) {
    duration += parts_.dma.generation(transfer.mode, transfer.rows * ceil_div(transfer.row_bytes, transfer.chip_run));
  }
  return clock().cycles_of(duration);
}

void Engine::announce(Cycles visible) {
  const Time t = clock().time_of(visible);
  if (watch_) {
    watch_->seen.visible = t;
    watch_->seen.usable = watch_->usable = std::max(watch_->usable, t + parts_.semaphore_hop);
  }
  if (parts_.sources != nullptr) parts_.sources->complete(now(), t, current_->source);
  semaphores->complete(actor_of(parts_.kind), t, t + parts_.semaphore_hop);
}

void Engine::count(const Step& step) {
  ++counters_.instructions;
  if (parts_.sources != nullptr) ++source_of(step).instructions;
  traffic_.sbuf_read += step.sbuf_read;
  traffic_.sbuf_write += step.sbuf_write;
  traffic_.psum_read += step.psum_read;
  traffic_.psum_write += step.psum_write;
  ++counters_.charges[static_cast<std::size_t>(step.cost.charge)];
  if (step.transfer != nullptr) return;
  counters_.op_cycles[static_cast<std::size_t>(step.op)] += step.cost.interval.value;
  if (step.function) counters_.function_cycles[static_cast<std::size_t>(*step.function)] += step.cost.interval.value;
  if (step.cost.floored) {
    ++counters_.floored;
  } else {
    counters_.charge_cycles[static_cast<std::size_t>(step.cost.charge)] += (step.cost.interval - step.cost.issue).value;
  }
  counters_.operand_reads += step.cost.operand_reads;
  counters_.read_outs += step.cost.read_out ? 1 : 0;
  counters_.latency_cycles += step.cost.latency.value;
  counters_.elements += step.elements;
  if (step.cost.fast) counters_.fast_elements += step.elements;
  if (step.exponential) counters_.exponential_elements += step.elements;
}

void Engine::begin_watch(const Step& step) {
  watch_->seen = ExecutedInstruction{};
  watch_->seen.core = parts_.core;
  watch_->seen.engine = parts_.kind;
  watch_->seen.number = number();
  watch_->seen.op = step.op;
  watch_->seen.line = step.line;
}

void Engine::end_watch(bool started) {
  Watch& watch = *watch_;
  watch.intervals.clear();
  for (const BookedInterval& b : watch.booked)
    watch.intervals.push_back({b.busy, b.reason, b.to - b.from, clock().time_of(b.from), clock().time_of(b.to)});
  watch.booked.clear();
  watch.seen.started = started;
  watch.seen.intervals = watch.intervals;
  watch.observer->executed(watch.seen);
}

StartedBy Engine::cause_of(const Wait& wait, bool load) {
  const auto actor = static_cast<std::uint8_t>(wait.actor);
  if (actor < kFirstRing) return {load ? StartCause::LoadResult : StartCause::Result, actor, wait.count};
  return {load ? StartCause::LoadCopy : StartCause::Copy, static_cast<std::uint8_t>(actor - kFirstRing), wait.count};
}

StartedBy Engine::cause_of(const Ready& ready, Cycles engine_free) const {
  if (ready.at > engine_free && ready.wait.count != 0) return cause_of(ready.wait, false);
  if (number() == 1) return {};
  return {StartCause::EngineFree, static_cast<std::uint8_t>(parts_.kind), number() - 1};
}

EngineCounters Engine::finish(Time end) {
  if (watch_ && !watch_->booked.empty()) end_watch(false);  // stopped before its instruction could start
  const EngineCounters account = account_.finish(clock().edge_at_or_after(end));
  EngineCounters result = counters_;
  result.elapsed_cycles = account.elapsed_cycles;
  result.busy_cycles = account.busy_cycles;
  result.idle_cycles = account.idle_cycles;
  result.stall_cycles = account.stall_cycles;
  return result;
}

std::string Engine::waiting_for() const {
  if (current_ == nullptr) return {};
  const std::string what = fmt::format("{} engine at {}", name_of(parts_.kind), described(*current_));
  if (missing_id_ != 0) return fmt::format("{} waits for instruction id {}, which the program does not have", what, missing_id_);
  const Step* awaited = supply->awaited(blocking_);
  return fmt::format("{} waits for {}{} {} of {}", what, awaited == nullptr ? std::string{} : described(*awaited) + ", ",
                     blocking_.actor < kEngineCount ? "instruction" : "copy", std::uint64_t{blocking_.count}, actor_name(blocking_.actor));
}

}  // namespace trnsim
