// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

namespace trnsim::app {

/// The whole of a file; "-" is stdin. IoError names the path and the system error.
std::string read_file(const std::string& path);

}  // namespace trnsim::app
