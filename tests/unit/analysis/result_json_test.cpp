// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "analysis/fields.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

using Json = nlohmann::ordered_json;

std::string file_text(const std::string& path) {
  std::ifstream in(std::string(TRNSIM_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Compares a file of the source tree with what it should hold now, which is left in the build tree.
void expect_file(const std::string& path, const std::string& expected) {
  const std::string name = path.substr(path.rfind('/') + 1), written = std::string(TRNSIM_BINARY_DIR) + "/" + name;
  const std::string present = file_text(path);
  if (present == expected) return;
  std::ofstream(written) << expected;
  const auto place = std::mismatch(present.begin(), present.end(), expected.begin(), expected.end());
  const auto line = std::count(present.begin(), place.first, '\n') + 1;
  ADD_FAILURE() << path << " differs from line " << line << " on; if that is meant, copy " << written << " over it";
}

/// Every path of a document that holds a value, with `[]` for list entries.
void paths(const Json& value, const std::string& path, std::set<std::string>& found) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, part] : value.items()) paths(part, path.empty() ? key : path + "." + key, found);
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (const Json& part : value) paths(part, path + "[]", found);
  } else {
    found.insert(path);
  }
}

/// Paths of the field table with placeholders replaced by each of their names.
void expand(const std::string& done, const std::string& rest, std::set<std::string>& found) {
  const std::size_t dot = rest.find('.');
  const std::string part = rest.substr(0, dot);
  std::vector<std::string> names = placeholder_names(part);
  if (names.empty()) names.push_back(part);
  for (const std::string& name : names) {
    const std::string path = done.empty() ? name : done + "." + name;
    if (dot == std::string::npos) found.insert(path);
    else expand(path, rest.substr(dot + 1), found);
  }
}

bool defined(const std::string& path, const std::set<std::string>& table) {
  if (table.contains(path)) return true;
  for (const ResultField& field : result_fields()) {  // below a map or the chip's description
    const bool open = field.type == FieldType::Map || field.type == FieldType::Any;
    if (open && path.starts_with(std::string(field.path) + ".")) return true;
  }
  return false;
}

std::vector<std::string> schema_problems(const nlohmann::json& document) {
  const auto schema_json = nlohmann::json::parse(result_schema());
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  std::vector<std::string> problems;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) return problems;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    std::string place;
    for (const std::string& part : error.context) place += part;
    problems.push_back(place + ": " + error.description);
  }
  return problems;
}

class ResultFile : public ::testing::Test {
 protected:
  ChipConfig chip = hand_made::chip("trn2");
  Snapshot run = hand_made::matmul_run(chip, 1000, 1 << 20, 2);
  ResultContext context = hand_made::matmul_context(std::uint64_t{1000} * 128 * 128 * 512, 2);
  /// With one layer and one line of the source, so that every field has a value.
  [[nodiscard]] Json json() const {
    Result result = make_result(chip, run, context);
    LayerResult layer;
    layer.layer.name = "layer";
    layer.result = std::make_shared<const Result>(result);
    result.layers.push_back(layer);
    result.influences = {{"hbm.trcd_ns", 14, 11, 17, 90, 110, false}};
    result.uncertainty.emplace();
    result.uncertainty->parameters = {{"hbm.trcd_ns", "assumed", 14, 11, 17, 0.5, 0.25, 20}};
    result.source_lines.push_back({"kernel.py", 7, "nisa.nc_matmul(...)", 12, 0, 0, 1.5, {}, {}});
    return Json::parse(to_json(result));
  }
};

TEST_F(ResultFile, HasTheAgreedPaths) {
  const Json j = json();
  EXPECT_EQ(j["trnsim_result"], "1.0");
  EXPECT_EQ(j["model"], "timing");
  EXPECT_EQ(j["cycles"], 512000);
  EXPECT_EQ(j["workload"]["macs"], 2ULL * 1000 * 128 * 128 * 512);
  EXPECT_EQ(j["cores"][1]["engines"]["tensor"]["elapsed_cycles"], 512000);
  EXPECT_EQ(j["engines"]["tensor"]["elapsed_cycles"], 1024000);
  EXPECT_EQ(j["engines"]["vector"]["stall_cycles"]["wait_dma"], 0);
  EXPECT_EQ(j["dma"]["bytes"], 1 << 20);
  EXPECT_EQ(j["truncated"], nullptr);
  EXPECT_EQ(j["chip"]["config"]["tensor"]["rows"], 128);
}

TEST_F(ResultFile, EveryFieldIsDefined) {
  std::set<std::string> table, found;
  for (const ResultField& field : result_fields()) expand("", std::string(field.path), table);
  paths(json(), "", found);
  for (const std::string& path : found) EXPECT_TRUE(defined(path, table)) << path << " has no definition";
}

TEST_F(ResultFile, EveryDefinedFieldIsWritten) {
  std::set<std::string> table, found;
  for (const ResultField& field : result_fields()) {
    if (field.type != FieldType::Map && field.type != FieldType::Any) expand("", std::string(field.path), table);
  }
  paths(json(), "", found);
  for (const std::string& path : table) EXPECT_TRUE(found.contains(path)) << path << " is defined, but not written";
}

TEST_F(ResultFile, EachFieldHasAMeaning) {
  for (const ResultField& field : result_fields()) EXPECT_FALSE(field.meaning.empty()) << field.path;
}

TEST_F(ResultFile, FitsItsSchema) {
  EXPECT_EQ(schema_problems(nlohmann::json::parse(to_json(make_result(chip, run, context)))), std::vector<std::string>{});
}

TEST_F(ResultFile, AnIdleRunFitsTheSchemaToo) {
  run = hand_made::idle_run(chip, 0);
  context = ResultContext{};
  EXPECT_EQ(schema_problems(nlohmann::json::parse(to_json(make_result(chip, run, context)))), std::vector<std::string>{});
}

TEST_F(ResultFile, TheSchemaRefusesUnknownAndMissingFields) {
  auto document = nlohmann::json::parse(to_json(make_result(chip, run, context)));
  document["surprise"] = 1;
  EXPECT_FALSE(schema_problems(document).empty());
  document.erase("surprise");
  document["dma"].erase("bytes");
  EXPECT_FALSE(schema_problems(document).empty());
  document = nlohmann::json::parse(to_json(make_result(chip, run, context)));
  document["cycles"] = -1;
  EXPECT_FALSE(schema_problems(document).empty());
}

TEST_F(ResultFile, CoresAddUpToTheTotals) {
  run.cores[1].dma.issued_bytes = run.cores[1].dma.completed_bytes = run.cores[1].dma.hbm_write_bytes = 4096;
  run.hbm[0].write_bytes = 4096;
  const Json j = json();
  for (const auto& [group, key] : std::vector<std::pair<std::string, std::string>>{{"dma", "bytes"},
                                                                                   {"dma", "transfers"},
                                                                                   {"sbuf", "peak_bytes"},
                                                                                   {"sbuf", "capacity_bytes"},
                                                                                   {"psum", "write_bytes"},
                                                                                   {"tensor", "executed_macs"}}) {
    std::uint64_t sum = 0;
    for (const Json& core : j["cores"]) sum += core[group][key].get<std::uint64_t>();
    EXPECT_EQ(sum, j[group][key].get<std::uint64_t>()) << group << '.' << key;
  }
  EXPECT_EQ(j["hbm"]["read_bytes"], j["dma"]["hbm_read_bytes"]);
}

TEST_F(ResultFile, CountsAbove2To53AreText) {
  chip.tensor.clock_ghz = 2.4;
  context.programs[0].flops = (std::uint64_t{1} << 53) - context.programs[1].flops;
  EXPECT_EQ(json()["workload"]["flops"], std::uint64_t{1} << 53);
  context.programs[0].flops += 1;
  EXPECT_EQ(json()["workload"]["flops"], "9007199254740993");
}

TEST_F(ResultFile, TheSameRunGivesTheSameBytes) {
  context.host_seconds = 0.5;
  const Json first = hand_made::document(make_result(chip, run, context));
  context.host_seconds = 0.7;
  EXPECT_EQ(first.dump(), hand_made::document(make_result(chip, run, context)).dump());
}

TEST_F(ResultFile, AbsentRatiosAreNullAndNothingIsNan) {
  run = hand_made::idle_run(chip, kFsPerUs);
  context = hand_made::matmul_context(0);
  const std::string text = to_json(make_result(chip, run, context));
  EXPECT_EQ(text.find("nan"), std::string::npos);
  const Json j = Json::parse(text);
  EXPECT_TRUE(j["mfu"].is_null());
  EXPECT_TRUE(j["hbm"]["row_hit_rate"].is_null());
  EXPECT_EQ(j["dma"]["gb_per_s"], 0.0);
}

TEST_F(ResultFile, ABadByteInTheCommandDoesNotStopTheWriter) {
  context.command = "trnsim run \xff";
  EXPECT_NO_THROW((void)json());
}

TEST_F(ResultFile, WorkBookedBeyondTheEndOfAStoppedRunIsNoFault) {
  run.truncated = "--max-time 1us reached";
  run.end_fs = kFsPerUs;
  for (CoreSnapshot& core : run.cores) {
    const auto counters = hand_made::core(chip, core.core, run.end_fs, 1.0);
    core.engines = counters.engines;
  }
  const Json j = json();
  EXPECT_EQ(j["array_busy"], 1.0);
  EXPECT_EQ(j["dma"]["utilization"], 1.0);
}

TEST_F(ResultFile, TruncationOverridesAndWarningsAreSaid) {
  run.truncated = "--max-time 1us reached";
  context.warnings = {"be careful"};
  chip.overrides = {{"tensor.clock_ghz", "2.4"}};
  const Json j = json();
  EXPECT_EQ(j["truncated"], "--max-time 1us reached");
  EXPECT_EQ(j["warnings"][0], "be careful");
  EXPECT_EQ(j["chip"]["overrides"]["tensor.clock_ghz"], "2.4");
}

TEST_F(ResultFile, MatchesTheGoldenFile) {
  Json j = hand_made::document(make_result(chip, run, context));
  j["tool"]["version"] = j["tool"]["commit"] = "";
  for (const char* changing : {"config", "config_hash", "assumed"}) j["chip"].erase(changing);  // the preset's own business
  expect_file("tests/unit/analysis/golden_result.json", j.dump(2) + "\n");
}

TEST(ResultDocuments, TheSchemaFileIsCurrent) { expect_file("docs/schemas/result.schema.json", result_schema()); }

TEST(ResultDocuments, TheReferencePageIsCurrent) { expect_file("docs/results.md", results_reference()); }

}  // namespace
}  // namespace trnsim
