// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <nlohmann/json.hpp>

#include "analysis/fields.hpp"
#include "trnsim/result.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

Json type_of(FieldType type) {
  switch (type) {
    case FieldType::Text: return {{"type", "string"}};
    case FieldType::TextOrNull: return {{"type", {"string", "null"}}};
    case FieldType::Number: return {{"type", "number"}};
    case FieldType::NumberOrNull: return {{"type", {"number", "null"}}};
    case FieldType::Count: return {{"anyOf", {{{"type", "integer"}, {"minimum", 0}}, {{"type", "string"}, {"pattern", "^[0-9]+$"}}}}};
    case FieldType::CountOrNull: return {{"type", {"integer", "null"}}, {"minimum", 0}};
    case FieldType::Flag: return {{"type", "boolean"}};
    case FieldType::Texts: return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case FieldType::Numbers: return {{"type", "array"}, {"items", {{"type", "number"}}}};
    case FieldType::Map: return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case FieldType::Any: return {{"type", "object"}};
  }
  return Json::object();
}

Json describe(const ResultField& field) {
  Json json = type_of(field.type);
  json["description"] = std::string(field.meaning) + (field.unit.empty() ? "" : " [" + std::string(field.unit) + "]");
  return json;
}

Json new_object() {
  return {{"type", "object"}, {"required", Json::array()}, {"additionalProperties", false}, {"properties", Json::object()}};
}

/// The property of this name, made on first use and required from then on.
Json& property(Json& object, const std::string& name, const Json& initial) {
  Json& properties = object["properties"];
  if (!properties.contains(name)) {
    properties[name] = initial;
    object["required"].push_back(name);
  }
  return properties[name];
}

/// Adds the field at the rest of its path below `object`; placeholders become one property per name.
void add(Json& object, std::string_view path, const ResultField& field) {
  const std::size_t dot = path.find('.');
  const std::string_view part = path.substr(0, dot);
  std::vector<std::string> names = placeholder_names(part);
  const bool array = part.ends_with("[]");
  if (names.empty()) names.emplace_back(part.substr(0, part.size() - (array ? 2 : 0)));
  for (const std::string& name : names) {
    if (dot == std::string_view::npos) {
      property(object, name, describe(field));
    } else if (array) {
      add(property(object, name, {{"type", "array"}, {"items", new_object()}})["items"], path.substr(dot + 1), field);
    } else {
      add(property(object, name, new_object()), path.substr(dot + 1), field);
    }
  }
}

}  // namespace

std::string result_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "trnsim result"}};
  schema.update(new_object());
  for (const ResultField& field : result_fields()) add(schema, field.path, field);
  schema["properties"]["trnsim_result"]["const"] = "1.0";
  schema["properties"]["model"]["const"] = "timing";
  return schema.dump(2) + '\n';
}

}  // namespace trnsim
