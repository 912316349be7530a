// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "analysis/source_lines.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "trnsim/report.hpp"
#include "trnsim/text.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

class SourceLines : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("trnsim-sources-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "k.py") << "import nki\n\n    x = load(a)   \n\tstore(b, \"é\")\n" << std::string(500, 'y') << "\n";
    context.workload_source = (folder / "k.jsonl").string();
    context.programs.at(0).files = {"k.py", "gone.py", "k.txt"};
    run.sources.clear();
    SourceCounters rest;
    rest.dma_bytes = run.cores[0].dma.issued_bytes;
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      rest.engines[e].busy_cycles = run.cores[0].engines[e].busy_cycles;
      rest.engines[e].stall_cycles = run.cores[0].engines[e].stall_cycles;
    }
    for (const EngineCounters& e : run.cores[0].engines) rest.instructions += e.instructions;
    run.sources.push_back(rest);
    run.unexposed_fs = run.end_fs;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Gives a line some of what nobody has.
  void give(std::uint32_t line, std::uint64_t exposed_fs, std::uint16_t file = 0, std::uint64_t busy = 100) {
    SourceCounters s;
    s.at = {line, file};
    s.instructions = 1;
    s.exposed_fs = exposed_fs;
    s.engines[0].busy_cycles = busy;
    run.sources[0].instructions -= 1;
    run.sources[0].engines[0].busy_cycles -= busy;
    run.unexposed_fs -= exposed_fs;
    run.sources.push_back(s);
  }
  [[nodiscard]] Result result() const { return make_result(chip, run, context); }

  std::filesystem::path folder;
  ChipConfig chip = hand_made::chip("trn2");
  Snapshot run = hand_made::matmul_run(chip, 1000, 1 << 20);
  ResultContext context = hand_made::matmul_context(std::uint64_t{1000} * 128 * 128 * 512);
};

TEST_F(SourceLines, TheLongestExposedTimeComesFirstAndTheRestLast) {
  give(3, 1'000'000);
  give(4, 5'000'000);
  const Result r = result();
  ASSERT_EQ(r.source_lines.size(), 3U);
  EXPECT_EQ(r.source_lines[0].line, 4U);
  EXPECT_EQ(r.source_lines[1].line, 3U);
  EXPECT_EQ(r.source_lines[2].line, 0U);
}

TEST_F(SourceLines, TimesAddUpToTheDeviceTime) {
  give(3, 1'234'567);
  give(4, 7'654'321);
  std::uint64_t sum = 0;
  for (const SourceLineResult& line : result().source_lines) sum += line.exposed_fs;
  EXPECT_EQ(sum, run.end_fs);
}

TEST_F(SourceLines, TextIsReadBesideTheTraceWithoutItsSpace) {
  give(3, 3'000'000);
  give(4, 2'000'000);
  give(5, 1'000'000);
  const auto lines = result().source_lines;
  EXPECT_EQ(lines[0].text, "x = load(a)");
  EXPECT_EQ(lines[1].text, "store(b, \"é\")");
  EXPECT_EQ(lines[2].text, std::string(160, 'y') + "…");
}

TEST_F(SourceLines, MissingFilesLinesPastTheEndAndOtherFilesHaveNoText) {
  give(99, 3'000'000);
  give(1, 2'000'000, 1);
  give(1, 1'000'000, 2);
  std::ofstream(folder / "k.txt") << "secret\n";
  for (const SourceLineResult& line : result().source_lines) EXPECT_FALSE(line.text) << line.file << line.line;
}

TEST_F(SourceLines, ALineOfTwoCoresIsOneEntry) {
  give(3, 1'000'000);
  give(3, 2'000'000);
  const auto lines = result().source_lines;
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].instructions, 2U);
  EXPECT_EQ(lines[0].exposed_fs, 3'000'000U);
}

TEST_F(SourceLines, WithoutPlacesThereIsNoTable) {
  run.sources.clear();
  run.unexposed_fs = 0;
  EXPECT_TRUE(result().source_lines.empty());
  EXPECT_EQ(terminal_report(result(), {}).find("exposed"), std::string::npos);
}

TEST_F(SourceLines, TheTableHasFifteenLinesAndTheRestSummed) {
  for (std::uint32_t line = 1; line <= 40; ++line) give(line, std::uint64_t{100'000} * line);
  for (const unsigned width : {60U, 80U, 120U}) {
    ReportStyle style;
    style.width = width;
    std::istringstream page(terminal_report(result(), style));
    std::size_t rows = 0;
    for (std::string row; std::getline(page, row);) {
      EXPECT_LE(text_width(row), width) << row;
      rows += row.find(".py:") != std::string::npos || row.find(":4") != std::string::npos ? 1 : 0;
      if (width == 120 && row.find("26 others") != std::string::npos) rows += 100;
    }
    EXPECT_GE(rows, width == 120 ? 115U : 1U);
  }
}

TEST_F(SourceLines, TheFileHasThemWithTheirUnits) {
  give(3, 1'000'500, 0, 2400);
  const auto json = hand_made::document(result())["source_lines"];
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["file"], "k.py");
  EXPECT_EQ(json[0]["line"], 3);
  EXPECT_EQ(json[0]["text"], "x = load(a)");
  EXPECT_EQ(json[0]["exposed_ns"], 1.001);
  EXPECT_EQ(json[0]["busy_ns"]["tensor"], 1000.0);
  EXPECT_EQ(json[0]["engine_ns"], 1000.0);
  EXPECT_TRUE(json[1]["file"].is_null());
  EXPECT_TRUE(json[1]["line"].is_null());
}

}  // namespace
}  // namespace trnsim
