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

using Named = std::map<std::string, std::string>;

/// Parameters of a workload file, with those of the sweep in their place.
void add_params(const std::vector<std::string>& from, Named& params) {
  for (const std::string& param : from) {
    const std::size_t equals = param.find('=');
    params.emplace(param.substr(0, equals), param.substr(equals + 1));
  }
}

std::vector<std::string> pairs_of(const Named& params) {
  std::vector<std::string> pairs;
  for (const auto& [name, value] : params) pairs.push_back(name + "=" + value);
  return pairs;
}

/// A workload file below what the sweep says itself.
void add_workload(const WorkloadFile& workload, RunRequest& request, Named& params, Named& args, Named& policy) {
  request.kernel = workload.kernel;
  request.cores = workload.cores;
  request.nki.kernel = workload.nki.kernel;
  if (request.nki.grid.empty()) request.nki.grid = workload.nki.grid;
  add_params(workload.params, params);
  add_params(workload.nki.args, args);
  add_params(workload.nki.policy, policy);
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
  Named params, args, policy;
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
      case TargetKind::Nki: request.nki.kernel = file(value); break;
      case TargetKind::Grid: request.nki.grid = value; break;
      case TargetKind::Param: params[target.name] = value; break;
      case TargetKind::Arg: args[target.name] = value; break;
      case TargetKind::Policy: policy[target.name] = value; break;
      case TargetKind::Set: request.set.push_back(target.name + "=" + value); break;
    }
  }
  if (workload != nullptr) add_workload(*workload, request, params, args, policy);
  if (!cores.empty()) request.cores = parse_cores(cores);
  request.params = pairs_of(params);
  request.nki.args = pairs_of(args);
  request.nki.policy = pairs_of(policy);
  return request;
}

}  // namespace trnsim::app
