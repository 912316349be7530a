// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/request.hpp"
#include "app/workload_file.hpp"

namespace trnsim::app {

/// Turns values of a sweep file into requests: file names are relative to the folder of the file, and a
/// workload file is read once.
class Resolver {
 public:
  explicit Resolver(std::string folder);

  /// A chip preset keeps its name, a file gets the folder in front.
  [[nodiscard]] std::string chip(const std::string& name) const;
  [[nodiscard]] std::string file(const std::string& name) const;

  /// Reads a workload file, so that requests can use it. InputError or IoError.
  const WorkloadFile& read_workload(const std::string& name);

  /// One that was read; nullptr if none of this name could be.
  [[nodiscard]] const WorkloadFile* workload(const std::string& name) const;

  /// `values` by path: base and axes together. Parameters and overrides come in the order of their names,
  /// since the keys of a JSON object have none.
  [[nodiscard]] RunRequest request(const std::map<std::string, std::string>& values) const;

 private:
  std::string folder_;
  std::vector<std::string> presets_;
  std::map<std::string, WorkloadFile> workloads_;
};

}  // namespace trnsim::app
