// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>

namespace trnsim::app {

/// The whole of a file of at most `kMaxFileBytes`; "-" is stdin. IoError names the path and what is wrong.
std::string read_file(const std::string& path);

/// Whether a file that was read can be read once more: not stdin, a pipe or a device.
bool can_be_read_again(const std::string& path);

}  // namespace trnsim::app
