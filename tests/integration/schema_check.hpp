// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#pragma once

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace trnsim {

inline nlohmann::json json_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return nlohmann::json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
}

/// Whether a document follows docs/schemas/NAME.schema.json.
inline bool follows_schema(const std::string& name, const nlohmann::json& document) {
  const nlohmann::json text = json_file(TRNSIM_SOURCE_DIR "/docs/schemas/" + name + ".schema.json");
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  return valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

}  // namespace trnsim
