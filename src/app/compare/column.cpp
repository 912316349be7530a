// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/compare/column.hpp"

#include <algorithm>
#include <utility>

#include "app/execute.hpp"
#include "app/json.hpp"
#include "trnsim/result.hpp"
#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

constexpr double kPjPerNj = 1000;

std::string cycles_text(double value) { return with_commas(static_cast<std::uint64_t>(value)); }
std::string clock_text(double value) { return number_text(value) + " GHz"; }
std::string bandwidth_text(double value) { return number_text(value) + " GB/s"; }
std::string power_text(double value) { return number_text(value) + " W"; }
std::string per_flop_text(double value) {
  return value < 10 * kPjPerNj ? number_text(value) + " pJ" : number_text(value / kPjPerNj) + " nJ";
}

/// A number or a count, which stands as text above 2^53; nothing for null.
std::optional<double> number_at(const Json& json, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!json.contains(place)) return std::nullopt;
  const Json& value = json[place];
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return std::stod(value.get<std::string>());
  return std::nullopt;
}

/// What a simulation costs: about three million instructions and 1.5 GB of traffic a second.
double cost_of(const Json& json) {
  constexpr double kInstructionsPerSecond = 3e6, kBytesPerSecond = 1.5e9, kStart = 0.005;
  return kStart + number_at(json, "/workload/instructions").value_or(0) / kInstructionsPerSecond +
         number_at(json, "/dma/bytes").value_or(0) / kBytesPerSecond;
}

std::optional<double> per_flop(const Json& json) {
  const double flops = number_at(json, "/workload/flops").value_or(0);
  const std::optional<double> energy = number_at(json, "/energy/cores_used_pj");
  return flops > 0 && energy ? std::optional(*energy / flops) : std::nullopt;
}

/// Shares of the time in use stand as times.
std::optional<double> figure_of(const CompareFigure& figure, const Json& json) {
  if (*figure.pointer == '\0') return per_flop(json);
  const std::optional<double> value = number_at(json, figure.pointer);
  return value && figure.name.ends_with("_in_use_ns") ? std::optional(*value * number_at(json, "/time_ns").value_or(0)) : value;
}

}  // namespace

const std::vector<CompareFigure>& compare_figures() {
  static const std::vector<CompareFigure> all{
      {"time_ns", "time", "/time_ns", time_text, "speed_up", "speed-up", true},
      {"launch_ns", "launch, not in time", "/launch_ns", time_text, "", "", false},
      {"cycles", "cycles, own clock", "/cycles", cycles_text, "", "", false},
      {"tensor_clock_ghz", "Tensor clock", "/chip/config/tensor/clock_ghz", clock_text, "", "", false},
      {"tflops", "TFLOPS, cores used", "/tflops", number_text, "tflops", "TFLOPS", false},
      {"mfu", "MFU, cores used", "/mfu", percent, "mfu", "MFU", false},
      {"hbm_gb_per_s", "HBM, stacks in use", "/hbm/gb_per_s", bandwidth_text, "hbm_gb_per_s", "HBM bandwidth", false},
      {"hbm_utilization", "share of their peak", "/hbm/utilization", percent, "", "", false},
      {"dma_gb_per_s", "DMA, cores used", "/dma/gb_per_s", bandwidth_text, "dma_gb_per_s", "DMA bandwidth", false},
      {"dma_utilization", "share of its peak", "/dma/utilization", percent, "", "", false},
      {"tensor_in_use_ns", "Tensor in use, busiest core", "/bottleneck/shares/tensor instructions", time_text, "", "", false},
      {"vector_in_use_ns", "Vector in use", "/bottleneck/shares/vector", time_text, "", "", false},
      {"scalar_in_use_ns", "Scalar in use", "/bottleneck/shares/scalar", time_text, "", "", false},
      {"gpsimd_in_use_ns", "GpSimd in use", "/bottleneck/shares/gpsimd", time_text, "", "", false},
      {"dma_in_use_ns", "DMA engines in use, mean", "/bottleneck/shares/DMA engines", time_text, "", "", false},
      {"energy_cores_used_pj", "energy, cores used", "/energy/cores_used_pj", energy_text, "energy_cores_used", "energy, cores used",
       false},
      {"energy_chip_pj", "energy, chip", "/energy/total_pj", energy_text, "energy_chip", "energy, chip", false},
      {"pj_per_flop", "per FLOP, cores used", "", per_flop_text, "pj_per_flop", "energy per FLOP", false},
      {"average_w", "average power, chip", "/power/average_w", power_text, "average_w", "average power", false},
  };
  return all;
}

std::optional<double> CompareColumn::figure(std::string_view name) const {
  const auto& all = compare_figures();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (all[i].name == name) return figures[i];
  }
  return std::nullopt;
}

void take_result(CompareColumn& column, const std::string& text) {
  const Json json = parse_json(text, "result of " + column.label);
  column.figures.clear();
  for (const CompareFigure& figure : compare_figures()) column.figures.push_back(figure_of(figure, json));
  column.bottleneck = json["bottleneck"]["resource"].get<std::string>();
  column.config_hash = json["chip"]["config_hash"].get<std::string>();
  column.warnings = json["warnings"].get<std::vector<std::string>>();
  column.estimated_seconds = cost_of(json);
}

void add_ratios(Comparison& comparison) {
  auto& columns = comparison.columns;
  const auto first = std::find_if(columns.begin(), columns.end(), [](const CompareColumn& column) { return column.ran(); });
  comparison.baseline.reset();
  if (first != columns.end()) comparison.baseline = static_cast<std::size_t>(first - columns.begin());
  const auto& figures = compare_figures();
  for (CompareColumn& column : columns) {
    column.ratios.assign(figures.size(), std::nullopt);
    for (std::size_t i = 0; column.ran() && i < figures.size(); ++i) {
      const std::optional<double>&value = column.figures[i], &base = first->figures[i];
      if (figures[i].ratio.empty() || !value || !base || *value <= 0 || *base <= 0) continue;
      column.ratios[i] = figures[i].inverse ? *base / *value : *value / *base;
    }
  }
}

Comparison compare_columns(std::vector<CompareColumn> columns, unsigned workers) {
  const auto simulate = [&columns](std::size_t i) {
    return to_json(execute_quietly(columns[i].request, columns[i].chip, columns[i].warnings));
  };
  std::vector<JobOutcome> outcomes = run_jobs(columns.size(), simulate, workers);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    CompareColumn& column = columns[i];
    column.end = outcomes[i].end;
    column.code = outcomes[i].code;
    column.figures.assign(compare_figures().size(), std::nullopt);
    if (column.ran()) take_result(column, outcomes[i].text);
    else column.reason = outcomes[i].end == JobEnd::Refused ? outcomes[i].text : "the simulation " + outcomes[i].text;
    std::replace(column.reason.begin(), column.reason.end(), '\n', ' ');
  }
  Comparison comparison{std::move(columns), std::nullopt};
  add_ratios(comparison);
  return comparison;
}

}  // namespace trnsim::app
