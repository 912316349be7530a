// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/config/load.hpp"

#include <filesystem>

#include "config/files.hpp"
#include "config/reader.hpp"
#include "trnsim/config/override.hpp"
#include "trnsim/error.hpp"

namespace trnsim {
namespace {

/// A file that extends another and has no name of its own is named after the file.
void name_after_file(ChipConfig& config, const ChipFile& last) {
  if (last.tree.find("name") == nullptr) config.name = std::filesystem::path(last.name).stem().string();
}

}  // namespace

ChipConfig parse_chip(std::string_view json, const std::string& file, const LoadOptions& options, std::vector<std::string>& warnings) {
  std::vector<std::string> problems;
  JsonNode tree = parse_json(json, file, problems);
  const std::vector<ChipFile> chain = collect_chain(std::move(tree), file, problems);

  ChipConfig config;
  ChipReader reader(config, options.allow_unknown, warnings);
  reader.problems = std::move(problems);
  for (const ChipFile& layer : chain) reader.apply(layer);
  if (!chain.front().extends && chain.front().tree.is(JsonNode::Kind::Object)) reader.require_all(chain.front().name);
  name_after_file(config, chain.back());
  for (const std::string& text : options.set) reader.apply_override(text);
  if (reader.problems.empty() || chain.back().extends) {
    for (const std::string& problem : check_chip(config)) reader.problems.push_back(file + ": " + problem);
  }
  if (!reader.problems.empty()) throw ConfigError(reader.problems);
  return config;
}

ChipConfig override_chip(ChipConfig config, const std::string& file, const std::vector<std::string>& set) {
  std::vector<std::string> no_warnings;
  ChipReader reader(config, false, no_warnings);
  for (const std::string& text : set) reader.apply_override(text);
  if (reader.problems.empty()) {
    for (const std::string& problem : check_chip(config)) reader.problems.push_back(file + ": " + problem);
  }
  if (!reader.problems.empty()) throw ConfigError(reader.problems);
  return config;
}

ChipConfig load_chip(const std::string& name_or_path, const LoadOptions& options, std::vector<std::string>& warnings) {
  if (const auto preset = preset_file(name_or_path)) return parse_chip(read_text(*preset), *preset, options, warnings);
  const bool looks_like_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  std::error_code ignored;
  if (!looks_like_path && !std::filesystem::exists(name_or_path, ignored)) throw ConfigError(unknown_preset(name_or_path));
  return parse_chip(read_text(name_or_path), name_or_path, options, warnings);
}

}  // namespace trnsim
