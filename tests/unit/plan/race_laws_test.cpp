// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Races of random programs, held against a search through all pairs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

#include "support/program_builder.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/error.hpp"
#include "trnsim/races.hpp"

namespace trnsim {
namespace {

using test::ListProgram;
using test::ProgramBuilder;

const ChipConfig& chip() {
  static const ChipConfig config = [] {
    std::vector<std::string> warnings;
    return load_chip("trn2", {}, warnings);
  }();
  return config;
}

/// One instruction: a copy from a range to another on an engine, or on a DMA ring of Sync.
struct Step {
  unsigned queue = 0;  ///< 0 to 2: Vector, Scalar, GpSimd; 3, 4: rings.
  std::uint32_t from = 0, to = 0, columns = 1;
  std::vector<std::size_t> after;
  [[nodiscard]] bool ring() const { return queue >= 3; }
};

constexpr std::uint32_t kBytes = 24;

/// `forward`: an `after` may name a later instruction, which may make a cycle.
std::vector<Step> random_steps(bool forward = false) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 14);
  std::vector<Step> steps(count);
  for (std::size_t k = 0; k < count; ++k) {
    steps[k].queue = *rc::gen::inRange(0U, 5U);
    steps[k].columns = *rc::gen::inRange(1U, 8U);
    steps[k].from = *rc::gen::inRange(0U, kBytes - 8);
    steps[k].to = *rc::gen::inRange(0U, kBytes - 8);
    const std::size_t names = forward ? count : k;
    if (names > 0 && *rc::gen::inRange(0, 3) == 0) steps[k].after.push_back(*rc::gen::inRange<std::size_t>(0, names));
  }
  return steps;
}

std::unique_ptr<ListProgram> program_of(const std::vector<Step>& steps) {
  ProgramBuilder b;
  const TensorId tile = b.tile(Buffer::Sbuf, 1, kBytes, 4090);  // across a border between granules
  const auto place = [&](std::uint32_t at, std::uint32_t columns) {
    return ProgramBuilder::on_chip(tile, Buffer::Sbuf, 1, columns, DType::Uint8, at);
  };
  constexpr std::array kEngines{EngineKind::Vector, EngineKind::Scalar, EngineKind::GpSimd, EngineKind::Sync, EngineKind::Sync};
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& s = steps[k];
    Instruction& i =
        b.add(s.ring() ? Opcode::DmaCopy : Opcode::TensorCopy, kEngines[s.queue], {place(s.to, s.columns), place(s.from, s.columns)});
    if (s.ring()) i.ring = static_cast<std::uint8_t>(s.queue - 3);
    i.id = k + 1;
    for (const std::size_t a : s.after) i.after[i.after_count++] = a + 1;
  }
  return b.take();
}

bool same_engine(const Step& a, const Step& b) { return a.queue == b.queue || (a.ring() && b.ring()); }
bool touch(std::uint32_t a, std::uint32_t b, std::uint32_t size_a, std::uint32_t size_b) { return a < b + size_b && b < a + size_a; }

/// Starts and ends as nodes 2k and 2k + 1; which are sure to come before which.
std::vector<std::vector<bool>> order_of(const std::vector<Step>& steps) {
  const std::size_t n = 2 * steps.size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  for (std::size_t k = 0; k < steps.size(); ++k) {
    before[2 * k][2 * k + 1] = true;
    for (const std::size_t a : steps[k].after) before[2 * a + 1][2 * k] = true;
    for (std::size_t e = 0; e < k; ++e) {
      if (!same_engine(steps[e], steps[k])) continue;
      before[2 * e][2 * k] = true;
      if (!steps[e].ring()) before[2 * e + 1][2 * k] = true;
      if (steps[e].queue == steps[k].queue) before[2 * e + 1][2 * k + 1] = true;
    }
  }
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n && before[a][m]; ++b) before[a][b] = before[a][b] || before[m][b];
    }
  }
  return before;
}

bool any_cycle(const std::vector<Step>& steps) {
  const auto before = order_of(steps);
  for (std::size_t n = 0; n < before.size(); ++n) {
    if (before[n][n]) return true;
  }
  return false;
}

bool any_race(const std::vector<Step>& steps) {
  const auto before = order_of(steps);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    for (std::size_t e = 0; e < k; ++e) {
      const Step &x = steps[e], &y = steps[k];
      if (before[2 * e + 1][2 * k] || before[2 * k + 1][2 * e]) continue;
      const bool writes = touch(x.to, y.to, x.columns, y.columns);
      const bool others = touch(x.to, y.from, x.columns, y.columns) || touch(x.from, y.to, x.columns, y.columns);
      if (others || (writes && !before[2 * e + 1][2 * k + 1] && !before[2 * k + 1][2 * e + 1])) return true;
    }
  }
  return false;
}

RaceReport explicit_races(const std::vector<Step>& steps) {
  RaceReport report = find_races(*program_of(steps), chip(), {true, 10'000});
  const auto holes = std::erase_if(report.races, [](const Race& r) { return r.kind == RaceKind::NeverWritten; });
  report.found -= holes;
  return report;
}

RC_GTEST_PROP(RaceLaws, FoundWhereASearchThroughAllPairsFindsThem, ()) {
  const std::vector<Step> steps = random_steps();
  RC_CLASSIFY(any_race(steps));
  RC_ASSERT((explicit_races(steps).found != 0) == any_race(steps));
}

RC_GTEST_PROP(RaceLaws, TheProposedWaitsLeaveNone, ()) {
  std::vector<Step> steps = random_steps();
  for (const Race& race : explicit_races(steps).races) {
    RC_ASSERT(race.wait_line != 0 && race.wait_line < race.second.line);
    auto& after = steps[race.second.line - 1].after;
    if (std::ranges::find(after, race.wait_line - 1) == after.end()) after.push_back(race.wait_line - 1);
  }
  for (const Step& step : steps) RC_PRE(step.after.size() <= 4);
  RC_ASSERT(explicit_races(steps).found == 0);
  RC_ASSERT(!any_race(steps));
}

RC_GTEST_PROP(RaceLaws, WaitsForLaterLinesChangeNothingOfThat, ()) {
  std::vector<Step> steps = random_steps(true);
  if (any_cycle(steps)) {
    RC_ASSERT_THROWS_AS(explicit_races(steps), ProgramError);
    return;
  }
  RC_CLASSIFY(any_race(steps));
  const RaceReport report = explicit_races(steps);
  RC_ASSERT((report.found != 0) == any_race(steps));
  for (const Race& race : report.races) {
    auto& after = steps[race.second.line - 1].after;
    if (std::ranges::find(after, race.wait_line - 1) == after.end()) after.push_back(race.wait_line - 1);
  }
  for (const Step& step : steps) RC_PRE(step.after.size() <= 4);
  RC_ASSERT(!any_cycle(steps));
  RC_ASSERT(explicit_races(steps).found == 0);
}

}  // namespace
}  // namespace trnsim
