// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "page/json_text.hpp"
#include "page/series.hpp"

namespace trnsim {
namespace {

constexpr std::string_view kNote = "Each layer is simulated by itself, so that no engine is shown; the curves are averages of each layer.";

struct LayerSlice {
  Time from, until;
  std::size_t kind = 0;
  std::uint64_t line = 0;
};

/// The layers one after another; layers of one name share a kind.
struct LayerLane {
  std::vector<std::string> kinds;
  std::vector<LayerSlice> slices;
  TimeBins power, hbm_read, hbm_write, dma;
  Time end;

  explicit LayerLane(const Result& result) {
    std::map<std::string, std::size_t> known;
    for (const LayerResult& layer : result.layers) {
      const auto [entry, is_new] = known.try_emplace(layer.layer.name, kinds.size());
      if (is_new) kinds.push_back(layer.layer.name);
      const Time until{end.value + layer.result->snapshot.end_fs};
      slices.push_back({end, until, entry->second, layer.layer.line});
      add_amounts(*layer.result, until);
      end = until;
    }
  }

 private:
  void add_amounts(const Result& layer, Time until) {
    double read = 0, write = 0, bytes = 0;
    for (const HbmStackCounters& stack : layer.snapshot.hbm) {
      read += static_cast<double>(stack.read_bytes);
      write += static_cast<double>(stack.write_bytes);
    }
    for (const CoreSnapshot& core : layer.snapshot.cores) bytes += static_cast<double>(core.dma.completed_bytes);
    hbm_read.add(end, until, read);
    hbm_write.add(end, until, write);
    dma.add(end, until, bytes);
    power.add(end, until, layer.energy.total_pj);
  }
};

void add_lane(std::string& text, const LayerLane& lane) {
  const auto each = [&](std::string_view name, const auto& add) {
    text += name;
    add_list(text, lane.slices, add);
  };
  text += R"({"core":null,"name":"layers")";
  each(R"(,"slices":{"from_ns":)", [](std::string& t, const LayerSlice& s) { add_tenths(t, tenths_of_ns(s.from)); });
  each(R"(,"length_ns":)", [](std::string& t, const LayerSlice& s) { add_tenths(t, tenths_of_ns(s.until) - tenths_of_ns(s.from)); });
  each(R"(,"kind":)", [](std::string& t, const LayerSlice& s) { t += std::to_string(s.kind); });
  each(R"(,"line":)", [](std::string& t, const LayerSlice& s) { t += std::to_string(s.line); });
  text += "}}";
}

}  // namespace

std::string layers_page_timeline(const Result& result, const PageBudget& budget) {
  const LayerLane lane(result);
  const Parts parts(lane.end, std::clamp<std::size_t>(budget.values / 4, 1, 1024));
  std::string text = R"({"until_ns":)";
  add_exact_ns(text, lane.end);
  text += fmt::format(R"(,"note":{},"kinds":)", json_string(kNote));
  add_list(text, lane.kinds,
           [](std::string& t, const std::string& name) { t += fmt::format(R"({{"name":{},"busy":true}})", json_string(name)); });
  text += ",\"lanes\":[";
  add_lane(text, lane);
  text += "],\"series\":[";
  add_one_series(text, "HBM read", "GB/s", "null", parts, parts.rates(lane.hbm_read, 1), add_number);
  text += ',';
  add_one_series(text, "HBM write", "GB/s", "null", parts, parts.rates(lane.hbm_write, 1), add_number);
  text += ',';
  add_one_series(text, "DMA", "GB/s", "null", parts, parts.rates(lane.dma, 1), add_number);
  text += ',';
  add_one_series(text, "power", "W", "null", parts, parts.rates(lane.power, 1e-3), add_number);  // 1 pJ/ns is 1 mW
  return text + "]}";
}

}  // namespace trnsim
