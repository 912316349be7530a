// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "trnsim/trace.hpp"
#include "trnsim/workload.hpp"
#include "unit/workload/trace_support.hpp"
#include "workload/trace_words.hpp"

namespace trnsim {
namespace {

using nlohmann::json;
using test::chip;

std::string file(const std::string& name) {
  std::ifstream in(std::string(TRNSIM_SOURCE_DIR) + "/docs/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

json schema_json(const std::string& part) { return json::parse(file("schemas/trace-" + part + ".schema.json")); }

class SchemaCheck {
 public:
  explicit SchemaCheck(const std::string& part) : document_(schema_json(part)) {
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(valijson::adapters::NlohmannJsonAdapter(document_), schema_);
  }
  bool accepts(const std::string& line) const {
    const json value = json::parse(line);
    return valijson::Validator().validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), nullptr);
  }

 private:
  json document_;
  valijson::Schema schema_;
};

/// The worked example of docs/trace-format.md.
std::string example() {
  const std::string text = file("trace-format.md");
  const std::string open = "```jsonl\n";
  const std::size_t begin = text.find(open) + open.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

void expect_valid(const std::string& trace) {
  const SchemaCheck header("header"), lines("line");
  std::istringstream in(trace);
  std::string line;
  std::getline(in, line);
  EXPECT_TRUE(header.accepts(line)) << line;
  while (std::getline(in, line)) EXPECT_TRUE(lines.accepts(line)) << line;
}

TEST(TraceDocument, WorkedExampleRunsThroughTheReader) {
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    const auto program = test::program_of(example(), chip(name));
    EXPECT_EQ(program->info().macs, 2U * 128 * 128 * 512);
    const TraceStatistics s = trace_statistics(*program);
    EXPECT_EQ(s.instructions, 8U);
    EXPECT_EQ(s.unused_tiles, 0U);
    EXPECT_EQ(s.written_bytes[static_cast<std::size_t>(Buffer::Hbm)], 128U * 1024 * 2);
  }
}

TEST(TraceDocument, WorkedExampleFollowsTheSchemas) { expect_valid(example()); }

TEST(TraceDocument, EveryKeyOfTheSchemasIsExplained) {
  const std::string text = file("trace-format.md");
  const auto expect_keys = [&](const json& properties) {
    for (const auto& [key, value] : properties.items()) EXPECT_NE(text.find("`" + key + "`"), std::string::npos) << key;
  };
  const json header = schema_json("header"), line = schema_json("line");
  expect_keys(header["properties"]);
  for (const auto& [name, part] : header["definitions"].items()) expect_keys(part.value("properties", json::object()));
  for (const auto& [name, part] : line["definitions"].items()) expect_keys(part.value("properties", json::object()));
}

TEST(TraceDocument, EveryWordOfTheFormatIsExplained) {
  const std::string text = file("trace-format.md");
  auto words = opcode_names();
  for (const auto& more :
       {all_names<EngineKind>(kEngineCount), all_names<ActFn>(kActFnCount), all_names<AluOp>(kAluOpCount), all_names<DgeMode>(4)}) {
    words.insert(words.end(), more.begin(), more.end());
  }
  for (const auto word : words) EXPECT_NE(text.find("`" + std::string(word) + "`"), std::string::npos) << word;
}

TEST(TraceSchema, ListsTheWordsOfTheInstructionSet) {
  const json line = schema_json("line");
  const json& properties = line["definitions"]["instruction"]["properties"];
  EXPECT_EQ(properties["op"]["enum"].get<std::vector<std::string_view>>(), opcode_names());
  EXPECT_EQ(properties["engine"]["enum"].get<std::vector<std::string_view>>(), all_names<EngineKind>(kEngineCount));
  EXPECT_EQ(properties["function"]["enum"].get<std::vector<std::string_view>>(), all_names<ActFn>(kActFnCount));
  EXPECT_EQ(properties["dge"]["enum"].get<std::vector<std::string_view>>(), all_names<DgeMode>(4));
  EXPECT_EQ(line["definitions"]["alu"]["enum"].get<std::vector<std::string_view>>(), all_names<AluOp>(kAluOpCount));
  EXPECT_EQ(line["definitions"]["dtype"]["enum"].get<std::vector<std::string_view>>(), all_names<DType>(kDTypeCount));
  EXPECT_EQ(schema_json("header")["definitions"]["dtype"], line["definitions"]["dtype"]);
  for (std::size_t op = 0; op < kOpcodeCount; ++op) {
    for (const OperandRule& rule : info(static_cast<Opcode>(op)).operands)
      EXPECT_TRUE(properties.contains(name_of(rule.role))) << name_of(rule.role);
  }
}

TEST(TraceSchema, AcceptsTheTracesOfKernels) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"trn2", "m=256,n=640,k=300"}, {"trn2", "m=128,n=512,k=512,dtype=fp8_e4m3"}, {"trn3", "m=128,n=512,k=512,dtype=mxfp8"}};
  for (const auto& [name, params] : cases) {
    Workload w = make_kernel("matmul", parse_params({params}), chip(name));
    expect_valid(test::text_of(*w.programs[0]));
  }
}

TEST(TraceSchema, RefusesWhatTheReaderRefuses) {
  const SchemaCheck header("header"), lines("line");
  EXPECT_FALSE(header.accepts(R"({"trnsim_trace":"2.0"})"));
  EXPECT_FALSE(header.accepts(R"({"trnsim_trace":"1.0","tensors":[{"name":"a"}]})"));
  EXPECT_FALSE(header.accepts(R"({"trnsim_trace":"1.0","color":1})"));
  EXPECT_TRUE(lines.accepts(R"({"op":"memset","dst":{"t":"t"}})"));
  EXPECT_FALSE(lines.accepts(R"({"op":"memset","dst":{"of":"t"}})"));
  EXPECT_FALSE(lines.accepts(R"({"op":"memzet","dst":"t"})"));
  EXPECT_FALSE(lines.accepts(R"({"op":"memset","dst":{"t":"t","ap":[[1,0]]}})"));
  EXPECT_FALSE(lines.accepts(R"({"op":"memset","dst":{"buffer":"sbuf","address":0}})"));
  EXPECT_FALSE(lines.accepts(R"({"tile":"t","buffer":"hbm","partitions":1,"bytes":4})"));
  EXPECT_FALSE(lines.accepts(R"({"release":"t","op":"memset"})"));
}

}  // namespace
}  // namespace trnsim
