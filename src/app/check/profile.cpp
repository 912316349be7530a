// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/check/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "app/json.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"

namespace trnsim::app {
namespace {

const std::vector<std::string_view> kKeys{"trnsim_profile", "about", "chip", "cores", "workload", "source", "metrics"};
const std::vector<std::string_view> kMetricKeys{"metric", "value", "unit", "definition"};

/// Reads the metrics and collects what is wrong with them.
class MetricReader {
 public:
  MetricReader(const std::string& file, std::vector<std::string>& problems) : file_(file), problems_(problems) {}

  std::optional<Measured> read(const Json& json, std::size_t index) {
    place_ = fmt::format("{}: metrics[{}]", file_, index);
    if (!json.is_object()) return problem("want an object with metric, value and unit, not " + json.dump());
    for (const auto& [key, value] : json.items()) {
      if (std::find(kMetricKeys.begin(), kMetricKeys.end(), key) == kMetricKeys.end()) {
        problem(fmt::format("unknown key '{}'{}", key, nearest_hint(key, kMetricKeys)));
      }
    }
    Measured measured;
    measured.metric = metric_of(json.value("metric", Json()));
    if (measured.metric == nullptr) return std::nullopt;
    place_ += fmt::format(" ({})", measured.metric->name);
    const Unit* unit = unit_of(json.value("unit", Json()), *measured.metric);
    const Json value = json.value("value", Json());
    if (!value.is_number() || value.get<double>() < 0) problem(fmt::format("value: want a number from 0, not {}", value.dump()));
    read_definition(json, measured);
    if (unit == nullptr || !value.is_number()) return std::nullopt;
    measured.value = value.get<double>();
    measured.unit = unit->name;
    measured.base_value = measured.value * unit->factor;
    return measured;
  }

 private:
  std::nullopt_t problem(const std::string& text) {
    problems_.push_back(fmt::format("{}: {}", place_, text));
    return std::nullopt;
  }

  const Metric* metric_of(const Json& json) {
    const std::string name = json.is_string() ? json.get<std::string>() : json.dump();
    const Metric* metric = json.is_string() ? find_metric(name) : nullptr;
    if (metric == nullptr) {
      std::vector<std::string_view> names;
      for (const Metric& known : metrics()) names.push_back(known.name);
      problem(fmt::format("metric: unknown '{}'{}; known: {}", name, nearest_hint(name, names), fmt::join(names, " ")));
    } else if (!seen_.insert(name).second) {
      problem(fmt::format("metric: '{}' stands twice", name));
    }
    return metric;
  }

  const Unit* unit_of(const Json& json, const Metric& metric) {
    const Unit* unit = json.is_string() ? find_unit(json.get<std::string>()) : nullptr;
    if (unit != nullptr && unit->dimension == metric.dimension) return unit;
    problem(fmt::format("unit: want one of {}, not {}", fmt::join(unit_names(metric.dimension), " "), json.dump()));
    return nullptr;
  }

  void read_definition(const Json& json, Measured& measured) {
    if (!json.contains("definition")) return;
    const auto& known = measured.metric->definitions;
    const Json& given = json["definition"];
    if (given.is_string() && std::find(known.begin(), known.end(), given.get<std::string>()) != known.end()) {
      measured.definition = given.get<std::string>();
    } else {
      problem(fmt::format("definition: want one of {}, not {}", fmt::join(known, " "), given.dump()));
    }
  }

  const std::string& file_;
  std::vector<std::string>& problems_;
  std::string place_;
  std::set<std::string> seen_;
};

void read_head(const Json& json, const std::string& file, Profile& profile, std::vector<std::string>& problems) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      problems.push_back(fmt::format("{}: unknown key '{}'{}", file, key, nearest_hint(key, kKeys)));
    }
  }
  const auto text = [&](const char* key, std::string& value) {
    if (!json.contains(key)) return;
    if (!json[key].is_string()) problems.push_back(fmt::format("{}: {}: want text, not {}", file, key, json[key].dump()));
    if (json[key].is_string()) value = json[key].get<std::string>();
  };
  text("chip", profile.chip);
  text("workload", profile.workload);
  text("source", profile.source);
  if (!json.contains("chip")) problems.push_back(file + ": no key chip, the name of the chip that was measured");
  const Json cores = json.value("cores", Json());
  if (cores.is_number_unsigned() && cores.get<std::uint64_t>() >= 1) {
    profile.cores = cores.get<std::uint64_t>();
  } else {
    problems.push_back(fmt::format("{}: cores: want the number of physical cores that were used, not {}", file, cores.dump()));
  }
}

/// A field of the vendor's summary. Units and meanings as in the Neuron Explorer documentation (glossary, summary viewer); fields
/// whose unit it leaves open, such as those called percent, are not read.
struct VendorField {
  const char* name;
  const char* metric;
  const char* unit;
  const char* definition;
};
constexpr std::array<VendorField, 7> kVendorFields{{
    {"total_time", "device_time", "s", "device"},
    {"tensor_engine_active_time", "tensor_busy", "s", "active"},
    {"vector_engine_active_time", "vector_busy", "s", "active"},
    {"scalar_engine_active_time", "scalar_busy", "s", "active"},
    {"gpsimd_engine_active_time", "gpsimd_busy", "s", "active"},
    {"hbm_read_bytes", "hbm_read_bytes", "bytes", ""},
    {"hbm_write_bytes", "hbm_write_bytes", "bytes", ""},
}};

bool is_vendor_summary(const Json& json) {
  return json.is_object() && json.size() == 1 && json.front().is_object() && json.front().contains("total_time");
}

Profile vendor_profile(const Json& json, const std::string& file) {
  Profile profile;
  profile.source = "profiler summary";
  for (const VendorField& field : kVendorFields) {
    if (!json.contains(field.name)) continue;
    const Json& value = json[field.name];
    if (!value.is_number() || value.get<double>() < 0) {
      throw InputError(fmt::format("{}: {}: want a number from 0, not {}", file, field.name, value.dump()));
    }
    const Unit* unit = find_unit(field.unit);
    profile.metrics.push_back(
        {find_metric(field.metric), value.get<double>(), unit->name, value.get<double>() * unit->factor, field.definition});
  }
  return profile;
}

}  // namespace

Profile parse_profile(std::string_view text, const std::string& file) {
  if (const Json any = parse_json(text, file); is_vendor_summary(any)) return vendor_profile(any.front(), file);
  const Json json = parse_json(text, file, kProfileFormat);
  Profile profile;
  std::vector<std::string> problems;
  read_head(json, file, profile, problems);
  const Json list = json.value("metrics", Json());
  if (!list.is_array() || list.empty())
    problems.push_back(fmt::format("{}: metrics: want a list of measured figures, not {}", file, list.dump()));
  MetricReader reader(file, problems);
  for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
    if (const auto measured = reader.read(list[i], i)) profile.metrics.push_back(*measured);
  }
  if (!problems.empty()) throw InputError(problems);
  return profile;
}

}  // namespace trnsim::app
