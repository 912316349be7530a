// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/report_tables.hpp"
#include "trnsim/text.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kRows = 8;
constexpr double kBeyondChance = 4;  ///< Times the share that chance gives on average: about 5 % of numbers without effect reach it.

/// Share that a number without effect has on average.
double by_chance(const Uncertainty& u) {
  const auto times = static_cast<double>(u.samples - std::min<std::uint64_t>(u.failures.size(), u.samples));
  return times > 1 ? 1 / (times - 1) : 1;
}

std::string row(const UncertainParameter& p, const Result& r) {
  return fmt::format("{}{}{}{}", pad_right(fmt::format("{} {}..{}", p.path, number_text(p.lo), number_text(p.hi)), 48),
                     pad_left(p.confidence, 8), pad_left(percent(p.share), 9),
                     pad_left(fmt::format("{:+.1f} %", 100 * p.change_ns / std::max(r.time_ns, 1e-9)), 11));
}

}  // namespace

std::vector<std::string> uncertainty_table(const Result& r, const ReportStyle& style) {
  std::vector<std::string> lines;
  if (!r.uncertainty) return lines;
  const Uncertainty& u = *r.uncertainty;
  const Paint paint = paint_of(style);
  lines.push_back(fmt::format("{}Uncertainty{}  5-95 %: {} to {}, median {}; {} samples, seed {}", paint.bold, paint.off,
                              time_text(u.p5_ns), time_text(u.p95_ns), time_text(u.p50_ns), with_commas(u.samples), u.seed));
  lines.push_back(pad_right("Number and range", 48) + pad_left("source", 8) + pad_left("share", 9) + pad_left("lo to hi", 11));
  std::size_t shown = 0;
  for (const UncertainParameter& p : u.parameters) {
    if (shown == kRows || p.share < kBeyondChance * by_chance(u)) break;
    lines.push_back(row(p, r));
    ++shown;
  }
  if (shown == 0) lines.emplace_back("none stands out from chance");
  lines.push_back(fmt::format("{} numbers drawn; share: squared rank correlation with the time, {} by chance alone", u.parameters.size(),
                              percent(by_chance(u))));
  if (!u.held.empty()) lines.push_back(fmt::format("not drawn, since set by hand: {}", fmt::join(u.held, ", ")));
  if (!u.failures.empty())
    lines.push_back(fmt::format("{}{} samples failed, the first: {}{}", paint.warn, u.failures.size(), u.failures.front(), paint.off));
  return lines;
}

}  // namespace trnsim
