// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "engine/tensor_engine.hpp"

#include <algorithm>
#include <bit>

namespace trnsim {

TensorEngine::TensorEngine(sc_core::sc_module_name name, const Parts& parts, const TensorConfig& config, Context& context)
    : Engine(name, parts, context), config_(config), ramp_(config), cycle_fs_(parts.clock.time_of(Cycles{1'000'000}).value / 1'000'000) {}

Cycles TensorEngine::latest(const std::array<Cycles, kBlocks>& times, std::uint16_t region) const {
  Cycles result;
  for (unsigned b = 0; b < kBlocks; ++b) {
    if ((region >> b & 1U) != 0) result = std::max(result, times[b]);
  }
  return result;
}

void TensorEngine::set(std::array<Cycles, kBlocks>& times, std::uint16_t region, Cycles value) {
  for (unsigned b = 0; b < kBlocks; ++b) {
    if ((region >> b & 1U) != 0) times[b] = value;
  }
}

Cycles TensorEngine::earliest(const Step& step, const Ready& load, const Ready& ready) {
  const ArrayWork& work = step.work;
  const bool background = work.transpose && config_.background_transpose;
  load_start_ = load_end_ = Cycles{};
  if (work.load_cycles > 0) {
    const Cycles shadow = background ? Cycles{} : latest(shadow_free_, work.region);
    load_start_ = std::max({load_free_, shadow, load.at});
    load_end_ = load_start_ + Cycles{work.load_cycles};
  }
  const Cycles path = background ? transpose_free_ : latest(multiply_free_, work.region);
  return std::max({path, issue_free_, load_end_, ready.at});
}

std::uint64_t TensorEngine::latest_number(const std::array<Cycles, kBlocks>& times, std::uint16_t region) const {
  Cycles last;
  std::uint64_t number = 0;
  for (unsigned b = 0; b < kBlocks; ++b) {
    if ((region >> b & 1U) == 0 || times[b] < last) continue;
    last = times[b];
    number = block_numbers_[b];
  }
  return number;
}

StartedBy TensorEngine::load_cause(const Step& step, const Ready& load) const {
  const auto self = static_cast<std::uint8_t>(EngineKind::Tensor);
  if (load_start_ == load.at && load.wait.count != 0) return cause_of(load.wait, true);
  const bool background = step.work.transpose && config_.background_transpose;
  if (!background && load_start_ > load_free_) return {StartCause::Shadow, self, latest_number(shadow_free_, step.work.region)};
  return {load_number_ == 0 ? StartCause::None : StartCause::LoadPath, self, load_number_};
}

StartedBy TensorEngine::cause(const Step& step, Cycles start, const Ready& load, const Ready& ready) const {
  const auto self = static_cast<std::uint8_t>(EngineKind::Tensor);
  const bool background = step.work.transpose && config_.background_transpose;
  const Cycles path = background ? transpose_free_ : latest(multiply_free_, step.work.region);
  if (start == path && start > Cycles{}) {
    return {StartCause::EngineFree, self, background ? transpose_number_ : latest_number(multiply_free_, step.work.region)};
  }
  if (start == issue_free_ && start > Cycles{}) return {StartCause::ArrayIssue, self, number() - 1};
  if (start == load_end_ && start > Cycles{}) return load_cause(step, load);
  return cause_of(ready, Cycles{});
}

void TensorEngine::observe(const Step& step, Cycles start, Cycles interval) {
  ExecutedInstruction& seen = *observed();
  seen.start = clock().time_of(start);
  seen.free = clock().time_of(start + interval);
  if (step.work.load_cycles > 0) {
    seen.load_from = clock().time_of(load_start_);
    seen.load_until = clock().time_of(load_end_);
    load_number_ = number();
  }
  if (step.work.transpose && config_.background_transpose) {
    transpose_number_ = number();
    return;
  }
  for (unsigned b = 0; b < kBlocks; ++b) {
    if ((step.work.region >> b & 1U) != 0) block_numbers_[b] = number();
  }
}

Cycles TensorEngine::active(const Step& step) const {
  const std::uint64_t streaming = (step.cost.interval - step.cost.issue).value;
  return Cycles{ceil_div(streaming * step.work.rows * step.work.columns, std::uint64_t{config_.rows} * config_.columns)};
}

void TensorEngine::execute(const Step& step, Cycles start, const Ready& load, const Ready& ready) {
  const ArrayWork& work = step.work;
  const Cycles interval = ramp_.stretch(clock().time_of(start), step.cost.interval, active(step), cycle_fs_);
  book(step, start, interval, load, ready);
  if (work.load_cycles > 0) load_free_ = load_end_;
  issue_free_ = start + Cycles{config_.load_min_cycles};
  if (work.transpose && config_.background_transpose) {
    transpose_free_ = start + interval;
  } else {
    set(multiply_free_, work.region, start + interval);
    set(shadow_free_, work.region, start);
  }
  if (observed() != nullptr) observe(step, start, interval);
  count_array(step, start);
  announce(start + step.cost.latency + (interval - step.cost.interval));
}

void TensorEngine::book(const Step& step, Cycles start, Cycles interval, const Ready& load, const Ready& ready) {
  TimeSplit& time = account();
  if (start > time.booked()) {
    // Up to the exposed part of LoadStationary the wait is the load's, behind it the multiply's.
    if (step.work.load_cycles > 0 && load_end_ > time.booked()) {
      time.stall(load.reason, load_start_);
      time.busy(std::min(load_end_, start));
    }
    time.stall(ready.reason, start);
  }
  time.busy(start + step.cost.interval - step.cost.issue);
  time.stall(StallReason::Issue, start + step.cost.interval);
  time.stall(StallReason::Throttle, start + interval);
}

void TensorEngine::count_array(const Step& step, Cycles start) {
  const ArrayWork& work = step.work;
  const std::uint64_t slots_per_column =
      std::uint64_t{config_.rows} * config_.columns * static_cast<unsigned>(std::popcount(work.region)) / kBlocks;
  const std::uint64_t columns = std::uint64_t{work.moving} * work.k_values;
  const std::uint64_t used = std::uint64_t{work.rows} * work.columns;
  const auto type = static_cast<std::size_t>(work.dtype);
  tensor_.macs[type] += used * columns;
  tensor_.idle_slot_macs[type] += (slots_per_column > used ? slots_per_column - used : 0) * columns;
  if (work.double_row) tensor_.double_row_macs += used * columns;
  if (work.transpose) {
    tensor_.transpose_macs[type] += used * columns;
  } else if (work.onezero) {
    tensor_.onezero_macs += used * columns;
  }
  const Cycles streaming = start + step.cost.latency - Cycles{config_.pipe_latency_cycles};
  if (streaming > array_until_) {
    const Cycles from = std::max(array_until_, start);
    tensor_.array_cycles += (streaming - from).value;
    if (ExecutedInstruction* seen = observed()) {
      seen->array_cycles = streaming - from;
      seen->array_from = clock().time_of(from);
      seen->array_until = clock().time_of(streaming);
    }
    array_until_ = streaming;
  }
  ++tensor_.matmuls;
  ++(work.load_cycles > 0 ? tensor_.loads : tensor_.loads_skipped);
  tensor_.load_elements += work.load_elements;
  if (work.accumulate) tensor_.accumulate_elements += std::uint64_t{work.columns} * work.moving;
}

}  // namespace trnsim
