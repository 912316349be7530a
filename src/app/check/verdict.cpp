// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

constexpr std::array<std::string_view, 12> kNames{"ok",   "slower",    "improvement", "energy",  "traffic",   "new",
                                                  "zero", "truncated", "refused",     "crashed", "timed out", "out of memory"};

std::string allowed(const Tolerance& tolerance) {
  if (tolerance.rel_ppb == 0 && tolerance.min_cycles == 0) return "must be equal";
  return fmt::format("allowed {:g} % or {} cycles", static_cast<double>(tolerance.rel_ppb) / 1e7, tolerance.min_cycles);
}

Verdict verdict_of(JobEnd end) {
  switch (end) {
    case JobEnd::Done: return Verdict::Ok;
    case JobEnd::Refused: return Verdict::Refused;
    case JobEnd::Crashed: return Verdict::Crashed;
    case JobEnd::TimedOut: return Verdict::TimedOut;
    case JobEnd::OutOfMemory: return Verdict::OutOfMemory;
  }
  return Verdict::Crashed;
}

/// Cycles of another clock as those of the run's that take the same time, and a note on that.
std::uint64_t same_clock(const CheckedCase& checked, std::uint64_t expected, std::string& note) {
  const GoldenValues& now = checked.run.values;
  const double clock = checked.golden->clock_ghz.value_or(now.clock_ghz);
  if (clock == now.clock_ghz) return expected;
  note = fmt::format("; times are compared, {} and {}: the {} expected cycles are of a Tensor clock of {} GHz, those of the run of {} GHz",
                     time_text(static_cast<double>(expected) / clock), time_text(now.time_ns), expected, clock, now.clock_ghz);
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(expected) * now.clock_ghz / clock));
}

void compare_cycles(CheckedCase& checked, std::uint64_t recorded) {
  std::string note;
  const std::uint64_t got = checked.run.values.cycles, expected = same_clock(checked, recorded, note);
  if (!note.empty()) checked.reason = "as fast as expected" + note;
  if (!exceeds(expected, got, checked.tolerance)) return;
  checked.verdict = got > expected ? Verdict::Slower : Verdict::Improvement;
  const std::string change = percent_change(static_cast<double>(expected), static_cast<double>(got));
  checked.reason = got > expected ? fmt::format("slower by {} cycles ({}), {}", got - expected, change, allowed(checked.tolerance))
                                  : fmt::format("improvement, update the golden file: {} cycles fewer ({}), {}", expected - got, change,
                                                allowed(checked.tolerance));
  checked.reason += note;
}

void compare_rest(CheckedCase& checked) {
  const GoldenCase& golden = *checked.golden;
  const GoldenValues& got = checked.run.values;
  const Tolerance tolerance{checked.tolerance.rel_ppb, 0};
  if (golden.dma_bytes && exceeds(*golden.dma_bytes, got.dma_bytes, tolerance)) {
    checked.verdict = Verdict::Traffic;
    checked.reason = fmt::format("DMA moved {} bytes instead of {}", got.dma_bytes, *golden.dma_bytes);
  } else if (golden.energy_pj && exceeds(*golden.energy_pj, got.energy_pj, tolerance)) {
    checked.verdict = Verdict::Energy;
    checked.reason = fmt::format("energy is {} pJ instead of {} ({})", got.energy_pj, *golden.energy_pj,
                                 percent_change(*golden.energy_pj, got.energy_pj));
  }
}

}  // namespace

std::string_view name_of(Verdict verdict) { return kNames[static_cast<std::size_t>(verdict)]; }

std::string percent_change(double before, double after) {
  if (before == after) return "0 %";
  return before == 0 ? "from 0" : fmt::format("{:+.4g} %", (after / before - 1) * 100);
}

void judge(CheckedCase& checked) {
  checked.verdict = verdict_of(checked.run.end);
  checked.reason = checked.run.error;
  if (checked.run.end != JobEnd::Done) return;
  if (!checked.run.truncated.empty()) {
    checked.verdict = Verdict::Truncated;
    checked.reason = checked.run.truncated + ": not the cycles of the whole run";
  } else if (checked.run.values.cycles == 0) {
    checked.verdict = Verdict::Zero;
    checked.reason = "the run took no cycle";
  } else if (!checked.golden->cycles) {
    checked.verdict = Verdict::New;
    checked.reason = "no expected cycles; --update records them";
  } else {
    compare_cycles(checked, *checked.golden->cycles);
    if (checked.verdict == Verdict::Ok) compare_rest(checked);
  }
}

bool fails(Verdict verdict, const CheckPolicy& policy) {
  return verdict != Verdict::Ok && (verdict != Verdict::Improvement || policy.improvements_fail);
}

std::size_t CheckReport::failures() const {
  return static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), [this](const CheckedCase& one) { return failed(one); }));
}

std::size_t CheckReport::notes() const {
  return policy.improvements_fail ? 0 : static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), [](const CheckedCase& one) {
    return one.verdict == Verdict::Improvement;
  }));
}

}  // namespace trnsim::app
