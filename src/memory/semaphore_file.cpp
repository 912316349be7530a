// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "memory/semaphore_file.hpp"

#include <algorithm>

namespace trnsim {
namespace {

constexpr std::size_t kInitialTimes = 256;

}  // namespace

SemaphoreFile::SemaphoreFile(sc_core::sc_module_name name, std::size_t actors) : sc_module(name), counters_(actors) {
  for (Counter& counter : counters_) counter.times.resize(kInitialTimes);
}

void SemaphoreFile::drop_settled(Counter& counter) {
  const Time present = now();
  while (counter.first <= counter.known && counter.at(counter.first) <= present) ++counter.first;
}

void SemaphoreFile::make_room(Counter& counter) {
  drop_settled(counter);
  if (counter.known + 1 - counter.first < counter.times.size()) return;
  std::vector<Time> larger(2 * counter.times.size());
  for (std::uint64_t c = counter.first; c <= counter.known; ++c) larger[c & (larger.size() - 1)] = counter.at(c);
  counter.times.swap(larger);
}

void SemaphoreFile::complete(Actor actor, Time visible, Time usable) {
  Counter& counter = counters_[actor];
  last_visible_ = std::max(last_visible_, visible);
  if (counter.known + 1 - counter.first >= counter.times.size()) make_room(counter);
  // A semaphore counts in order: a quick instruction behind a slow one is not seen before it.
  if (counter.known >= counter.first) usable = std::max(usable, counter.at(counter.known));
  counter.at(++counter.known) = usable;
  if (counter.waiters.empty()) return;
  std::erase_if(counter.waiters, [&](const Waiter& waiter) {
    if (waiter.count > counter.known) return false;
    waiter.module->wake_at(usable);
    return true;
  });
}

std::optional<Time> SemaphoreFile::reached(Actor actor, std::uint64_t count) {
  Counter& counter = counters_[actor];
  if (count > counter.known) return std::nullopt;
  return count < counter.first ? Time{} : counter.at(count);
}

void SemaphoreFile::wait_for(Actor actor, std::uint64_t count, ProcessModule& waiter) {
  counters_[actor].waiters.push_back({count, &waiter});
}

std::uint64_t SemaphoreFile::settled(Actor actor) const {
  Counter& counter = counters_[actor];
  drop_settled(counter);
  return counter.first - 1;
}

}  // namespace trnsim
