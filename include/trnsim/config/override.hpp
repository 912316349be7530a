// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <vector>

#include "trnsim/config/chip_config.hpp"

namespace trnsim {

/// A description that was loaded without overrides, with `set` ("path=value") applied in order and
/// everything checked again: the same as loading it with them, without reading the file. `file` is the name
/// in messages. ConfigError with all problems.
ChipConfig override_chip(ChipConfig base, const std::string& file, const std::vector<std::string>& set);

}  // namespace trnsim
