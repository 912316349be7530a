// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/report_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/partitions.hpp"
#include "analysis/totals.hpp"
#include "trnsim/text.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kCoreRows = 8;  ///< Further cores share one row.

double count(std::uint64_t n) { return static_cast<double>(n); }
std::string percent_cell(double share) { return fmt::format("{:5.1f}", 100 * share); }

/// Busy, stalled and idle as one bar of blocks.
std::string bar(double busy, double stalled, std::size_t width, const Paint& paint) {
  const auto blocks = [&](double share) { return static_cast<std::size_t>(std::lround(share * static_cast<double>(width))); };
  const std::size_t full = std::min(blocks(busy), width), half = std::min(blocks(busy + stalled), width) - full;
  std::string text = paint.good;
  for (std::size_t i = 0; i < full; ++i) text += "█";
  text += paint.off + paint.warn;
  for (std::size_t i = 0; i < half; ++i) text += "▒";
  text += paint.off + paint.dim;
  for (std::size_t i = full + half; i < width; ++i) text += "░";
  return text + paint.off;
}

/// Causes by size until the room is used up: "0.9 wait_dma, 0.3 issue".
std::string stall_text(const EngineCounters& e, std::size_t room) {
  std::vector<std::pair<std::uint64_t, StallReason>> causes;
  for (std::size_t i = 0; i < kStallReasonCount; ++i) {
    if (e.stall_cycles[i] > 0) causes.emplace_back(e.stall_cycles[i], static_cast<StallReason>(i));
  }
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [cycles, reason] : causes) {
    const double share = 100 * count(cycles) / count(e.elapsed_cycles);
    if (share < 0.05) break;
    const std::string next = fmt::format("{}{:.1f} {}", text.empty() ? "" : ", ", share, name_of(reason));
    if (text.size() + next.size() + 3 > room) return text + (text.empty() ? "" : ", …");
    text += next;
  }
  return text;
}

std::string engine_row(EngineKind kind, const EngineCounters& e, const ReportStyle& style, const Paint& paint) {
  std::string row = pad_right(std::string(name_of(kind)), 8);
  if (e.instructions == 0 || e.elapsed_cycles == 0) return row + paint.dim + "not used" + paint.off;
  const double elapsed = count(e.elapsed_cycles), busy = count(e.busy_cycles) / elapsed, stalled = count(sum_of(e.stall_cycles)) / elapsed;
  const std::size_t bar_width = style.width >= 90 ? 20 : style.width >= 72 ? 10 : 0;
  row += percent_cell(busy) + ' ' + percent_cell(stalled) + ' ' + percent_cell(count(e.idle_cycles) / elapsed) + "  ";
  if (bar_width > 0) row += bar(busy, stalled, bar_width, paint) + "  ";
  return row + stall_text(e, style.width - 27 - (bar_width > 0 ? bar_width + 2 : 0));
}

std::string traffic_row(const char* name, const TrafficCounters& t, std::uint64_t cores) {
  return fmt::format("{:<6}{} of {}{}, read {}, written {}", name, bytes_text(count(t.peak_bytes)), bytes_text(count(t.capacity_bytes)),
                     cores > 1 ? fmt::format(" ({} cores)", cores) : std::string(), bytes_text(count(t.read_bytes)),
                     bytes_text(count(t.write_bytes)));
}

void append_wrapped(std::vector<std::string>& lines, const std::string& text, const ReportStyle& style) {
  std::string rest = wrap(text, style.width, 6);
  for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
    lines.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  lines.push_back(rest);
}

/// What a row of the core table adds up.
struct CoreRow {
  std::uint64_t macs = 0, dma_bytes = 0, hbm_bytes = 0, end_fs = 0, busy = 0, elapsed = 0;
  void add(const CoreSnapshot& c) {
    const EngineCounters& tensor = engine_of(c.engines, EngineKind::Tensor);
    macs += sum_of(c.tensor.macs);
    dma_bytes += c.dma.completed_bytes;
    hbm_bytes += c.dma.hbm_read_bytes + c.dma.hbm_write_bytes;
    end_fs = std::max(end_fs, c.end_fs);
    busy += tensor.busy_cycles;
    elapsed += tensor.elapsed_cycles;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    return pad_right(name, 8) + pad_left(time_text(to_ns(Time{end_fs})), 9) + pad_left(with_commas(macs), 21) +
           pad_left(bytes_text(count(dma_bytes)), 10) + pad_left(elapsed > 0 ? percent_cell(count(busy) / count(elapsed)) : "-", 8);
  }
};

/// Said when the rings in use do not reach all DMA engines.
std::string idle_dma_engines(const DmaCounters& dma) {
  if (dma.engines_used == 0 || dma.engines_used >= dma.engines) return {};
  return fmt::format("; the rings in use reach {} of {} DMA engines", dma.engines_used, dma.engines);
}

}  // namespace

Paint paint_of(const ReportStyle& style) {
  if (!style.color) return {};
  return {"\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[0m"};
}

std::vector<std::string> engine_table(const Result& result, const Totals& totals, const ReportStyle& style) {
  const Paint paint = paint_of(style);
  const std::size_t cores = result.snapshot.cores.size();
  const std::string scope = cores > 1 ? fmt::format(" ({} cores summed)", cores) : std::string();
  std::vector<std::string> lines{paint.bold + "Engine  busy% stall% idle%  stalls by cause" + (style.width < 72 ? "" : ", % of time") +
                                 paint.off + scope};
  for (std::size_t i = 0; i < kEngineCount; ++i) lines.push_back(engine_row(static_cast<EngineKind>(i), totals.engines[i], style, paint));
  return lines;
}

std::vector<std::string> core_table(const Result& result, const ReportStyle& style) {
  std::vector<std::string> lines;
  const auto& cores = result.snapshot.cores;
  if (cores.size() < 2) return lines;
  const Paint paint = paint_of(style);
  lines.push_back(paint.bold + "Core          ends                 MACs  DMA bytes  tensor%" + paint.off);
  const std::size_t shown = cores.size() <= kCoreRows ? cores.size() : kCoreRows - 1;
  CoreRow all, others;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    CoreRow row;
    row.add(cores[i]);
    all.add(cores[i]);
    if (i < shown) lines.push_back(row.text(fmt::format("{}", cores[i].core)));
    else others.add(cores[i]);
  }
  if (shown < cores.size()) lines.push_back(others.text(fmt::format("{}-{}", cores[shown].core, cores.back().core)));
  lines.push_back(all.text("all"));
  return lines;
}

std::vector<std::string> memory_table(const Result& result, const Totals& totals, const ReportStyle& style) {
  const Paint paint = paint_of(style);
  const DmaConfig& dma = result.chip.dma;
  const std::size_t cores = result.snapshot.cores.size();
  std::vector<std::string> lines{paint.bold + "Memory" + paint.off};
  append_wrapped(lines,
                 fmt::format("DMA   {}, {} GB/s = {} of {} GB/s of {} core{}; {} copies, {} descriptors",
                             bytes_text(count(totals.dma.completed_bytes)), or_dash(result.dma_gb_per_s, number_text),
                             or_dash(result.dma_utilization, percent), number_text(dma.engines * dma.engine_gb_per_s * count(cores)), cores,
                             cores == 1 ? "" : "s", with_commas(totals.dma.transfers), with_commas(totals.dma.descriptors)) +
                     idle_dma_engines(totals.dma),
                 style);
  append_wrapped(
      lines,
      fmt::format("HBM   read {}, written {}, {} GB/s = {} of {} GB/s of {} stack{}; row hits {}", bytes_text(count(totals.hbm.read_bytes)),
                  bytes_text(count(totals.hbm.write_bytes)), or_dash(result.hbm_gb_per_s, number_text),
                  or_dash(result.hbm_utilization, percent), number_text(result.chip.hbm.stack_gb_per_s * count(totals.stacks_in_use)),
                  totals.stacks_in_use, totals.stacks_in_use == 1 ? "" : "s", or_dash(result.row_hit_rate, percent)),
      style);
  const BorderTraffic& border = result.border;
  append_wrapped(
      lines,
      fmt::format("Border inputs {}, outputs {}; read again {}, spilled and intermediate {}", bytes_text(count(border.input_bytes)),
                  bytes_text(count(border.output_bytes)), bytes_text(count(border.reread_bytes)), bytes_text(count(border.inner_bytes))),
      style);
  for (const auto& [buffer, name, traffic] :
       {std::tuple(Buffer::Sbuf, "SBUF", &totals.sbuf), std::tuple(Buffer::Psum, "PSUM", &totals.psum)}) {
    append_wrapped(lines, traffic_row(name, *traffic, cores), style);
    const std::string uneven = partition_text(result.snapshot, buffer);
    if (!uneven.empty()) append_wrapped(lines, "      " + uneven, style);
  }
  return lines;
}

std::vector<std::string> energy_table(const Result& result, const ReportStyle& style) {
  const Paint paint = paint_of(style);
  const EnergyBreakdown& energy = result.energy;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}Energy{}  {} of the chip, {} for the cores used", paint.bold, paint.off, energy_text(energy.total_pj),
                              energy_text(energy.cores_used_pj)));
  const std::size_t rows = (energy.components_pj.size() + 1) / 2;
  const std::size_t column = std::min<std::size_t>(style.width / 2, 44);
  for (std::size_t i = 0; i < rows; ++i) {
    std::string line;
    for (std::size_t j = i; j < energy.components_pj.size(); j += rows) {
      const auto& [name, pj] = energy.components_pj[j];
      const double share = energy.total_pj > 0 ? pj / energy.total_pj : 0;
      line += pad_right(pad_right(name, 12) + pad_left(energy_text(pj), 9) + pad_left(percent(share), 8), j < rows ? column : 0);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace trnsim
