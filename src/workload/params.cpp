// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "workload/params.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "error/nearest.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

void add_assignment(KernelParams& params, std::string_view item, const std::string& list) {
  const auto equals = item.find('=');
  const std::string_view key = trimmed(item.substr(0, equals));
  if (equals == std::string_view::npos || key.empty()) {
    throw WorkloadError(fmt::format("--param '{}': '{}' is not name=value", list, item));
  }
  const std::string_view value = trimmed(item.substr(equals + 1));
  if (value.empty()) throw WorkloadError(fmt::format("--param '{}': {} has no value", list, key));
  if (!params.emplace(key, value).second) throw WorkloadError(fmt::format("--param '{}': {} is given twice", list, key));
}

}  // namespace

KernelParams parse_params(const std::vector<std::string>& lists) {
  KernelParams params;
  for (const std::string& list : lists) {
    std::string_view rest = list;
    for (;;) {
      const auto comma = rest.find(',');
      add_assignment(params, trimmed(rest.substr(0, comma)), list);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return params;
}

ParamReader::ParamReader(const KernelInfo& kernel, const KernelParams& given) : kernel_(kernel.name) {
  std::vector<std::string_view> names;
  for (const KernelParam& p : kernel.params) {
    names.push_back(p.name);
    values_[p.name] = p.default_value;
  }
  for (const auto& [name, value] : given) {
    if (values_.contains(name)) {
      values_[name] = value;
    } else {
      problem(fmt::format("unknown parameter '{}'{}; known: {}", name, nearest_hint(name, names), fmt::join(names, " ")));
    }
  }
}

void ParamReader::problem(const std::string& text) { problems_.push_back(fmt::format("kernel {}: {}", kernel_, text)); }

void ParamReader::bad_value(const std::string& name, const std::string& allowed) {
  const std::string& value = values_.at(name);
  if (value.empty()) {
    problem(fmt::format("parameter {} is required; allowed: {}", name, allowed));
  } else {
    problem(fmt::format("parameter {}={} is not allowed; allowed: {}", name, value, allowed));
  }
}

void ParamReader::check() const {
  if (!problems_.empty()) throw WorkloadError(problems_);
}

void ParamReader::set_default(const std::string& name, std::string_view value) {
  if (values_.at(name) == "auto") values_[name] = value;
}

std::uint64_t ParamReader::integer(const std::string& name, std::uint64_t min, std::uint64_t max) {
  const std::string& text = values_.at(name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max) {
    bad_value(name, fmt::format("an integer from {} to {}", min, max));
    return min;
  }
  values_[name] = std::to_string(value);
  return value;
}

std::string ParamReader::choice(const std::string& name, const std::vector<std::string_view>& allowed) {
  const std::string& value = values_.at(name);
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
  bad_value(name, fmt::format("{}{}", fmt::join(allowed, " "), value.empty() ? "" : nearest_hint(value, allowed)));
  return std::string(allowed.front());
}

bool ParamReader::flag(const std::string& name) {
  const std::string& value = values_.at(name);
  const bool yes = value == "true" || value == "1" || value == "yes";
  if (!yes && value != "false" && value != "0" && value != "no") bad_value(name, "true false");
  values_[name] = yes ? "true" : "false";
  return yes;
}

DType ParamReader::dtype(const std::string& name, const std::vector<DType>& allowed) {
  const auto type = dtype_from(values_.at(name));
  if (type && std::find(allowed.begin(), allowed.end(), *type) != allowed.end()) {
    values_[name] = name_of(*type);
    return *type;
  }
  std::vector<std::string_view> names;
  for (const DType t : allowed) names.push_back(name_of(t));
  choice(name, names);
  return allowed.front();
}

}  // namespace trnsim
