// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/loaded_chips.hpp"

#include "trnsim/config/override.hpp"
#include "trnsim/error.hpp"

namespace trnsim::app {

LoadedChips::LoadedChips(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    try {
      std::vector<std::string> warnings;
      ChipConfig chip = load_chip(name, {}, warnings);
      if (warnings.empty()) chips_.emplace(name, std::move(chip));
    } catch (const Error&) {  // its points will say so, or their overrides mend it
    }
  }
}

ChipConfig LoadedChips::load(const RunRequest& request, std::vector<std::string>& warnings) const {
  const auto loaded = chips_.find(request.chip);
  if (loaded == chips_.end() || request.allow_unknown) return app::load(request, warnings);
  return override_chip(loaded->second, request.chip, request.set);
}

}  // namespace trnsim::app
