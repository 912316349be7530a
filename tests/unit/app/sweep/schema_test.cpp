// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "unit/app/sweep/sweep_support.hpp"

namespace trnsim::app {
namespace {

using nlohmann::json;

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(TRNSIM_SOURCE_DIR) + "/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool valid(const std::string& sweep) {
  const json schema_json = json::parse(text_of("docs/schemas/sweep.schema.json"));
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  const json document = json::parse(sweep);
  return valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

const std::string kAxis = R"({"path": "params.m", "values": [1]})";

TEST(SweepSchema, AcceptsTheSweepsThatShip) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TRNSIM_SOURCE_DIR) + "/configs/sweeps")) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(valid(text_of("configs/sweeps/" + name))) << name;
    EXPECT_GT(SweepSpec::load(entry.path().string()).size(), 0U) << name;
    ++files;
  }
  EXPECT_GE(files, 2U);
}

TEST(SweepSchema, AcceptsWhatTheReaderAccepts) {
  for (const std::string& text : {
           matmul_sweep(kAxis),
           matmul_sweep(kAxis, R"("combine": "zip", "filters": ["params.m > 0"], "about": "x", "$schema": "sweep.schema.json")"),
           matmul_sweep(kAxis, R"("combine": {"random": {"samples": 3, "seed": 0}})"),
           matmul_sweep(kAxis, R"("combine": "latin_hypercube", "samples": 2)"),
           matmul_sweep(R"({"path": "set.hbm.tcl_ns", "range": {"from": 1, "to": 9, "step": 2, "scale": "linear"}})",
                        R"("limits": {"seconds": 0.5})"),
       }) {
    EXPECT_EQ(problems_of(text), "");
    EXPECT_TRUE(valid(text)) << text;
  }
}

TEST(SweepSchema, RefusesWhatTheReaderRefuses) {
  for (const std::string& text : {
           matmul_sweep(kAxis, R"("filter": [])"),
           matmul_sweep(kAxis, R"("combine": "gird")"),
           matmul_sweep(kAxis, R"("combine": {"random": {}})"),
           matmul_sweep(kAxis, R"("limits": {"seconds": 0})"),
           matmul_sweep(""),
           matmul_sweep(R"({"path": "hbm.stacks", "values": [1]})"),
           matmul_sweep(R"({"path": "params.m"})"),
           matmul_sweep(R"({"path": "params.m", "values": []})"),
           matmul_sweep(R"({"path": "params.m", "values": [null]})"),
           matmul_sweep(R"({"path": "params.m", "values": [1], "range": {"from": 1, "to": 2, "steps": 2}})"),
           matmul_sweep(R"({"path": "params.m", "range": {"from": 1, "steps": 2}})"),
           matmul_sweep(R"({"path": "params.m", "range": {"from": 1, "to": 2, "steps": 2, "step": 1}})"),
       }) {
    EXPECT_NE(problems_of(text), "") << text;
    EXPECT_FALSE(valid(text)) << text;
  }
}

}  // namespace
}  // namespace trnsim::app
