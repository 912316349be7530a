// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "config/field_table.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

/// A number as a person writes it: 716, not 716.0.
Json json_of(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (*number == std::floor(*number) && std::abs(*number) < kExactIntegers) return static_cast<std::int64_t>(*number);
    return *number;
  }
  return std::visit([](const auto& v) { return Json(v); }, value);
}

/// The object that holds the key, made when it is not there yet.
Json& object_at(Json& root, std::string_view section) {
  Json* at = &root;
  while (!section.empty()) {
    const std::size_t dot = section.find('.');
    at = &(*at)[std::string(section.substr(0, dot))];
    section.remove_prefix(dot == std::string_view::npos ? section.size() : dot + 1);
  }
  return *at;
}

Json sources_json(const ChipConfig& config) {
  Json all = Json::object();
  for (const FieldEntry& entry : entries_of(config)) {
    const auto found = config.sources.find(entry.path);
    if (found == config.sources.end()) continue;
    const ValueSource& source = found->second;
    Json& out = all[entry.path];
    out["value"] = source.value;
    out["confidence"] = source.confidence;
    out["source"] = source.source;
    if (!source.note.empty()) out["note"] = source.note;
    if (!source.alternatives.empty()) out["alternatives"] = source.alternatives;
    if (source.range) {
      out["range"] = {json_of(source.range->lo), json_of(source.range->hi)};
      out["range_reason"] = source.range->reason;
    }
  }
  return all;
}

}  // namespace

std::string to_json(const ChipConfig& config, bool with_sources) {
  Json root = Json::object();
  for (const FieldEntry& entry : entries_of(config))
    object_at(root, section_of(entry.path))[std::string(leaf_of(entry.path))] = json_of(entry.value);
  if (with_sources) root["sources"] = sources_json(config);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string config_hash(const ChipConfig& config) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : to_json(config)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace trnsim
