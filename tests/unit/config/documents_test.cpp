// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
// The generated files. TRNSIM_UPDATE_DOCS=1 writes them anew.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "config/field_table.hpp"
#include "trnsim/config/show.hpp"
#include "unit/config/chip_test.hpp"

namespace trnsim {
namespace {

const std::string kRoot = TRNSIM_SOURCE_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void expect_generated(const std::string& name, const std::string& text) {
  if (std::getenv("TRNSIM_UPDATE_DOCS") != nullptr) std::ofstream(kRoot + "/" + name, std::ios::binary) << text;
  EXPECT_TRUE(text_of(kRoot + "/" + name) == text) << name << " is old; TRNSIM_UPDATE_DOCS=1 writes it anew";
}

bool valid(const nlohmann::json& document) {
  const nlohmann::json schema_json = nlohmann::json::parse(chip_schema());
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  return valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

TEST(Documents, ParameterPageIsCurrent) { expect_generated("docs/parameters.md", parameter_document()); }

TEST(Documents, SchemaFileIsCurrent) { expect_generated("docs/schemas/chip.schema.json", chip_schema()); }

TEST(Documents, ParameterPageNamesEveryKey) {
  const std::string page = parameter_document();
  for (const FieldEntry& entry : entries_of(ChipConfig{})) EXPECT_TRUE(contains(page, "`" + entry.path + "`")) << entry.path;
}

TEST(Schema, AcceptsEveryPresetFile) {
  for (const std::string& name : preset_names()) {
    EXPECT_TRUE(valid(nlohmann::json::parse(text_of(config_directory() + "/chips/" + name + ".json")))) << name;
  }
}

TEST(Schema, AcceptsAResolvedDescriptionWithSources) {
  EXPECT_TRUE(valid(nlohmann::json::parse(to_json(preset("trn3", {"hbm.stacks=5"}), true))));
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
  const auto with = [](const char* pointer, nlohmann::json value) {
    nlohmann::json document = nlohmann::json::parse(to_json(preset("trn2")));
    document[nlohmann::json::json_pointer(pointer)] = std::move(value);
    return valid(document);
  };
  EXPECT_TRUE(with("/hbm/stacks", 5));
  EXPECT_FALSE(with("/hbm/stacks", 0));
  EXPECT_FALSE(with("/hbm/stacks", "4"));
  EXPECT_FALSE(with("/hbm/stack_gb_per_s", 0));
  EXPECT_FALSE(with("/hbm/no_such_key", 1));
  EXPECT_FALSE(with("/no_such_section", 1));
  EXPECT_FALSE(with("/generation", "v9"));
  EXPECT_FALSE(with("/dma/static_mode/available", 1));
}

TEST(Schema, WantsEveryNumberUnlessTheFileExtendsAnother) {
  nlohmann::json document = nlohmann::json::parse(to_json(preset("trn2")));
  document["dma"]["static_mode"].erase("trigger_ns");
  EXPECT_FALSE(valid(document));
  EXPECT_TRUE(valid(nlohmann::json::parse(R"({"extends": "trn2", "dma": {"engines": 8}})")));
  EXPECT_FALSE(valid(nlohmann::json::parse(R"({"dma": {"engines": 8}})")));
}

TEST(Sources, ABinaryGigabyteIsAlwaysCalledGib) {
  const std::regex binary(R"(1073741824|1(ULL)? ?<< ?30|1024(\.0)? ?\* ?1024(\.0)? ?\* ?1024)");
  for (const char* folder : {"/src", "/include"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot + folder)) {
      std::ifstream in(entry.path());
      for (std::string line; entry.is_regular_file() && std::getline(in, line);) {
        EXPECT_TRUE(!std::regex_search(line, binary) || contains(line, "GiB")) << entry.path() << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace trnsim
