// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/influence.hpp"
#include "analysis/report_tables.hpp"
#include "analysis/totals.hpp"
#include "trnsim/text.hpp"

namespace trnsim {
namespace {

constexpr unsigned kNarrowest = 60;
constexpr unsigned kWidest = 120;
constexpr std::size_t kInfluencesShown = 2;

void append(std::string& page, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  page += '\n';
  for (std::string line : lines) {
    while (line.ends_with(' ')) line.pop_back();
    page += line + '\n';
  }
}

std::string title(const Result& r, const ReportStyle& style, const Paint& paint) {
  const std::size_t cores = r.snapshot.cores.size();
  std::string text = fmt::format("{} on {}{}, {} of {} cores", r.context.workload_name, r.chip.name,
                                 r.chip.marketing_name.empty() ? "" : " (" + r.chip.marketing_name + ")", cores, r.chip.chip.cores);
  if (r.chip.projected) text = "PROJECTED · " + text;
  std::string page = paint.bold + wrap(text, style.width, 2) + paint.off + '\n';
  std::string params;
  if (!r.context.programs.empty()) {
    for (const auto& [name, value] : r.context.programs.front().params) params += (params.empty() ? "" : " ") + name + "=" + value;
  }
  for (const auto& [path, value] : r.chip.overrides) params += (params.empty() ? "" : " ") + path + "=" + value;
  if (!params.empty()) page += wrap(params, style.width, 2) + '\n';
  return page;
}

std::string headline(const Result& r, const ReportStyle& style, const Paint& paint) {
  std::string text = fmt::format("{} · {} cycles at {} GHz", time_text(r.time_ns), with_commas(r.cycles), r.chip.tensor.clock_ghz);
  if (r.tflops) text += fmt::format(" · {} TFLOPS", number_text(*r.tflops));
  if (r.mfu) text += fmt::format(" · MFU {}", percent(*r.mfu));
  if (!r.mfu && r.macs == 0) text += " · no MFU: no multiply-accumulates";
  if (r.average_w) text += fmt::format(" · {} W", number_text(*r.average_w));
  text += fmt::format(" · launch {} more", time_text(r.launch_ns));
  return paint.bold + wrap(text, style.width, 2) + paint.off + '\n';
}

/// What a host sees: the launch, the kernels and its own gaps between them.
std::string host_line(const Result& r, const ReportStyle& style) {
  const std::uint64_t gaps = r.kernels > 0 ? r.kernels - 1 : 0;
  const std::string text =
      fmt::format("Host  launch {} + device {} + {} gap{} of {} (chip.launch_gap_ns) = {}", time_text(r.launch_ns), time_text(r.time_ns),
                  with_commas(gaps), gaps == 1 ? "" : "s", time_text(r.chip.chip.launch_gap_ns), time_text(r.total_ns));
  return wrap(text, style.width, 6) + '\n';
}

/// Cold and warm runs, if several were asked for.
std::string iterations_line(const Result& r, const ReportStyle& style) {
  if (r.context.iterations == 0) return "";
  const IterationTimes times = iteration_times(r);
  const std::string text = fmt::format("Runs  the first {}, with {} of start-up (chip.first_run_ns); each later one {}; all {} together {}",
                                       time_text(times.first_ns), time_text(r.first_run_ns), time_text(times.warm_ns),
                                       with_commas(times.count), time_text(times.all_ns));
  return wrap(text, style.width, 6) + '\n';
}

std::string remark(std::string_view mark, const std::string& text, const ReportStyle& style, const std::string& color,
                   const std::string& off) {
  return color + wrap(fmt::format("{}: {}", mark, text), style.width, 2) + off + '\n';
}

/// "dma.descriptor_ns (1, from 0.5 to 2.7): -3.0 % to +9.1 %".
std::string influence_text(const Influence& i, double time_ns) {
  const auto change = [&](double ns) { return fmt::format("{:+.1f} %", 100 * (ns - time_ns) / time_ns); };
  return fmt::format("{} ({}, from {} to {}): {} to {}", i.path, i.value, i.lo, i.hi, change(i.lo_ns), change(i.hi_ns));
}

/// The assumed numbers that move the time most, if by enough and as simulated: the estimate alone may be wrong.
std::string influence_remark(const Result& r, const ReportStyle& style, const Paint& paint) {
  std::string text;
  std::size_t shown = 0;
  for (const Influence& i : r.influences) {
    if (shown == kInfluencesShown) break;
    if (!i.simulated || share_of(i, r.time_ns) <= kInfluenceShown) continue;
    text += (shown++ == 0 ? "" : "; ") + influence_text(i, r.time_ns);
  }
  if (text.empty()) return "";
  return remark("note", "assumed numbers that move the time most: " + text, style, paint.dim, paint.off);
}

std::string remarks(const Result& r, const ReportStyle& style, const Paint& paint) {
  std::string page;
  if (!r.snapshot.truncated.empty()) page += remark("TRUNCATED", r.snapshot.truncated, style, paint.warn, paint.off);
  for (const std::string& warning : r.context.warnings) page += remark("warning", warning, style, paint.warn, paint.off);
  if (r.chip.projected)
    page += remark("PROJECTED", "numbers of this chip are projections from announcements", style, paint.warn, paint.off);
  if (!r.chip.carried_over.empty()) page += remark("note", r.chip.carried_over, style, paint.dim, paint.off);
  if (!r.assumed.empty()) {
    page += remark("note", fmt::format("rests on {} assumed numbers, listed in the result file (chip.assumed)", r.assumed.size()), style,
                   paint.dim, paint.off);
  }
  page += influence_remark(r, style, paint);
  return page;
}

}  // namespace

std::string terminal_report(const Result& result, const ReportStyle& asked) {
  ReportStyle style = asked;
  style.width = std::clamp(asked.width, kNarrowest, kWidest);
  const Paint paint = paint_of(style);
  const Totals totals = totals_of(result.snapshot);

  std::string page =
      title(result, style, paint) + headline(result, style, paint) + host_line(result, style) + iterations_line(result, style);
  append(page, layer_table(result, style));
  append(page, engine_table(result, totals, style));
  append(page, core_table(result, style));
  append(page, source_table(result, style));
  append(page, memory_table(result, totals, style));
  append(page, energy_table(result, style));
  append(page, uncertainty_table(result, style));
  page += '\n' + paint.bold + wrap(result.bottleneck.sentence, style.width, 0) + paint.off + '\n';
  page += remarks(result, style, paint);
  return style.utf8 ? page : to_ascii(page);
}

}  // namespace trnsim
