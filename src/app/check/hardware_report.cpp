// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include "app/check/profile.hpp"
#include "app/check/text_table.hpp"
#include "app/json.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

std::optional<double> number_at(const Json& json, const char* pointer, double factor = 1) {
  const Json::json_pointer at(pointer);
  if (!json.contains(at) || !json.at(at).is_number()) return std::nullopt;
  return json.at(at).get<double>() * factor;
}

std::optional<double> busy_ns(const Json& json, const std::string& engine, double cores) {
  const auto cycles = number_at(json, ("/engines/" + engine + "/busy_cycles").c_str());
  const auto clock = number_at(json, ("/engines/" + engine + "/clock_ghz").c_str());
  if (!cycles || !clock) return std::nullopt;
  return *cycles / *clock / cores;
}

/// In the order of metrics().
std::vector<std::optional<double>> values_of(const Json& json, double cores) {
  const auto time = number_at(json, "/time_ns"), launch = number_at(json, "/launch_ns");
  return {time,
          time && launch ? std::optional(*time + *launch) : std::nullopt,
          busy_ns(json, "tensor", cores),
          busy_ns(json, "vector", cores),
          busy_ns(json, "scalar", cores),
          busy_ns(json, "gpsimd", cores),
          number_at(json, "/mfu"),
          number_at(json, "/tflops"),
          number_at(json, "/workload/flops"),
          number_at(json, "/dma/bytes"),
          number_at(json, "/dma/gb_per_s"),
          number_at(json, "/hbm/read_bytes"),
          number_at(json, "/hbm/write_bytes"),
          number_at(json, "/hbm/gb_per_s"),
          number_at(json, "/power/average_w"),
          number_at(json, "/energy/total_pj", 1e-12)};
}

std::string definition_of(const Measured& measured) {
  if (measured.definition.empty()) return "not stated";
  const std::string_view ours = measured.metric->definitions.front();
  if (measured.definition == ours) return "same";
  return fmt::format("differs: {}, simulated is {}", measured.definition, ours);
}

std::string figure(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : "-"; }

}  // namespace

SimulatedFigures parse_figures(std::string_view text, const std::string& file) {
  const Json json = parse_json(text, file, kResultFormat);
  SimulatedFigures figures;
  figures.chip = text_at(json, "/chip/name", file);
  figures.workload = text_at(json, "/workload/name", file);
  if (!json.contains("cores") || !json["cores"].is_array() || json["cores"].empty())
    throw InputError(file + ": cores: the result has none");
  figures.cores = json["cores"].size();
  const Json::json_pointer overrides("/chip/overrides");
  if (json.contains(overrides)) figures.overrides = json.at(overrides).size();
  if (json.contains("truncated") && json["truncated"].is_string()) figures.truncated = json["truncated"].get<std::string>();
  figures.values = values_of(json, static_cast<double>(figures.cores));
  return figures;
}

std::vector<ComparedMetric> compare_figures(const SimulatedFigures& simulated, const Profile& profile) {
  std::vector<std::string> problems;
  if (!simulated.truncated.empty()) {
    problems.push_back(fmt::format("the simulated run was stopped early ({}): its figures are of a part of the work", simulated.truncated));
  }
  if (simulated.chip != profile.chip) problems.push_back(fmt::format("chip: simulated {}, measured {}", simulated.chip, profile.chip));
  if (simulated.cores != profile.cores) problems.push_back(fmt::format("cores: simulated {}, measured {}", simulated.cores, profile.cores));
  if (!profile.workload.empty() && profile.workload != simulated.workload) {
    problems.push_back(fmt::format("workload: simulated {}, measured {}", simulated.workload, profile.workload));
  }
  if (!problems.empty()) throw InputError(problems);
  std::vector<ComparedMetric> rows;
  for (const Measured& measured : profile.metrics) {
    ComparedMetric& row = rows.emplace_back();
    row.measured = measured;
    row.simulated = simulated.values[static_cast<std::size_t>(measured.metric - metrics().data())];
    if (row.simulated && measured.base_value > 0) row.ratio = *row.simulated / measured.base_value;
    row.definition = definition_of(measured);
  }
  return rows;
}

std::string hardware_table(const std::vector<ComparedMetric>& rows) {
  std::vector<std::vector<std::string>> cells{{"metric", "unit", "simulated", "measured", "ratio", "definition", "converted"}};
  for (const ComparedMetric& row : rows) {
    const std::string_view base = base_unit(row.measured.metric->dimension);
    const bool converted = row.measured.unit != base;
    cells.push_back({std::string(row.measured.metric->name), std::string(base), figure(row.simulated), figure(row.measured.base_value),
                     row.ratio ? fmt::format("{:.3f}", *row.ratio) : "-", row.definition,
                     converted ? fmt::format("from {:.6g} {}", row.measured.value, row.measured.unit) : ""});
  }
  return text_table(cells, {true, true, false, false, false, true, true});
}

std::string hardware_json(const std::vector<ComparedMetric>& rows, const Profile& profile) {
  Json json{{kHardwareFormat.key, fmt::format("{}.{}", kHardwareFormat.major, kHardwareFormat.minor)},
            {"chip", profile.chip},
            {"cores", profile.cores},
            {"source", profile.source},
            {"metrics", Json::array()}};
  for (const ComparedMetric& row : rows) {
    const auto value = [](const std::optional<double>& number) { return number ? Json(*number) : Json(); };
    json["metrics"].push_back({{"metric", row.measured.metric->name},
                               {"unit", base_unit(row.measured.metric->dimension)},
                               {"simulated", value(row.simulated)},
                               {"measured", row.measured.base_value},
                               {"ratio", value(row.ratio)},
                               {"given", {{"value", row.measured.value}, {"unit", row.measured.unit}}},
                               {"definition", row.definition}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trnsim::app
