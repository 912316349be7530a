// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/nki/call.hpp"

namespace trnsim::app {

/// A named use of a kernel: `{"trnsim_workload": "1.0", "kernel": …, "params": {…}}`, or with `nki`, `args`, `grid`, `policy`.
struct WorkloadFile {
  std::string about;
  std::string kernel;               ///< Built in; empty if nki names one.
  std::vector<std::string> params;  ///< "k=v", in the order of the file.
  NkiCall nki;                      ///< Its file is relative to that of the workload.
  unsigned cores = 1;
};

/// InputError names file, key, value and what is allowed; IoError the file.
WorkloadFile read_workload_file(const std::string& path);
WorkloadFile parse_workload_file(std::string_view text, const std::string& path);

}  // namespace trnsim::app
