// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/report.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "trnsim/text.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

class Report : public ::testing::Test {
 protected:
  ChipConfig chip = hand_made::chip("trn2");
  unsigned cores = 1;
  Snapshot run = hand_made::matmul_run(chip, 1000, 1 << 20);
  ResultContext context = hand_made::matmul_context(std::uint64_t{1000} * 128 * 128 * 512);
  ReportStyle style;

  [[nodiscard]] std::string page() const { return terminal_report(make_result(chip, run, context), style); }
  [[nodiscard]] bool says(const std::string& words) const { return page().find(words) != std::string::npos; }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::istringstream in(page());
    std::vector<std::string> list;
    for (std::string line; std::getline(in, line);) list.push_back(line);
    return list;
  }
  void use_cores(unsigned n) {
    run = hand_made::matmul_run(chip, 1000, 1 << 20, n);
    context = hand_made::matmul_context(std::uint64_t{1000} * 128 * 128 * 512, n);
  }
};

TEST_F(Report, TheHeadlineHasTimeCyclesRateAndPower) {
  EXPECT_TRUE(says("matmul on trn2")) << page();
  EXPECT_TRUE(says("1 of 8 cores"));
  EXPECT_TRUE(says("213 µs"));
  EXPECT_TRUE(says("512,000 cycles at 2.4 GHz"));
  EXPECT_TRUE(says("78.6 TFLOPS"));
  EXPECT_TRUE(says("MFU 100.0 %"));
  EXPECT_TRUE(says(" W"));
}

TEST_F(Report, FitsOneScreenAtAnyWidth) {
  use_cores(8);
  context.warnings = {"first warning", "second warning"};
  chip.carried_over = "fixed costs per instruction are those of trn2";
  for (const unsigned width : {60U, 72U, 80U, 100U, 120U}) {
    style.width = width;
    EXPECT_LE(lines().size(), width >= 100 ? 45U : 55U) << width;
    for (const std::string& line : lines()) EXPECT_LE(text_width(line), width) << line;
  }
}

TEST_F(Report, ANarrowTerminalIsTreatedAsSixtyColumns) {
  style.width = 60;
  const std::string at_sixty = page();
  style.width = 10;
  EXPECT_EQ(page(), at_sixty);
}

TEST_F(Report, WithoutColorThereIsNoEscape) {
  EXPECT_EQ(page().find('\x1b'), std::string::npos);
  style.color = true;
  EXPECT_NE(page().find("\x1b[1m"), std::string::npos);
}

TEST_F(Report, ColorChangesNoWords) {
  const std::string plain = page();
  style.color = true;
  std::string stripped;
  const std::string painted = page();
  for (std::size_t i = 0; i < painted.size(); ++i) {
    if (painted[i] == '\x1b') i = painted.find('m', i);
    else stripped += painted[i];
  }
  EXPECT_EQ(stripped, plain);
}

TEST_F(Report, WithoutUtf8EveryByteIsAscii) {
  style.utf8 = false;
  for (const char c : page()) ASSERT_LT(static_cast<unsigned char>(c), 128U);
  EXPECT_TRUE(says("213 us")) << page();
}

TEST_F(Report, StallsAreNamedBySize) {
  EngineCounters& tensor = hand_made::engine(run, EngineKind::Tensor);
  run.cores[0].tensor.array_cycles = 0;
  run.cores[0].tensor.macs = {};
  context = hand_made::matmul_context(0);
  tensor.busy_cycles = 256000;
  tensor.stall_cycles[static_cast<std::size_t>(StallReason::Issue)] = 51200;
  tensor.stall_cycles[static_cast<std::size_t>(StallReason::WaitDma)] = 102400;
  tensor.idle_cycles = 102400;
  EXPECT_TRUE(says("20.0 wait_dma, 10.0 issue")) << page();
  EXPECT_TRUE(says("50.0  30.0  20.0")) << page();
}

TEST_F(Report, AnEngineWithoutInstructionsIsNotUsed) { EXPECT_TRUE(says("gpsimd  not used")) << page(); }

TEST_F(Report, MemoriesCarryUnitsAndScope) {
  EXPECT_TRUE(says("DMA   1.00 MiB")) << page();
  EXPECT_TRUE(says("of 368 GB/s of 1 core;"));
  EXPECT_TRUE(says("of 1 stack;"));
  EXPECT_TRUE(says("of 28.0 MiB"));
}

TEST_F(Report, EveryEnergyComponentIsListed) {
  const Result result = make_result(chip, run, context);
  for (const auto& [name, pj] : result.energy.components_pj) EXPECT_TRUE(says(name)) << name;
}

TEST_F(Report, TheVerdictStandsInIt) {
  style.width = 120;
  EXPECT_TRUE(says("The Tensor array limits")) << page();
}

TEST_F(Report, CoreRowsAddUpToTheLastRow) {
  use_cores(4);
  EXPECT_TRUE(says("(4 cores summed)")) << page();
  EXPECT_TRUE(says("33,554,432,000")) << page();
  EXPECT_TRUE(says("8,388,608,000")) << page();
}

TEST_F(Report, ManyCoresShareARow) {
  chip = hand_made::chip("trn4-projected");
  use_cores(24);
  EXPECT_TRUE(says("7-23")) << page();
  EXPECT_LE(lines().size(), 45U);
}

TEST_F(Report, AProjectedChipIsMarked) {
  EXPECT_FALSE(says("PROJECTED"));
  chip.projected = true;
  EXPECT_EQ(page().find("PROJECTED"), 0U) << page();
}

TEST_F(Report, CarriedOverNumbersAreSaid) {
  chip = hand_made::chip("trn3");
  run = hand_made::matmul_run(chip, 1000, 0);
  ASSERT_FALSE(chip.carried_over.empty());
  style.width = 120;
  EXPECT_TRUE(says("note: " + chip.carried_over.substr(0, 20))) << page();
}

TEST_F(Report, AStoppedRunIsMarked) {
  run.truncated = "--max-time 200us reached";
  EXPECT_TRUE(says("TRUNCATED: --max-time 200us reached")) << page();
}

TEST_F(Report, WarningsAreShown) {
  chip.energy.power_limit_w = 50;
  EXPECT_TRUE(says("warning: average power")) << page();
}

TEST_F(Report, ARunWithoutMatmulHasNoMfu) {
  run = hand_made::idle_run(chip, kFsPerUs);
  context = hand_made::matmul_context(0);
  EXPECT_TRUE(says("no MFU: no multiply-accumulates")) << page();
  EXPECT_TRUE(says("row hits -")) << page();
}

}  // namespace
}  // namespace trnsim
