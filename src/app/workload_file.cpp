// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/workload_file.hpp"

#include <fmt/format.h>

#include <filesystem>

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

std::vector<std::string> params_of(const Json& value, const std::string& path, const std::string& key) {
  if (!value.is_object()) throw InputError(fmt::format("{}: {}: want an object, not {}", path, key, value.dump()));
  std::vector<std::string> params;
  for (const auto& [name, param] : value.items()) {
    if (param.is_structured() || param.is_null())
      throw InputError(fmt::format("{}: {}.{}: want a number or text, not {}", path, key, name, param.dump()));
    params.push_back(name + "=" + (param.is_string() ? param.get<std::string>() : param.dump()));
  }
  return params;
}

/// A file name inside a workload file is relative to its folder.
std::string beside(const std::string& path, const std::string& name) {
  const std::filesystem::path folder = path == "stdin" ? "" : std::filesystem::path(path).parent_path();
  return (folder / name).lexically_normal().string();
}

void check_one_kernel(const WorkloadFile& file, const std::string& path) {
  const bool nki = !file.nki.kernel.empty();
  if (file.kernel.empty() && !nki) throw InputError(path + ": no key kernel; trnsim kernels list names them");
  if (!file.kernel.empty() && nki) throw InputError(path + ": kernel and nki exclude each other");
  if (nki && !file.params.empty()) throw InputError(path + ": params belongs to kernel; want args for nki");
  if (nki && file.cores > 1) throw InputError(path + ": cores belongs to kernel; an NKI kernel is recorded for one core");
  if (!nki && !(file.nki.args.empty() && file.nki.grid.empty() && file.nki.policy.empty()))
    throw InputError(path + ": args, grid and policy belong to nki");
}

}  // namespace

WorkloadFile parse_workload_file(std::string_view text, const std::string& path) {
  const Json json = parse_json(text, path, kWorkloadFormat);
  const std::string version_key(kWorkloadFormat.key);
  WorkloadFile file;
  const std::vector<std::string_view> known{version_key, "about", "kernel", "params", "nki", "args", "grid", "policy", "cores"};
  for (const auto& [key, value] : json.items()) {
    if (key == version_key) continue;
    if (key == "about") {
      file.about = text_of(value, path, key);
    } else if (key == "kernel") {
      file.kernel = text_of(value, path, key);
    } else if (key == "params") {
      file.params = params_of(value, path, key);
    } else if (key == "nki") {
      file.nki.kernel = beside(path, text_of(value, path, key));
    } else if (key == "args") {
      file.nki.args = params_of(value, path, key);
    } else if (key == "grid") {
      file.nki.grid = value.is_number_unsigned() ? value.dump() : text_of(value, path, key);
    } else if (key == "policy") {
      file.nki.policy = params_of(value, path, key);
    } else if (key == "cores") {
      file.cores = cores_of(value, path);
    } else {
      throw InputError(fmt::format("{}: unknown key '{}'{}", path, key, nearest_hint(key, known)));
    }
  }
  check_one_kernel(file, path);
  return file;
}

WorkloadFile read_workload_file(const std::string& path) { return parse_workload_file(read_file(path), path == "-" ? "stdin" : path); }

}  // namespace trnsim::app
