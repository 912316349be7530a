// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/explain/explanation.hpp"
#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

constexpr double kShown = 0.001;  ///< Parts below this share are left out of the text.
constexpr std::size_t kSegments = 8, kLines = 5;
constexpr double kSlower = 1.01;  ///< From here on a faster part that makes the run slower is said to do so.

using Table = std::vector<std::vector<std::string>>;

/// First and last column left, the others right.
std::string laid_out(const Table& table) {
  std::vector<std::size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  std::string page;
  for (const auto& row : table) {
    std::string line = "  " + pad_right(row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += "  ";
      line += i + 1 == widths.size() ? row[i] : pad_left(row[i], widths[i]);
    }
    while (line.ends_with(' ')) line.pop_back();
    page += line + '\n';
  }
  return page;
}

std::string time_of(std::uint64_t fs) { return time_text(to_ns(Time{fs})); }

std::string path_text(const Explanation& x) {
  Table table;
  std::vector<std::size_t> order(kPathPartCount);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x.path.fs[a] > x.path.fs[b]; });
  for (const std::size_t i : order) {
    const auto part = static_cast<PathPart>(i);
    if (path_share(x.path, part) >= kShown)
      table.push_back(
          {std::string(name_of(part)), time_of(x.path.fs[i]), percent(path_share(x.path, part)), std::string(meaning_of(part))});
  }
  return fmt::format("Critical path: {} instructions and copies, {} long, the whole device time\n{}", with_commas(x.path.steps),
                     time_of(x.path.length_fs), laid_out(table));
}

std::string segments_text(const Explanation& x) {
  Table table;
  for (const PathSegment& s : x.path.segments) {
    if (table.size() == kSegments || static_cast<double>(s.fs) < kShown * static_cast<double>(x.path.length_fs)) break;
    const std::string at = s.line == 0 ? "" : fmt::format("{}:{}", s.file.substr(s.file.rfind('/') + 1), s.line);
    table.push_back({std::string(name_of(s.part)), s.opcode, time_of(s.fs), with_commas(s.count) + " times", at});
  }
  return "Longest on it, by opcode and line\n" + laid_out(table);
}

std::string resources_text(const Explanation& x) {
  Table table{{"", "in use", "bound", "slack", ""}};
  for (const auto& [name, bound] : x.result.bottleneck.bounds_ns) {
    if (bound <= 0) continue;
    double use = 0;
    for (const auto& [resource, share] : x.result.bottleneck.shares) use = resource == name ? share : use;
    table.push_back({name, percent(use), time_text(bound), percent(std::max(0.0, 1 - bound / x.result.time_ns)), ""});
  }
  return "Resources: the time each alone would need, and what is left of the device time\n" + laid_out(table);
}

std::string overlap_text(const Explanation& x) {
  const Overlap& o = x.overlap;
  std::string text = fmt::format("Overlap: engines compute for {}, copies are under way for {}, exposed {}", time_of(o.compute_fs),
                                 time_of(o.dma_fs), time_of(o.dma_fs - o.both_fs));
  if (const auto share = overlap_share(o)) text += fmt::format("; {} of the shorter one overlaps", percent(*share));
  return text + fmt::format("; max(compute, DMA) is {}\n", time_text(std::max(compute_bound_ns(x.result), dma_bound_ns(x.result))));
}

std::string stalls_text(const Explanation& x) {
  Table table;
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    const auto kind = static_cast<EngineKind>(e);
    std::string causes;
    for (std::size_t r = 0; r < kStallReasonCount; ++r) {
      const double share = stall_share(x.result, kind, static_cast<StallReason>(r));
      if (share >= kShown)
        causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", name_of(static_cast<StallReason>(r)), percent(share));
    }
    if (!causes.empty()) table.push_back({std::string(name_of(kind)), causes});
  }
  return "Stalls, share of each engine's time\n" + laid_out(table);
}

std::string lines_text(const Explanation& x) {
  Table table;
  for (const SourceLineResult& line : x.result.source_lines) {
    if (table.size() == kLines) break;
    if (line.line == 0) continue;
    const auto worst = std::max_element(line.stall_ns.begin(), line.stall_ns.end());
    const std::string stall =
        *worst <= 0
            ? ""
            : fmt::format("stalls most on {}: {}", name_of(static_cast<StallReason>(worst - line.stall_ns.begin())), time_text(*worst));
    table.push_back(
        {fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1), line.line), time_of(line.exposed_fs) + " exposed", stall});
  }
  return table.empty() ? "" : "Source lines with the longest exposed time\n" + laid_out(table);
}

std::string what_if_text(const Explanation& x) {
  if (x.what_if.empty()) return "";
  Table table;
  for (const WhatIf& w : x.what_if) {
    if (!w.time_ns) {
      table.push_back({w.resource, w.change, "-", "", w.reason});
      continue;
    }
    const double gain = 1 - *w.time_ns / x.result.time_ns;
    table.push_back({w.resource, w.change, time_text(*w.time_ns), (gain > 0 ? "-" : "+") + percent(std::abs(gain)),
                     *w.time_ns > kSlower * x.result.time_ns ? "slower: the order of events changes" : ""});
  }
  return "What if, simulated: the same program on a faster chip\n" + laid_out(table);
}

/// Time, overlap and bounds by value; gains are against the value before.
std::string variants_text(const Explanation& x) {
  const Variants& all = x.variants;
  if (all.list.empty()) return "";
  Table table{{all.parameter, "time", "change", "compute", "DMA", "max", "time / max", "overlap", "exposed DMA", ""}};
  std::optional<double> before;
  for (const Variant& v : all.list) {
    if (!v.times) {
      table.push_back({v.value, "-", "", "", "", "", "", "", "", v.reason});
      continue;
    }
    const Variant::Times& t = *v.times;
    const double bound = std::max(t.compute_bound_ns, t.dma_bound_ns);
    const auto share = overlap_share(t.overlap);
    table.push_back({v.value, time_text(t.time_ns), before ? fmt::format("{:+.1f} %", 100 * (t.time_ns / *before - 1)) : "",
                     time_text(t.compute_bound_ns), time_text(t.dma_bound_ns), time_text(bound),
                     bound > 0 ? fmt::format("{:.2f}", t.time_ns / bound) : "-", share ? percent(*share) : "-",
                     time_of(t.overlap.dma_fs - t.overlap.both_fs), ""});
    before = t.time_ns;
  }
  return fmt::format("By {}, simulated: lower bounds of computation and DMA, and how far above the larger one the time is\n{}",
                     all.parameter, laid_out(table));
}

std::string advice_text(const Explanation& x, unsigned width) {
  std::string text;
  for (const Advice& a : x.advice) {
    text += wrap(fmt::format("- {}.", a.text), width, 2) + '\n';
    for (const auto& [what, said] : {std::pair("Rests on", a.number), {"Source", a.source}})
      text += "  " + wrap(fmt::format("{}: {}.", what, said), width - 2, 4) + '\n';
  }
  return text.empty() ? "" : "Advice\n" + text;
}

}  // namespace

std::string explain_text(const Explanation& x, const ReportStyle& style) {
  const unsigned width = std::clamp(style.width, 60U, 140U);
  std::string page = wrap(fmt::format("{} on {}: {}, {} Tensor cycles at {} GHz; a launch of {} comes on top",
                                      x.result.context.workload_name, x.result.chip.name, time_text(x.result.time_ns),
                                      with_commas(x.result.cycles), x.result.chip.tensor.clock_ghz, time_text(x.result.launch_ns)),
                          width, 2) +
                     '\n';
  page += wrap(x.result.bottleneck.sentence, width, 0) + '\n';
  if (const std::string remark = path_remark(x); !remark.empty()) page += wrap(remark, width, 0) + '\n';
  page += '\n';
  page +=
      path_text(x) + '\n' + segments_text(x) + '\n' + resources_text(x) + '\n' + wrap(overlap_text(x), width, 2) + '\n' + stalls_text(x);
  for (const std::string& block : {lines_text(x), what_if_text(x), variants_text(x), advice_text(x, width)}) {
    if (!block.empty()) page += '\n' + block;
  }
  return style.utf8 ? page : to_ascii(page);
}

}  // namespace trnsim::app
