// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/sweep/analysis.hpp"

namespace trnsim::app {
namespace {

constexpr std::size_t kMostPointsHeld = 100'000;

/// An axis that changes nothing is a study of nothing: the reader should know.
void warn_of_idle_axes(SweepStore& store, Console& console) {
  if (store.info().shard.count > 1 || store.info().points > kMostPointsHeld) return;
  SweepTable table{store.info().axes, {}};
  store.for_each([&table](const StoredRow& stored) { table.rows.push_back(stored.row); });
  for (const std::string& axis : axes_without_effect(table)) console.err << fmt::format("trnsim: warning: no output depends on {}\n", axis);
}

}  // namespace

std::string counts_text(const StatusCounts& counts) {
  std::string text = fmt::format("{} done", counts[static_cast<std::size_t>(PointStatus::Done)]);
  for (std::size_t status = 1; status < kStatusCount; ++status) {
    if (counts[status] == 0) continue;
    std::string words(name_of(static_cast<PointStatus>(status)));
    std::replace(words.begin(), words.end(), '_', ' ');
    text += fmt::format(", {} {}", counts[status], words);
  }
  return text;
}

ExitCode report_sweep(ResultFolder& folder, bool quiet, Console& console) {
  SweepStore& store = folder.store();
  const StatusCounts counts = store.counts();
  const std::size_t points = sum(counts), copied = store.copied();
  const bool failed = counts[static_cast<std::size_t>(PointStatus::Done)] < points;
  if (!quiet) {
    const std::string copies = copied == 0 ? "" : fmt::format("; {} copied from equal points", copied);
    console.out << fmt::format("{} point{}: {}{}\nresults: {}\n", points, points == 1 ? "" : "s", counts_text(counts), copies,
                               folder.file("results.csv"));
  }
  if (const std::optional<StoredRow> first = failed ? store.first_failed() : std::nullopt; first && !quiet) {
    console.err << fmt::format("trnsim: warning: point {} is the first that failed, {}: {}\n", first->row.point, name_of(first->row.status),
                               first->row.error);
  }
  if (!quiet) warn_of_idle_axes(store, console);
  return failed ? ExitCode::CheckFailed : ExitCode::Done;
}

}  // namespace trnsim::app
