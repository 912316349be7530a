// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "trnsim/error.hpp"
#include "trnsim/validate.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersion = "1.0";
constexpr double kDigits = 1e5;  ///< Errors are kept to a thousandth of a percentage point.

double rounded(double error) { return std::round(error * kDigits) / kDigits; }

std::map<std::string, double> errors_of(std::string_view text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || json.value("trnsim_validation_baseline", "") != kVersion || !json.contains("errors") ||
      !json["errors"].is_object())
    throw ConfigError(
        fmt::format("{}: not a baseline of this version: 'trnsim_validation_baseline' = '{}' and 'errors' are expected", file, kVersion));
  std::map<std::string, double> errors;
  for (const auto& [id, error] : json["errors"].items()) {
    if (!error.is_number()) throw ConfigError(fmt::format("{}: errors['{}'] = {} is not a number", file, id, error.dump()));
    errors[id] = error.get<double>();
  }
  return errors;
}

}  // namespace

std::string validation_baseline(const ValidationReport& report) {
  Json json = {{"trnsim_validation_baseline", kVersion}, {"errors", Json::object()}};
  for (const ValidationRecord& r : report.records) {
    if (r.error) json["errors"][r.point.id] = rounded(*r.error);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::vector<std::string> worse_than(const ValidationReport& report, std::string_view baseline, const std::string& file, double slack) {
  std::map<std::string, double> errors = errors_of(baseline, file);
  std::vector<std::string> lines;
  for (const ValidationRecord& r : report.records) {
    const auto known = errors.find(r.point.id);
    if (!r.error) {
      lines.push_back(fmt::format("{}: failed: {}", r.point.id, r.failure));
    } else if (known == errors.end()) {
      lines.push_back(fmt::format("{}: not in {}", r.point.id, file));
    } else if (std::abs(rounded(*r.error)) > std::abs(known->second) + slack) {
      lines.push_back(fmt::format("{}: error {:+.1f} %, was {:+.1f} %", r.point.id, 100 * *r.error, 100 * known->second));
    }
    if (known != errors.end()) errors.erase(known);
  }
  for (const ValidationLadder& ladder : report.ladders) {
    for (const auto& [a, b] : ladder.swapped)
      lines.push_back(fmt::format("ladder '{}': {} and {} are in the wrong order", ladder.name, a, b));
  }
  for (const auto& [id, error] : errors) lines.push_back(fmt::format("{}: in {}, but no such record", id, file));
  return lines;
}

}  // namespace trnsim
