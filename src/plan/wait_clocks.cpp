// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/wait_clocks.hpp"

#include <algorithm>

namespace trnsim {

WaitClocks::WaitClocks(std::size_t actors) {
  for (std::size_t a = 0; a < actors; ++a) engine_of_.push_back(static_cast<Actor>(a));
  for (auto& clock : clocks_) clock.resize(actors);
}

Actor WaitClocks::add_ring(Actor engine) {
  engine_of_.push_back(engine);
  for (auto& clock : clocks_) clock.emplace_back();
  return static_cast<Actor>(engine_of_.size() - 1);
}

std::uint32_t WaitClocks::start(Actor engine) {
  clocks_[engine][engine].now = started_[engine];  // its own instructions follow each other
  return ++started_[engine];
}

void WaitClocks::learn(Actor engine, Actor about, std::uint32_t value) {
  Knowledge& knowledge = clocks_[engine][about];
  if (about == engine || knowledge.now >= value) return;
  knowledge.now = value;
  if (!knowledge.changes.empty() && knowledge.changes.back().at == started_[engine]) {
    knowledge.changes.back().value = value;
  } else {
    knowledge.changes.push_back({started_[engine], value});
  }
}

std::uint32_t WaitClocks::known_at(Actor engine, Actor about, std::uint32_t number) const {
  const auto& changes = clocks_[engine][about].changes;
  const auto after = std::upper_bound(changes.begin(), changes.end(), number, [](std::uint32_t n, const Change& c) { return n < c.at; });
  return after == changes.begin() ? 0 : std::prev(after)->value;
}

void WaitClocks::wait(Actor engine, const Completion& what) {
  if (knows(engine, what)) return;
  const Actor source = engine_of_[what.actor];
  learn(engine, what.actor, what.number);
  if (source == engine) return;
  // A copy starts after the instructions before its trigger.
  learn(engine, source, what.number);
  for (std::size_t about = 0; about < engine_of_.size(); ++about) {
    const auto actor = static_cast<Actor>(about);
    if (actor != source && actor != what.actor) learn(engine, actor, known_at(source, actor, what.number));
  }
}

bool WaitClocks::settled(const Completion& what) const {
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    const auto engine = static_cast<Actor>(e);
    if (started_[e] != 0 && engine != what.actor && !knows(engine, what)) return false;
  }
  return true;
}

}  // namespace trnsim
