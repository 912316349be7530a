// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/nki/options.hpp"

#include <fmt/format.h>

namespace trnsim::app {

void add_call_options(Options& options) {
  options
      .list("arg,a", "NAME=VALUE", "Argument of an NKI kernel: bf16[128,512], a number, a text, a Python expression over the file's names")
      .value("grid", "N[,N…]", "Launch grid of an NKI kernel: 2, or 4,4, or nc(2)")
      .list("policy", "NAME=VALUE", "A choice of the compiler that nobody outside can know (docs/nki.md)");
}

NkiCall call_of(const ParsedOptions& options) {
  NkiCall call;
  call.args = options.list("arg");
  call.grid = options.value("grid");
  call.policy = options.list("policy");
  return call;
}

void check_call(const NkiCall& call) {
  const std::size_t colons = call.kernel.rfind("::");
  if (colons == std::string::npos || colons == 0 || colons + 2 == call.kernel.size())
    throw UsageError(fmt::format("NKI kernel '{}': want FILE.py::function", call.kernel));
  for (const std::string& choice : call.policy) {
    if (choice.find('=') == std::string::npos || choice.front() == '=')
      throw UsageError(fmt::format("--policy {}: want NAME=VALUE", choice));
  }
}

std::string kernel_file(const NkiCall& call) { return call.kernel.substr(0, call.kernel.rfind("::")); }

}  // namespace trnsim::app
