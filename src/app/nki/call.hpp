// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

namespace trnsim::app {

/// A call of an NKI kernel, as the command line names it.
struct NkiCall {
  std::string kernel;               ///< "FILE.py::function"; empty = none.
  std::vector<std::string> args;    ///< "x=bf16[128,512]", or values in order.
  std::string grid;                 ///< "2", "4,4", "nc(2)"; empty = the kernel's own.
  std::vector<std::string> policy;  ///< "name=value"
};

}  // namespace trnsim::app
