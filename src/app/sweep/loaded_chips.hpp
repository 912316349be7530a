// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/request.hpp"

namespace trnsim::app {

/// Chip descriptions read once, before points are forked: the overrides of a point are applied to a copy.
class LoadedChips {
 public:
  LoadedChips() = default;
  /// Reads these chips; one that cannot be loaded without overrides is left to `load`.
  explicit LoadedChips(const std::vector<std::string>& names);

  /// The same as app::load of this request. ConfigError.
  [[nodiscard]] ChipConfig load(const RunRequest& request, std::vector<std::string>& warnings) const;

 private:
  std::map<std::string, ChipConfig> chips_;
};

}  // namespace trnsim::app
