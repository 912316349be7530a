// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/field_table.hpp"
#include "config/files.hpp"

namespace trnsim {

/// Writes files and overrides into one ChipConfig and collects everything that is wrong with them.
class ChipReader {
 public:
  ChipReader(ChipConfig& config, bool allow_unknown, std::vector<std::string>& warnings);

  /// One file of the chain; bases come first.
  void apply(const ChipFile& file);
  /// "path=value".
  void apply_override(const std::string& text);
  /// Keys that no file gave although the first one extends nothing.
  void require_all(const std::string& file);

  std::vector<std::string> problems;

 private:
  void read_members(const JsonNode& object, const std::string& prefix, const ChipFile& file);
  void read_value(const FieldRef& target, const JsonNode& node, const std::string& place, const std::string& origin);
  void read_sources(const JsonNode& node, const ChipFile& file);
  void read_source(const std::string& path, const JsonNode& node, const ChipFile& file);
  void store(const FieldRef& target, const FieldValue& value, const std::string& place, const std::string& origin);
  void unknown(const std::string& place, const std::string& path, const JsonNode* node = nullptr);
  [[nodiscard]] const FieldRef* find(std::string_view path) const;
  [[nodiscard]] bool is_section(std::string_view path) const;

  ChipConfig& config_;
  bool allow_unknown_;
  std::vector<std::string>& warnings_;
  std::vector<FieldRef> fields_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::size_t suggestions_ = 0;
  std::set<std::string> given_;  ///< Keys that a file has set, also wrongly.
};

}  // namespace trnsim
