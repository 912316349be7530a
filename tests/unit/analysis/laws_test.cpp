// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "analysis/columns.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

/// A possible run: up to eight cores, some matmuls and one copy that fits into the time.
Result any_result() {
  static const std::vector<ChipConfig> kChips{hand_made::chip("trn1"), hand_made::chip("trn2"), hand_made::chip("trn3")};
  const ChipConfig& chip = kChips[*rc::gen::inRange<std::size_t>(0, kChips.size())];
  const auto cores = *rc::gen::inRange<unsigned>(1, chip.chip.cores + 1);
  const auto tiles = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const auto kibibytes = *rc::gen::inRange<std::uint64_t>(0, tiles * 16);  // 16 KiB in 512 cycles is below every limit
  Snapshot run = hand_made::matmul_run(chip, tiles, kibibytes * 1024, cores);
  EngineCounters& vector = hand_made::engine(run, EngineKind::Vector);
  vector.busy_cycles = *rc::gen::inRange<std::uint64_t>(0, vector.elapsed_cycles + 1);
  vector.idle_cycles = vector.elapsed_cycles - vector.busy_cycles;
  vector.instructions = *rc::gen::inRange<std::uint64_t>(0, 1000);
  vector.elements = *rc::gen::inRange<std::uint64_t>(0, 1 << 30);
  vector.fast_elements = *rc::gen::inRange<std::uint64_t>(0, vector.elements + 1);
  const auto useful = *rc::gen::inRange<std::uint64_t>(0, tiles * 128 * 128 * 512 + 1);
  return make_result(chip, run, hand_made::matmul_context(useful, cores));
}

void in_unit_range(const std::optional<double>& value) { RC_ASSERT(!value || (*value >= 0 && *value <= 1)); }

RC_GTEST_PROP(ResultLaws, UtilisationsLieBetweenZeroAndOne, ()) {
  const Result r = any_result();
  for (const auto& value : {r.mfu, r.array_utilization, r.array_busy, r.dma_utilization, r.hbm_utilization, r.row_hit_rate})
    in_unit_range(value);
  for (const auto& [name, share] : r.bottleneck.shares) in_unit_range(share);
}

RC_GTEST_PROP(ResultLaws, SpatialUtilisationDoesNotExceedTemporal, ()) {
  const Result r = any_result();
  RC_ASSERT(*r.array_utilization <= *r.array_busy + 1e-9);
}

RC_GTEST_PROP(ResultLaws, EnergyComponentsAddUp, ()) {
  const Result r = any_result();
  double sum = 0;
  for (const auto& [name, pj] : r.energy.components_pj) {
    RC_ASSERT(pj >= 0);
    sum += pj;
  }
  RC_ASSERT(std::abs(sum - r.energy.total_pj) <= 1e-9 * sum);
  RC_ASSERT(r.energy.cores_used_pj <= r.energy.total_pj * (1 + 1e-12));
}

RC_GTEST_PROP(ResultLaws, NoBoundExceedsTheTime, ()) {
  const Result r = any_result();
  for (const auto& [name, bound] : r.bottleneck.bounds_ns) RC_ASSERT(bound <= r.time_ns * (1 + 1e-9) + 1e-3);
}

RC_GTEST_PROP(ResultLaws, CyclesCoverTheTime, ()) {
  const Result r = any_result();
  const double ns = static_cast<double>(r.cycles) / r.chip.tensor.clock_ghz;
  RC_ASSERT(ns >= r.time_ns - 1e-3);
  RC_ASSERT(ns < r.time_ns + 1 / r.chip.tensor.clock_ghz + 1e-3);
}

RC_GTEST_PROP(ResultLaws, TheFileIsReadableJsonWithoutNan, ()) {
  const std::string text = to_json(any_result());
  RC_ASSERT(text.find("nan") == std::string::npos);
  RC_ASSERT(nlohmann::json::accept(text));
}

RC_GTEST_PROP(CsvLaws, AnyTextSurvivesQuoting, (const std::string& text)) {
  const std::string field = csv_field(text);
  std::string read;
  const bool quoted = !field.empty() && field.front() == '"';
  for (std::size_t i = quoted ? 1 : 0; i < field.size() - (quoted ? 1 : 0); ++i) {
    read += field[i];
    if (quoted && field[i] == '"') ++i;
  }
  RC_ASSERT(read == text);
  RC_ASSERT(quoted || text.find_first_of(",\"\r\n") == std::string::npos);
}

}  // namespace
}  // namespace trnsim
