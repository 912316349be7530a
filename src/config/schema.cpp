// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <limits>
#include <nlohmann/json.hpp>

#include "config/field_table.hpp"
#include "trnsim/config/load.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

std::string description(const FieldEntry& entry) {
  std::string text(entry.field.help);
  if (!entry.field.unit.empty()) text += " [" + std::string(entry.field.unit) + "]";
  return text;
}

Json choices_of(std::string_view choices) {
  Json list = Json::array();
  while (!choices.empty()) {
    const std::size_t end = choices.find('|');
    list.push_back(std::string(choices.substr(0, end)));
    choices.remove_prefix(end == std::string_view::npos ? choices.size() : end + 1);
  }
  return list;
}

Json schema_of(const FieldEntry& entry) {
  Json schema;
  schema["description"] = description(entry);
  if (std::holds_alternative<bool>(entry.value)) {
    schema["type"] = "boolean";
  } else if (entry.is_text()) {
    schema["type"] = "string";
    if (!entry.field.choices.empty()) schema["enum"] = choices_of(entry.field.choices);
  } else {
    schema["type"] = std::holds_alternative<double>(entry.value) ? "number" : "integer";
    schema[entry.field.positive ? "exclusiveMinimum" : "minimum"] = entry.field.min;
    if (entry.field.max < std::numeric_limits<double>::max()) schema["maximum"] = entry.field.max;
  }
  return schema;
}

Json object_schema(std::string_view help) {
  Json schema;
  schema["description"] = help;
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  schema["properties"] = Json::object();
  return schema;
}

/// The schema of a section, made with its parents when it is not there yet.
Json& section_schema(Json& root, const std::string& path) {
  if (path.empty()) return root;
  Json& parent = section_schema(root, std::string(section_of(path)));
  Json& properties = parent["properties"];
  const std::string leaf(leaf_of(path));
  if (!properties.contains(leaf)) {
    for (const Section& section : sections()) {
      if (section.path == path) properties[leaf] = object_schema(section.help);
    }
  }
  return properties[leaf];
}

Json source_schema() {
  Json entry = object_schema("Where a value comes from");
  Json& properties = entry["properties"];
  properties["value"] = {{"description", "As the source prints it; a number must equal the value of the key"},
                         {"type", {"string", "number", "boolean"}}};
  properties["confidence"] = {{"type", "string"}, {"enum", {"published", "measured", "external", "derived", "assumed", "user"}}};
  properties["source"] = {{"type", "string"}};
  properties["note"] = {{"type", "string"}};
  properties["alternatives"] = {
      {"description", "Other values, each beginning with the number to set"}, {"type", "array"}, {"items", {{"type", "string"}}}};
  properties["range"] = {{"description", "Lowest and highest value that the number may have in truth; it lies between them"},
                         {"type", "array"},
                         {"items", {{"type", "number"}}},
                         {"minItems", 2},
                         {"maxItems", 2}};
  properties["range_reason"] = {{"description", "Where the range comes from"}, {"type", "string"}};
  entry["required"] = {"confidence", "source"};
  Json all;
  all["description"] = "Source of each value by key path";
  all["type"] = "object";
  all["additionalProperties"] = std::move(entry);
  return all;
}

/// Names every number of a section, and the sections below it, as required.
void require(Json& schema, const Json& properties) {
  for (const auto& [name, property] : properties.items()) {
    const bool nested = property.contains("properties");
    if (!nested && property.value("type", "") == "string") continue;
    schema["required"].push_back(name);
    if (nested) require(schema["properties"][name], property["properties"]);
  }
}

}  // namespace

std::string chip_schema() {
  Json root;
  root["$schema"] = "http://json-schema.org/draft-07/schema#";
  root["title"] = "trnsim chip description";
  root.update(object_schema("One chip; with \"extends\" only the keys that differ"));
  for (const FieldEntry& entry : entries_of(ChipConfig{})) {
    section_schema(root, std::string(section_of(entry.path)))["properties"][std::string(leaf_of(entry.path))] = schema_of(entry);
  }
  Json complete;
  require(complete, root["properties"]);
  root["properties"]["$schema"] = {{"type", "string"}};
  root["properties"]["extends"] = {{"description", "Preset name, or a path relative to this file"}, {"type", "string"}};
  root["properties"]["sources"] = source_schema();
  root["anyOf"] = {{{"required", {"extends"}}}, complete};
  return root.dump(2) + '\n';
}

}  // namespace trnsim
