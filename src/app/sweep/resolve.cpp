// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/resolve.hpp"

#include <algorithm>
#include <filesystem>

#include "app/sweep/target.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim::app {
namespace {

namespace fs = std::filesystem;

/// Parameters of a workload file, with those of the sweep in their place.
void add_params(const WorkloadFile& workload, std::map<std::string, std::string>& params) {
  for (const std::string& param : workload.params) {
    const std::size_t equals = param.find('=');
    params.emplace(param.substr(0, equals), param.substr(equals + 1));
  }
}

}  // namespace

Resolver::Resolver(std::string folder) : folder_(std::move(folder)), presets_(preset_names()) {}

std::string Resolver::file(const std::string& name) const {
  return folder_.empty() ? name : (fs::path(folder_) / name).lexically_normal().string();
}

std::string Resolver::chip(const std::string& name) const {
  if (std::find(presets_.begin(), presets_.end(), name) != presets_.end()) return name;
  const std::string path = file(name);
  std::error_code ignored;
  const bool looks_like_path = name.find('/') != std::string::npos || name.ends_with(".json");
  return looks_like_path || fs::exists(path, ignored) ? path : name;
}

const WorkloadFile& Resolver::read_workload(const std::string& name) {
  const auto known = workloads_.find(name);
  return known != workloads_.end() ? known->second : workloads_.emplace(name, read_workload_file(file(name))).first->second;
}

const WorkloadFile* Resolver::workload(const std::string& name) const {
  const auto known = workloads_.find(name);
  return known == workloads_.end() ? nullptr : &known->second;
}

RunRequest Resolver::request(const std::map<std::string, std::string>& values) const {
  RunRequest request;
  std::map<std::string, std::string> params;
  const WorkloadFile* workload = nullptr;
  std::string cores;
  for (const auto& [path, value] : values) {
    const Target target = target_of(path).value_or(Target{});
    switch (target.kind) {
      case TargetKind::Chip: request.chip = chip(value); break;
      case TargetKind::Kernel: request.kernel = value; break;
      case TargetKind::Cores: cores = value; break;
      case TargetKind::MaxTime: request.max_time = value; break;
      case TargetKind::Trace: request.trace = file(value); break;
      case TargetKind::Workload: workload = &workloads_.at(value); break;
      case TargetKind::GemmList: request.gemm_list = file(value); break;
      case TargetKind::Param: params[target.name] = value; break;
      case TargetKind::Set: request.set.push_back(target.name + "=" + value); break;
    }
  }
  if (workload != nullptr) {
    request.kernel = workload->kernel;
    request.cores = workload->cores;
    add_params(*workload, params);
  }
  if (!cores.empty()) request.cores = parse_cores(cores);
  for (const auto& [name, value] : params) request.params.push_back(name + "=" + value);
  return request;
}

}  // namespace trnsim::app
