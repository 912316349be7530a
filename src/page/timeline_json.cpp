// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "page/collected.hpp"
#include "page/json_text.hpp"
#include "page/series.hpp"

namespace trnsim {
namespace {

constexpr std::size_t kMostBins = TimeBins::kMost;

/// Kinds that occur, and their place in the list of the page.
struct Kinds {
  std::vector<std::size_t> used;
  std::array<std::size_t, kPageKindCount> place{};

  explicit Kinds(const std::vector<const PageLane*>& lanes) {
    for (std::size_t kind = 0; kind < kPageKindCount; ++kind) {
      if (std::ranges::none_of(lanes, [&](const PageLane* lane) { return lane->totals()[kind] != 0; })) continue;
      place[kind] = used.size();
      used.push_back(kind);
    }
  }
};

std::vector<std::size_t> kinds_of(const PageLane& lane) {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < kPageKindCount; ++kind) {
    if (lane.totals()[kind] != 0) kinds.push_back(kind);
  }
  return kinds;
}

void add_kinds(std::string& text, const Kinds& kinds) {
  add_list(text, kinds.used, [](std::string& t, std::size_t kind) {
    t += fmt::format(R"({{"name":{},"busy":{}}})", json_string(name_of_kind(kind)), !is_stall(kind));
  });
}

void add_cycles(std::string& text, const PageLane& lane) {
  text += fmt::format(R"("clock_ghz":{},"cycles":{{)", lane.clock()->ghz());
  bool first = true;
  for (const std::size_t kind : kinds_of(lane)) {
    text += fmt::format("{}{}:{}", first ? "" : ",", json_string(name_of_kind(kind)), lane.totals()[kind]);
    first = false;
  }
  text += "},";
}

void add_slices(std::string& text, const PageLane& lane, const Kinds& kinds) {
  const auto each = [&](std::string_view name, const auto& add) {
    text += name;
    add_list(text, lane.slices(), add);
  };
  each(R"("slices":{"from_ns":)", [](std::string& t, const PageSlice& s) { add_tenths(t, tenths_of_ns(s.from)); });
  each(R"(,"length_ns":)", [](std::string& t, const PageSlice& s) { add_tenths(t, tenths_of_ns(s.until) - tenths_of_ns(s.from)); });
  each(R"(,"kind":)", [&](std::string& t, const PageSlice& s) { fmt::format_to(std::back_inserter(t), "{}", kinds.place[s.kind]); });
  each(R"(,"line":)", [](std::string& t, const PageSlice& s) { fmt::format_to(std::back_inserter(t), "{}", s.line); });
  text += '}';
}

void add_bins(std::string& text, const PageLane& lane, const Kinds& kinds, const Parts& parts) {
  const std::vector<std::size_t> own = kinds_of(lane);
  text += fmt::format(R"("bins":{{"width_ns":{},"kinds":)", parts.width_ns);
  add_list(text, own, [&](std::string& t, std::size_t kind) { fmt::format_to(std::back_inserter(t), "{}", kinds.place[kind]); });
  text += R"(,"share":)";
  add_list(text, own, [&](std::string& t, std::size_t kind) { add_list(t, parts.shares(lane.amounts(kind)), add_share); });
  text += '}';
}

void add_lane(std::string& text, const PageLane& lane, const Kinds& kinds, const Parts& parts) {
  text += fmt::format(R"({{"core":{},"name":{},)", lane.core(), json_string(lane.name()));
  if (lane.clock()) add_cycles(text, lane);
  if (lane.binned()) {
    add_bins(text, lane, kinds, parts);
  } else {
    add_slices(text, lane, kinds);
  }
  text += '}';
}

/// Bins per kind and lane, so that all of them are within the budget.
std::size_t bins_of(const std::vector<const PageLane*>& lanes, std::size_t budget) {
  std::size_t rows = 0;
  for (const PageLane* lane : lanes) rows += lane->binned() ? kinds_of(*lane).size() : 0;
  return std::clamp<std::size_t>(budget / std::max<std::size_t>(1, rows), 1, kMostBins);
}

}  // namespace

std::string timeline_json(PageCollected& collected, const Result& result) {
  const std::vector<const PageLane*> lanes = collected.lanes();
  const Kinds kinds(lanes);
  const Parts parts(collected.end(), bins_of(lanes, collected.budget().shares));
  std::string text = R"({"until_ns":)";
  add_exact_ns(text, collected.end());
  text += ",\"kinds\":";
  add_kinds(text, kinds);
  text += ",\"lanes\":";
  add_list(text, lanes, [&](std::string& t, const PageLane* lane) { add_lane(t, *lane, kinds, parts); });
  text += ",\"series\":";
  add_series(text, collected, result);
  return text + "}";
}

}  // namespace trnsim
