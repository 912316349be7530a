// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/sweep/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "trnsim/error.hpp"
#include "unit/app/sweep/rows.hpp"

namespace trnsim::app {
namespace {

SweepTable table_of(std::size_t points) {
  SweepTable table{{"chip", "params.m"}, {}};
  for (std::size_t point = 0; point < points; ++point) table.rows.push_back(sample_row(point));
  return table;
}

std::string& value(SweepRow& row, const std::string& name) {
  const std::vector<ResultColumn> columns = result_columns();
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const ResultColumn& column) { return column.name == name; });
  return row.values.at(static_cast<std::size_t>(found - columns.begin()));
}

TEST(SweepTable, ColumnsAreThePointItsAxesItsStatusAndThoseOfARun) {
  const std::vector<std::string> names = column_names(table_of(1));
  const std::vector<std::string> first(names.begin(), names.begin() + 6);
  EXPECT_EQ(first, (std::vector<std::string>{"point", "chip", "params.m", "status", "error", "preset"}));
  EXPECT_EQ(names.size(), 5 + result_columns().size());
  for (const char* name : {"preset", "generation", "config_hash", "overrides"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(SweepTable, AxisNamedAsAColumnIsMarked) {
  const std::vector<std::string> names = column_names(SweepTable{{"cores", "Status", "chip"}, {}});
  EXPECT_EQ(names[1], "axis.cores");
  EXPECT_EQ(names[2], "axis.Status");
  EXPECT_EQ(names[3], "chip");
  EXPECT_EQ(std::count(names.begin(), names.end(), "cores"), 1);
}

TEST(SweepTable, EveryRowOfTheCsvHasTheColumnsOfItsHeader) {
  SweepTable table = table_of(2);
  table.rows[1].status = PointStatus::Refused;
  table.rows[1].error = "no, \"never\"";
  const std::string csv = to_csv(table);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_TRUE(csv.starts_with("point,chip,params.m,status,error,preset,"));
  EXPECT_NE(csv.find("\n1,trn2,256,refused,\"no, \"\"never\"\"\",t1,"), std::string::npos) << csv;
}

TEST(SweepTable, JsonHasNumbersTextsAndNulls) {
  SweepTable table = table_of(1);
  value(table.rows[0], "mfu").clear();
  value(table.rows[0], "config_hash") = "1234567890123456";
  value(table.rows[0], "cycles") = "12345";
  value(table.rows[0], "macs") = "9007199254740993";  // more than a double holds
  const nlohmann::json json = nlohmann::json::parse(to_json(table));
  EXPECT_EQ(json["trnsim_sweep_results"], "1.0");
  EXPECT_EQ(json["points"], 1);
  EXPECT_EQ(json["units"]["time_ns"], "ns");
  const nlohmann::json& row = json["rows"].at(0);
  EXPECT_EQ(row["point"], 0);
  EXPECT_EQ(row["chip"], "trn2");
  EXPECT_EQ(row["params.m"], 128);
  EXPECT_TRUE(row["mfu"].is_null());
  EXPECT_EQ(row["config_hash"], "1234567890123456");
  EXPECT_EQ(row["cycles"], 12345);
  EXPECT_EQ(row["macs"], "9007199254740993");
  EXPECT_EQ(row["time_ns"], 0.25);
}

TEST(SweepTable, JsonCsvAndMarkdownHaveTheSameRows) {
  const SweepTable table = table_of(3);
  const nlohmann::json json = nlohmann::json::parse(to_json(table));
  const std::string csv = to_csv(table), markdown = to_markdown(table);
  ASSERT_EQ(json["rows"].size(), 3U);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_EQ(std::count(markdown.begin(), markdown.end(), '\n'), 5);
  const std::vector<std::string> names = column_names(table);
  for (std::size_t i = 0; i < 3; ++i) {
    std::string line, cells;
    const std::vector<std::string> values = column_values(table.rows[i]);
    for (std::size_t c = 0; c < names.size(); ++c) {
      const nlohmann::json& cell = json["rows"][i].at(names[c]);
      if (cell.is_string()) {
        EXPECT_EQ(cell, values[c]) << names[c];
      } else if (cell.is_number_float()) {
        EXPECT_EQ(cell.get<double>(), std::stod(values[c])) << names[c];
      } else if (cell.is_null()) {
        EXPECT_EQ(values[c], "") << names[c];
      }
      line += (c == 0 ? "" : ",") + values[c];
      cells += (c == 0 ? "| " : " | ") + values[c];
    }
    EXPECT_NE(csv.find(line + "\n"), std::string::npos);
    EXPECT_NE(markdown.find(cells + " |\n"), std::string::npos);
  }
}

/// The file's problems under the schema that is shipped.
std::string schema_problems(const nlohmann::json& file) {
  std::ifstream in(TRNSIM_SOURCE_DIR "/docs/schemas/sweep-results.schema.json");
  const nlohmann::json text = nlohmann::json::parse(in);
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  valijson::ValidationResults results;
  const bool valid = valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(file), &results);
  std::string problems = valid ? "" : "invalid";
  for (valijson::ValidationResults::Error error; results.popError(error);) problems += "\n" + error.description;
  return problems;
}

TEST(SweepTable, JsonPassesItsSchema) {
  SweepTable table = table_of(3);
  for (SweepRow& row : table.rows) value(row, "config_hash") = "0123456789abcdef", value(row, "cycles") = "12";
  table.rows[2].status = PointStatus::Refused;
  table.rows[2].error = "no";
  table.rows[2].values.assign(table.rows[2].values.size(), "");
  nlohmann::json file = nlohmann::json::parse(to_json(table));
  EXPECT_EQ(schema_problems(file), "");
  file["rows"][0]["status"] = "perhaps";
  EXPECT_NE(schema_problems(file), "");
}

TEST(SweepTable, MarkdownOfSomeColumnsHasThoseInTheirOrder) {
  EXPECT_EQ(to_markdown(table_of(2), {"time_ns", "chip"}), "| time_ns | chip |\n| --- | --- |\n| 0.25 | trn2 |\n| 1.25 | trn2 |\n");
}

TEST(SweepTable, MarkdownCellsStayInTheirCell) {
  SweepTable table = table_of(1);
  table.rows[0].error = "a|b\nc";
  EXPECT_NE(to_markdown(table, {"error"}).find("| a\\|b c |"), std::string::npos);
}

TEST(SweepTable, UnknownColumnNamesTheNearestOne) {
  try {
    (void)to_markdown(table_of(1), {"time_n"});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("nearest: 'time_ns'"), std::string::npos) << error.what();
  }
}

TEST(SweepTable, StatusNamesReadBack) {
  for (std::size_t i = 0; i < kStatusCount; ++i) {
    EXPECT_EQ(parse_status(name_of(static_cast<PointStatus>(i))), static_cast<PointStatus>(i));
  }
  EXPECT_THROW((void)parse_status("gone"), InputError);
}

}  // namespace
}  // namespace trnsim::app
