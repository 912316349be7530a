// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/workload_file.hpp"

#include <fmt/format.h>

#include "app/json.hpp"
#include "app/read_file.hpp"
#include "trnsim/error.hpp"
#include "trnsim/nearest.hpp"
#include "trnsim/version.hpp"

namespace trnsim::app {
namespace {

std::string text_of(const Json& value, const std::string& path, const std::string& key) {
  if (!value.is_string()) throw InputError(fmt::format("{}: {}: want text, not {}", path, key, value.dump()));
  return value.get<std::string>();
}

unsigned cores_of(const Json& value, const std::string& path) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 || value.get<std::uint64_t>() > 1024) {
    throw InputError(fmt::format("{}: cores: want a whole number from 1 to 1024, not {}", path, value.dump()));
  }
  return value.get<unsigned>();
}

std::vector<std::string> params_of(const Json& value, const std::string& path) {
  if (!value.is_object()) throw InputError(fmt::format("{}: params: want an object, not {}", path, value.dump()));
  std::vector<std::string> params;
  for (const auto& [name, param] : value.items()) {
    if (param.is_structured() || param.is_null())
      throw InputError(fmt::format("{}: params.{}: want a number or text, not {}", path, name, param.dump()));
    params.push_back(name + "=" + (param.is_string() ? param.get<std::string>() : param.dump()));
  }
  return params;
}

}  // namespace

WorkloadFile parse_workload_file(std::string_view text, const std::string& path) {
  const Json json = parse_json(text, path, kWorkloadFormat);
  const std::string version_key(kWorkloadFormat.key);
  WorkloadFile file;
  const std::vector<std::string_view> known{version_key, "about", "kernel", "params", "cores"};
  for (const auto& [key, value] : json.items()) {
    if (key == version_key) continue;
    if (key == "about") {
      file.about = text_of(value, path, key);
    } else if (key == "kernel") {
      file.kernel = text_of(value, path, key);
    } else if (key == "params") {
      file.params = params_of(value, path);
    } else if (key == "cores") {
      file.cores = cores_of(value, path);
    } else {
      throw InputError(fmt::format("{}: unknown key '{}'{}", path, key, nearest_hint(key, known)));
    }
  }
  if (file.kernel.empty()) throw InputError(path + ": no key kernel; trnsim kernels list names them");
  return file;
}

WorkloadFile read_workload_file(const std::string& path) { return parse_workload_file(read_file(path), path == "-" ? "stdin" : path); }

}  // namespace trnsim::app
