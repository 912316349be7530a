// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trnsim/config/chip_config.hpp"

namespace trnsim {

struct LoadOptions {
  std::vector<std::string> set;  ///< "path=value", applied in order after the file.
  bool allow_unknown = false;    ///< Unknown keys become warnings.
};

/// Reads a preset by name or a chip file by path, follows `extends`, applies overrides and checks
/// everything. Throws ConfigError with all problems of one run (file, key path, value, allowed range,
/// nearest known key), IoError if a named file cannot be read. Warnings are appended.
ChipConfig load_chip(const std::string& name_or_path, const LoadOptions& options, std::vector<std::string>& warnings);

/// The same from text, for tests and fuzzers; `file` is the name used in messages.
ChipConfig parse_chip(std::string_view json, const std::string& file, const LoadOptions& options, std::vector<std::string>& warnings);

/// Rules across fields; empty when the description is consistent.
std::vector<std::string> check_chip(const ChipConfig& config);

/// Names of the shipped presets, in generation order.
std::vector<std::string> preset_names();

/// Directory with `chips/`: $TRNSIM_CONFIGS, else beside the executable (build tree), else the installed one.
std::string config_directory();

/// Fully resolved description as JSON text with keys in the order of `describe`; `sources` optional.
std::string to_json(const ChipConfig& config, bool with_sources = false);

/// JSON Schema (draft 7) of chip files, made from `describe`.
std::string chip_schema();

/// Whether the value at a key path is an integer by its type.
bool is_whole_number_key(std::string_view path);

/// First 16 hex digits of a 64-bit FNV-1a pair over `to_json`: equal configurations, equal hash.
std::string config_hash(const ChipConfig& config);

}  // namespace trnsim
