// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/columns.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

/// Splits a line as RFC 4180 says.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[i++];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) fields.emplace_back();
    else fields.back() += line[i];
  }
  return fields;
}

class Csv : public ::testing::Test {
 protected:
  ChipConfig chip = hand_made::chip("trn2");
  Snapshot run = hand_made::matmul_run(chip, 1000, 1 << 20);
  ResultContext context = hand_made::matmul_context(std::uint64_t{1000} * 128 * 128 * 512);
  [[nodiscard]] std::map<std::string, std::string> row() const {
    const auto names = split(csv_header()), fields = split(csv_row(make_result(chip, run, context)));
    EXPECT_EQ(names.size(), fields.size());
    std::map<std::string, std::string> cells;
    for (std::size_t i = 0; i < names.size(); ++i) cells[names[i]] = fields[i];
    return cells;
  }
};

TEST_F(Csv, ARowHasOneFieldPerColumn) {
  EXPECT_EQ(split(csv_header()).size(), columns().size());
  EXPECT_EQ(row().size(), columns().size());
}

TEST_F(Csv, ColumnNamesAreUniqueAndDefined) {
  std::set<std::string> names;
  for (const Column& column : columns()) {
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
    EXPECT_FALSE(column.meaning.empty()) << column.name;
  }
}

TEST_F(Csv, AColumnWithAUnitEndsInIt) {
  const std::map<std::string, std::string> endings{{"ns", "_ns"}, {"cycles", "cycles"},  {"B", "_bytes"},
                                                   {"pJ", "_pj"}, {"GB/s", "_gb_per_s"}, {"W", "_w"}};
  for (const Column& column : columns()) {
    const auto ending = endings.find(column.unit);
    EXPECT_TRUE(ending == endings.end() || column.name.ends_with(ending->second)) << column.name;
  }
}

TEST_F(Csv, ValuesAreThoseOfTheResult) {
  const auto cells = row();
  EXPECT_EQ(cells.at("preset"), "trn2");
  EXPECT_EQ(cells.at("generation"), "v3");
  EXPECT_EQ(cells.at("cycles"), "512000");
  EXPECT_EQ(cells.at("time_ns"), "213333.333");
  EXPECT_EQ(cells.at("tensor_busy_cycles"), "512000");
  EXPECT_EQ(cells.at("dma_bytes"), "1048576");
  EXPECT_EQ(cells.at("bottleneck"), "tensor array");
  EXPECT_EQ(cells.at("run_status"), "complete");
  EXPECT_EQ(cells.at("params"), "k=128;m=128;n=512");
}

TEST_F(Csv, EnergyColumnsAddUp) {
  const auto cells = row();
  double sum = 0;
  for (const auto& [name, text] : cells) {
    if (name.starts_with("energy_") && name != "energy_total_pj" && name != "energy_cores_used_pj") sum += std::stod(text);
  }
  EXPECT_NEAR(sum, std::stod(cells.at("energy_total_pj")), 1e-6 * sum);
}

TEST_F(Csv, TensorStallsAddUp) {
  EngineCounters& tensor = hand_made::engine(run, EngineKind::Tensor);
  tensor.busy_cycles = 0;
  for (std::size_t i = 0; i < kStallReasonCount; ++i) tensor.stall_cycles[i] = 1000 * (i + 1);
  tensor.idle_cycles = tensor.elapsed_cycles - 45000;
  const auto cells = row();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kStallReasonCount; ++i) {
    sum += std::stoull(cells.at("tensor_stall_" + std::string(name_of(static_cast<StallReason>(i))) + "_cycles"));
  }
  EXPECT_EQ(sum, 45000U);
  EXPECT_EQ(cells.at("tensor_stall_cycles"), "45000");
}

TEST_F(Csv, AnAbsentRatioIsEmpty) {
  run = hand_made::idle_run(chip, kFsPerUs);
  context = hand_made::matmul_context(0);
  EXPECT_EQ(row().at("mfu"), "");
  EXPECT_EQ(row().at("hbm_row_hit_rate"), "");
}

TEST_F(Csv, CommasAndQuotesSurvive) {
  run.truncated = "stopped, \"by hand\"";
  context.workload_name = "a,b";
  chip.overrides = {{"tensor.clock_ghz", "2.4"}, {"hbm.stacks", "4"}};
  EXPECT_EQ(row().at("truncated"), "stopped, \"by hand\"");
  EXPECT_EQ(row().at("run_status"), "truncated");
  EXPECT_EQ(row().at("workload"), "a,b");
  EXPECT_EQ(row().at("overrides"), "tensor.clock_ghz=2.4;hbm.stacks=4");
}

TEST(CsvField, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
}

}  // namespace
}  // namespace trnsim
