// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/source_lines.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "analysis/totals.hpp"
#include "timing/clock.hpp"

namespace trnsim {
namespace {

using Place = std::pair<std::string, std::uint32_t>;

/// Sums of a line over the cores, before they become times.
struct Sum {
  std::uint64_t instructions = 0, dma_bytes = 0, exposed_fs = 0;
  std::array<SourceEngineTime, kEngineCount> engines{};

  void add(const SourceCounters& s) {
    instructions += s.instructions;
    dma_bytes += s.dma_bytes;
    exposed_fs += s.exposed_fs;
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      engines[e].busy_cycles += s.engines[e].busy_cycles;
      for (std::size_t i = 0; i < kStallReasonCount; ++i) engines[e].stall_cycles[i] += s.engines[e].stall_cycles[i];
    }
  }
};

Place place_of(const SourceCounters& s, const ResultContext& context) {
  if (!s.at.known() || s.core >= context.programs.size()) return {};
  const std::vector<std::string>& files = context.programs[s.core].files;
  return s.at.file < files.size() ? Place{files[s.at.file], s.at.line} : Place{};
}

SourceLineResult line_of(const Place& place, const Sum& sum, const ChipConfig& chip) {
  SourceLineResult line;
  std::tie(line.file, line.line) = place;
  line.instructions = sum.instructions;
  line.dma_bytes = sum.dma_bytes;
  line.exposed_fs = sum.exposed_fs;
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    const Clock clock(clock_ghz(chip, static_cast<EngineKind>(e)));
    line.busy_ns[e] = ns_to_picosecond(clock.time_of(Cycles{sum.engines[e].busy_cycles}).value);
    for (std::size_t i = 0; i < kStallReasonCount; ++i) {
      line.stall_ns[i] += ns_to_picosecond(clock.time_of(Cycles{sum.engines[e].stall_cycles[i]}).value);
    }
  }
  line.engine_ns = std::accumulate(line.busy_ns.begin(), line.busy_ns.end(), 0.0);
  return line;
}

/// The longest exposed time first, what has no place last.
bool before(const SourceLineResult& a, const SourceLineResult& b) {
  if ((a.line == 0) != (b.line == 0)) return b.line == 0;
  if (a.exposed_fs != b.exposed_fs) return a.exposed_fs > b.exposed_fs;
  return std::tie(a.file, a.line) < std::tie(b.file, b.line);
}

}  // namespace

std::vector<SourceLineResult> source_lines_of(const ChipConfig& chip, const Snapshot& snapshot, const ResultContext& context) {
  std::vector<SourceLineResult> lines;
  if (snapshot.sources.empty()) return lines;
  std::map<Place, Sum> sums;
  for (const SourceCounters& s : snapshot.sources) sums[place_of(s, context)].add(s);
  sums[Place{}].exposed_fs += snapshot.unexposed_fs;
  std::optional<std::pair<std::string, SourceText>> open;  // places come file by file
  for (const auto& [place, sum] : sums) {
    if (place.second == 0 && sum.instructions == 0 && sum.exposed_fs == 0) continue;
    lines.push_back(line_of(place, sum, chip));
    if (place.second == 0) continue;
    if (!open || open->first != place.first) open.emplace(place.first, SourceText(place.first, context.workload_source));
    lines.back().text = open->second.line(place.second);
  }
  std::sort(lines.begin(), lines.end(), before);
  return lines;
}

}  // namespace trnsim
