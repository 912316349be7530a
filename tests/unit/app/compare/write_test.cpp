// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/compare/write.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "trnsim/config/load.hpp"
#include "trnsim/text.hpp"

namespace trnsim::app {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

CompareColumn column(const std::string& chip, double time_ns, double energy_pj) {
  CompareColumn made;
  std::vector<std::string> warnings;
  made.chip = load_chip(chip, {}, warnings);
  made.label = chip;
  made.workload = "matmul m=64,n=64,k=64";
  made.request.chip = chip;
  made.request.kernel = "matmul";
  made.request.params = {"m=64,n=64,k=64"};
  for (const CompareFigure& figure : compare_figures()) {
    made.figures.emplace_back(figure.name == "time_ns" ? time_ns : figure.name.ends_with("_pj") ? energy_pj : 12.5);
  }
  made.bottleneck = "DMA issue";
  made.config_hash = "0123456789abcdef";
  return made;
}

CompareColumn refused(const std::string& chip) {
  CompareColumn made = column(chip, 0, 0);
  made.end = JobEnd::Refused;
  made.code = ExitCode::BadInput;
  made.reason = "dtype=mxfp8 is not available, \"really\"";
  made.figures.assign(compare_figures().size(), std::nullopt);
  made.bottleneck = made.config_hash = "";
  return made;
}

Comparison comparison(std::vector<CompareColumn> columns) {
  Comparison made{std::move(columns), std::nullopt};
  add_ratios(made);
  return made;
}

std::optional<double> ratio(const CompareColumn& column, std::string_view name) {
  for (std::size_t i = 0; i < compare_figures().size(); ++i) {
    if (compare_figures()[i].ratio == name) return column.ratios[i];
  }
  return std::nullopt;
}

Split some_split() {
  Split split;
  split.from = "trn1";
  split.to = "trn2";
  split.speed_up = 2;
  split.orders = SplitOrders::All;
  split.simulations = 2;
  SplitGroup clock, rest;
  clock.causes = bit_of(Cause::Clock);
  clock.keys = {"tensor.clock_ghz"};
  clock.in_order = clock.running = 0.8;
  clock.alone = clock.last = clock.average = clock.smallest = clock.largest = 0.8;
  rest.causes = bit_of(Cause::Array) | bit_of(Cause::OnChip);
  rest.keys = {"tensor.rows", "sbuf.partitions"};
  rest.in_order = 2.5;
  rest.running = 2;
  rest.alone_reason = "refused for a reason";
  rest.average = 2.5;
  split.groups = {clock, rest};
  split.remarks = {"array and SBUF/PSUM are taken together: because"};
  return split;
}

nlohmann::json schema_json() {
  std::ifstream in(std::string(TRNSIM_SOURCE_DIR) + "/docs/schemas/compare.schema.json");
  return nlohmann::json::parse(in);
}

bool valid(const nlohmann::json& document) {
  const nlohmann::json json = schema_json();
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(json), schema);
  return valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
}

TEST(CompareRatios, SpeedUpIsTimeOfTheFirstOverTimeOfTheOther) {
  const Comparison made = comparison({column("trn1", 300, 60), column("trn2", 100, 30)});
  EXPECT_EQ(made.baseline, 0u);
  EXPECT_EQ(ratio(made.columns[0], "speed_up"), 1);
  EXPECT_EQ(ratio(made.columns[1], "speed_up"), 3);
  EXPECT_EQ(ratio(made.columns[1], "energy_chip"), 0.5);
}

TEST(CompareRatios, BaselineIsTheFirstThatRan) {
  const Comparison made = comparison({refused("trn1"), column("trn2", 100, 30), column("trn3", 50, 15)});
  EXPECT_EQ(made.baseline, 1u);
  EXPECT_FALSE(ratio(made.columns[0], "speed_up").has_value());
  EXPECT_EQ(ratio(made.columns[2], "speed_up"), 2);
  EXPECT_TRUE(contains(compare_text(made, {}, {}), "ratios are to trn2, the first that ran"));
}

TEST(CompareRatios, NothingThatRanIsNoBaseline) { EXPECT_FALSE(comparison({refused("trn1")}).baseline.has_value()); }

TEST(CompareRatios, CyclesHaveNone) {
  for (const CompareFigure& figure : compare_figures()) {
    EXPECT_TRUE(!contains(std::string(figure.name), "cycles") || figure.ratio.empty());
  }
}

TEST(CompareFigures, MemoryEnergyAndRateNameTheirScope) {
  for (const CompareFigure& figure : compare_figures()) {
    const std::string name(figure.name), label(figure.label);
    const bool scoped = contains(name, "_gb_per_s") || name.ends_with("_pj") || contains(name, "per_flop") || contains(name, "tflops") ||
                        name == "average_w" || name == "mfu";
    EXPECT_TRUE(!scoped || contains(label, "chip") || contains(label, "cores used") || contains(label, "stacks in use")) << label;
  }
}

TEST(CompareText, HasTimeBesideCyclesAndANoteWhenClocksDiffer) {
  const std::string text = compare_text(comparison({column("trn1", 300, 60), column("trn2", 100, 30)}), {}, {});
  EXPECT_LT(text.find("\ntime "), text.find("\ncycles, own clock"));
  EXPECT_TRUE(contains(text, "where clocks differ, compare times")) << text;
  EXPECT_FALSE(contains(compare_text(comparison({column("trn2", 300, 60), column("trn3", 100, 30)}), {}, {}), "where clocks differ"));
}

TEST(CompareText, MarksProjectionsAndKeepsTheNoteOfCarriedOverNumbers) {
  const std::string text = compare_text(comparison({column("trn3", 300, 60), column("trn4-projected", 100, 30)}), {}, {});
  EXPECT_TRUE(contains(text.substr(0, text.find("\ntime")), "PROJECTED")) << text;
  EXPECT_TRUE(contains(text, "trn3: No instruction timing of Trainium3 is published")) << text;
}

TEST(CompareText, ARefusedChipIsAColumnWithItsReason) {
  const std::string text = compare_text(comparison({column("trn3", 300, 60), refused("trn2")}), {}, {});
  EXPECT_TRUE(contains(text, "outcome")) << text;
  EXPECT_TRUE(contains(text, "note: trn2 refused: dtype=mxfp8 is not available")) << text;
}

TEST(CompareText, FitsTheTerminal) {
  std::vector<CompareColumn> columns;
  for (const std::string& name : preset_names()) columns.push_back(column(name, 100, 30));
  for (const unsigned width : {60U, 80U, 120U}) {
    ReportStyle style;
    style.width = width;
    std::istringstream lines(compare_text(comparison(columns), {some_split()}, style));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(text_width(line), width) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(CompareText, NarrowTerminalsGetBlocksWithEveryColumn) {
  std::vector<CompareColumn> columns;
  for (const std::string& name : preset_names()) columns.push_back(column(name, 100, 30));
  ReportStyle style;
  style.width = 60;
  const std::string text = compare_text(comparison(columns), {}, style);
  std::size_t blocks = 0;
  for (std::size_t at = text.find("\ntime "); at != std::string::npos; at = text.find("\ntime ", at + 1)) ++blocks;
  EXPECT_EQ(blocks, 2u) << text;
  for (const std::string& name : preset_names()) EXPECT_TRUE(contains(text, name)) << name;
}

TEST(CompareText, IsAsciiWhereTheLocaleIsNotUtf8) {
  ReportStyle style;
  style.utf8 = false;
  const std::string text = compare_text(comparison({column("trn1", 3e5, 6e7)}), {some_split()}, style);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80U; })) << text;
}

TEST(CompareText, ColorsOnlyWhenAsked) {
  ReportStyle style;
  EXPECT_FALSE(contains(compare_text(comparison({column("trn1", 300, 60)}), {}, style), "\x1b"));
  style.color = true;
  EXPECT_TRUE(contains(compare_text(comparison({column("trn1", 300, 60)}), {}, style), "\x1b[1m"));
}

TEST(CompareMarkdown, EveryRowHasTheSameNumberOfCells) {
  const std::string text = compare_markdown(comparison({column("trn1", 300, 60), refused("trn2")}), {});
  std::istringstream lines(text);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) continue;
    ++rows;
    EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 4) << line;
  }
  EXPECT_GT(rows, 15u);
  EXPECT_TRUE(contains(text, "- trn2 refused:")) << text;
}

TEST(CompareMarkdown, HasTheSplits) {
  const std::string text = compare_markdown(comparison({column("trn1", 300, 60)}), {some_split()});
  EXPECT_TRUE(contains(text, "**Speed-up from trn1 to trn2 by cause: 2.000x**")) << text;
  EXPECT_TRUE(contains(text, "| array + SBUF/PSUM | 2 | refused |")) << text;
}

TEST(CompareCsv, HasOneRowPerColumnAndQuotesReasons) {
  const std::string text = compare_csv(comparison({column("trn1", 300, 60), refused("trn2")}));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_TRUE(contains(text, "refused,\"dtype=mxfp8 is not available, \"\"really\"\"\"")) << text;
  const std::string head = text.substr(0, text.find('\n'));
  EXPECT_TRUE(head.starts_with("label,chip,projected,workload,cores,status,reason,time_ns,")) << head;
  EXPECT_TRUE(contains(head, ",bottleneck,ratio_speed_up,")) << head;
}

TEST(CompareJson, FollowsItsSchema) {
  EXPECT_TRUE(valid(nlohmann::json::parse(compare_json(comparison({column("trn1", 300, 60), refused("trn2")}), {some_split()}))));
  EXPECT_TRUE(valid(nlohmann::json::parse(compare_json(comparison({column("trn4-projected", 300, 60)}), {}))));
}

TEST(CompareJson, SchemaRefusesUnknownAndMissingKeys) {
  const nlohmann::json good = nlohmann::json::parse(compare_json(comparison({column("trn1", 300, 60)}), {some_split()}));
  for (const char* place : {"/surprise", "/columns/0/surprise", "/columns/0/figures/surprise", "/splits/0/groups/0/surprise"}) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(place)] = 1;
    EXPECT_FALSE(valid(bad)) << place;
  }
  for (const char* name : {"columns", "splits", "baseline", "trnsim_compare"}) {
    nlohmann::json bad = good;
    bad.erase(name);
    EXPECT_FALSE(valid(bad)) << name;
  }
}

TEST(CompareJson, SchemaNamesEveryFigureRatioAndCause) {
  const nlohmann::json column = schema_json()["definitions"]["column"]["properties"];
  for (const CompareFigure& figure : compare_figures()) {
    EXPECT_TRUE(column["figures"]["properties"].contains(std::string(figure.name))) << figure.name;
    EXPECT_TRUE(figure.ratio.empty() || column["ratios"]["properties"].contains(std::string(figure.ratio))) << figure.ratio;
  }
  const std::string causes = schema_json()["definitions"]["group"]["properties"]["causes"].dump();
  for (const Cause cause : kCauses) EXPECT_TRUE(contains(causes, "\"" + std::string(name_of(cause)) + "\"")) << name_of(cause);
}

}  // namespace
}  // namespace trnsim::app
