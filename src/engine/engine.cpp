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
    arrive(step);
    Ready load, ready;
    unsigned next = 0;
    while (!collect(step, next, load, ready)) co_await woken();
    if (step.transfer != nullptr) {
      Cycles start = std::max(account_.booked(), ready.at);
      account_.stall(ready.reason, start);
      co_await until(clock().time_of(start));
      DmaRingIf& ring = *rings[static_cast<int>(step.transfer->ring)];
      while (ring.full()) {
        ring.wait_for_room(*this);
        co_await woken();
        start = std::max(start, clock().edge_at_or_after(now()));
      }
      trigger(step, start);
    } else if (step.sequencer) {
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
      execute(step, start, load, ready);
    }
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
    if (wait.for_load) load.later(at, static_cast<StallReason>(wait.reason));
    ready.later(at, static_cast<StallReason>(wait.reason));
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
  held_ = start + std::max(clock().cycles_of(step.control), step.cost.interval);
  account_.busy(held_);
  announce(held_);
}

void Engine::trigger(const Step& step, Cycles start) {
  account_.stall(StallReason::QueueFull, start);
  const Cycles busy = trigger_cycles(step);
  account_.busy(start + busy);
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

EngineCounters Engine::finish(Time end) {
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
