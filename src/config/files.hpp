// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/json_tree.hpp"

namespace trnsim {

/// One chip file of a chain of `extends`.
struct ChipFile {
  std::string name;  ///< As used in messages.
  JsonNode tree;
  bool extends = false;
};

/// Whole text of a file. Throws IoError when it cannot be read or is larger than `kMaxFileBytes`.
std::string read_text(const std::string& path);

/// File of a preset, nothing when there is none of this name.
std::optional<std::string> preset_file(const std::string& name);

/// "unknown chip trn22; did you mean trn2? Presets: …".
std::string unknown_preset(const std::string& name);

/// "there is no preset in …/chips (TRNSIM_CONFIGS)".
std::string no_presets();

/// The file and everything it extends, base first. A missing base or a cycle is added to `problems`.
std::vector<ChipFile> collect_chain(JsonNode tree, const std::string& file, std::vector<std::string>& problems);

}  // namespace trnsim
