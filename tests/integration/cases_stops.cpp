// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// How runs end: deadlocks, time limits, a second run, and many instructions that can only wait.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "support/program_builder.hpp"
#include "support/run_result.hpp"

namespace trnsim {
namespace {

using test::preset;
using test::ProgramBuilder;

Instruction& fill(ProgramBuilder& b, EngineKind engine, TensorId tile) {
  return b.add(Opcode::Memset, engine, {ProgramBuilder::on_chip(tile, Buffer::Sbuf, 128, 256)});
}

void after(Instruction& instruction, std::uint64_t id) { instruction.after[instruction.after_count++] = id; }

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

TEST(Deadlock, TwoEnginesThatWaitForEachOtherAreNamedWithTheirLines) {
  ProgramBuilder b;
  const TensorId x = b.sbuf(128, 512), y = b.sbuf(128, 512);
  Instruction& first = fill(b, EngineKind::Vector, x);
  first.id = 1;
  after(first, 2);
  Instruction& second = fill(b, EngineKind::GpSimd, y);
  second.id = 2;
  after(second, 1);
  const auto start = std::chrono::steady_clock::now();
  const test::Outcome outcome = test::simulate_forked(preset("trn2"), [&] { return b.workload(); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(outcome.code, ExitCode::Fault);
  expect_words(outcome.error, {"deadlock", "vector engine at memset (line 1) waits for memset (line 2), instruction 1 of gpsimd",
                               "gpsimd engine at memset (line 2) waits for memset (line 1), instruction 1 of vector"});
}

TEST(Deadlock, AnInstructionThatWaitsForOneBehindItOnItsEngineIsNamed) {
  ProgramBuilder b;
  const TensorId x = b.sbuf(128, 512);
  Instruction& first = fill(b, EngineKind::Vector, x);
  after(first, 2);
  fill(b, EngineKind::Vector, x).id = 2;
  const test::Outcome outcome = test::simulate_forked(preset("trn2"), [&] { return b.workload(); });
  EXPECT_EQ(outcome.code, ExitCode::Fault);
  expect_words(outcome.error, {"deadlock", "vector engine at memset (line 1) waits for memset (line 2), instruction 2 of vector"});
}

TEST(Deadlock, TheCopyThatIsWaitedForIsNamedWithItsLine) {
  ProgramBuilder b;
  const TensorId in = b.hbm("in", {128, 64}, DType::Bf16, TensorUse::Input);
  const TensorId x = b.sbuf(128, 512), y = b.sbuf(128, 128);
  Instruction& first = fill(b, EngineKind::Vector, x);
  first.id = 1;
  after(first, 3);
  b.load(y, in, 128, 64);
  Instruction& second = b.load(y, in, 128, 64);
  second.id = 3;
  after(second, 1);
  const test::Outcome outcome = test::simulate_forked(preset("trn2"), [&] { return b.workload(); });
  EXPECT_EQ(outcome.code, ExitCode::Fault);
  expect_words(outcome.error, {"vector engine at memset (line 1) waits for dma_copy (line 3), copy 2 of DMA ring 0",
                               "sync engine at dma_copy (line 3) waits for memset (line 1), instruction 1 of vector"});
}

TEST(Deadlock, AnInstructionFarBehindItsEngineIsFound) {
  ProgramBuilder b;
  const TensorId x = b.sbuf(128, 512);
  for (int i = 0; i < 200; ++i) fill(b, EngineKind::Vector, x);
  after(fill(b, EngineKind::Vector, x), 9);
  for (int i = 0; i < 300; ++i) fill(b, EngineKind::Vector, x);
  fill(b, EngineKind::Vector, x).id = 9;
  const test::Outcome outcome = test::simulate_forked(preset("trn2"), [&] { return b.workload(); });
  EXPECT_EQ(outcome.code, ExitCode::Fault);
  expect_words(outcome.error, {"vector engine at memset (line 201) waits for memset (line 502), instruction 502 of vector"});
}

TEST(Deadlock, AWaitForAnInstructionThatDoesNotExistIsNamed) {
  ProgramBuilder b;
  const TensorId x = b.sbuf(128, 512);
  after(fill(b, EngineKind::Vector, x), 77);
  const test::Outcome outcome = test::simulate_forked(preset("trn2"), [&] { return b.workload(); });
  EXPECT_EQ(outcome.code, ExitCode::Fault);
  expect_words(outcome.error, {"deadlock", "vector engine", "line 1", "77"});
}

TEST(Deadlock, ManyCopiesThroughARingOfOneEntryFinish) {
  ProgramBuilder b;
  const TensorId in = b.hbm("in", {128, 64}, DType::Bf16, TensorUse::Input), out = b.hbm("out", {128, 64}, DType::Bf16, TensorUse::Output);
  for (int i = 0; i < 50; ++i) {
    const TensorId tile = b.sbuf(128, 128);
    b.load(tile, in, 128, 64);
    b.store(out, tile, 128, 64);
    b.release(tile);
  }
  const Snapshot snapshot = test::simulate_ok(preset("trn2", {"dma.ring_depth=1"}), [&] { return b.workload(); });
  EXPECT_EQ(snapshot.instructions, 100U);
}

TEST(BlockedInstructions, CostNoEventsWhileTheyWait) {
  // 2,000 instructions are ready but for one load of 400,000 Tensor cycles.
  const ChipConfig chip = preset("trn2", {"dma.engine_gb_per_s=0.04"});
  ProgramBuilder b;
  const TensorId in = b.hbm("in", {128, 512}, DType::Bf16, TensorUse::Input);
  const TensorId loaded = b.sbuf(128, 1024), made = b.sbuf(128, 1024);
  b.load(loaded, in, 128, 512);
  for (int i = 0; i < 2000; ++i) {
    b.add(Opcode::TensorCopy, i % 2 == 0 ? EngineKind::Vector : EngineKind::GpSimd,
          {ProgramBuilder::on_chip(made, Buffer::Sbuf, 64, 8, DType::Bf16, i % 2 == 0 ? 0 : 64),
           ProgramBuilder::on_chip(loaded, Buffer::Sbuf, 64, 8)});
  }
  const Snapshot snapshot = test::simulate_ok(chip, [&] { return b.workload(); });
  EXPECT_EQ(snapshot.instructions, 2001U);
  EXPECT_GE(test::to_ns(snapshot) * chip.tensor.clock_ghz, 400'000);
  const std::uint64_t chunks = 128 * 1024 / 1024;
  EXPECT_LE(snapshot.events, 10 * 2001 + 20 * chunks);
}

Workload some_work(const ChipConfig& chip) { return make_kernel("attention", parse_params({"seq_q=256"}), chip); }

TEST(TimeLimit, AtTheNaturalEndChangesNothing) {
  for (const char* name : {"trn1", "trn2", "trn3"}) {
    const ChipConfig chip = preset(name);
    const Snapshot free = test::simulate_ok(chip, [&] { return some_work(chip); });
    RunOptions options;
    options.max_time = Time{free.end_fs};
    const Snapshot limited = test::simulate_ok(
        chip, [&] { return some_work(chip); }, options);
    EXPECT_EQ(limited.truncated, "");
    EXPECT_TRUE(limited == free) << name;
  }
}

TEST(TimeLimit, BeforeTheEndIsMarkedAndKeepsTheAccounts) {
  const ChipConfig chip = preset("trn2");
  const Snapshot free = test::simulate_ok(chip, [&] { return some_work(chip); });
  for (const std::uint64_t part : {2U, 3U, 10U}) {
    RunOptions options;
    options.max_time = Time{free.end_fs / part};
    const Snapshot limited = test::simulate_ok(
        chip, [&] { return some_work(chip); }, options);
    EXPECT_NE(limited.truncated, "");
    EXPECT_EQ(limited.end_fs, free.end_fs / part);
    EXPECT_LE(limited.instructions, free.instructions);
    check_accounts(limited);
  }
}

/// Exits with 0 if a second run in this process is refused as it should.
[[noreturn]] void run_twice() {
  const ChipConfig chip = preset("trn2");
  Workload first = some_work(chip), second = some_work(chip);
  simulate(chip, first);
  try {
    simulate(chip, second);
  } catch (const InternalError& error) {
    std::fputs(error.what(), stderr);
    std::_Exit(0);
  }
  std::_Exit(1);
}

TEST(SecondRun, IsRefusedInOneProcess) { EXPECT_EXIT(run_twice(), testing::ExitedWithCode(0), "once per process"); }

/// Exits with 0 if each of many runs in this process gives what the first run of a process gives.
[[noreturn]] void run_often() {
  std::vector<std::pair<ChipConfig, Snapshot>> expected;
  for (const char* name : {"trn2", "trn1", "trn2", "trn3", "trn2"}) {
    const ChipConfig chip = preset(name);
    expected.emplace_back(chip, test::simulate_ok(chip, [&] { return some_work(chip); }));
  }
  for (const auto& [chip, first] : expected) {
    forget_simulation();
    Workload work = some_work(chip), stopped = some_work(chip);
    if (!(simulate(chip, work) == first)) std::_Exit(1);
    RunOptions options;
    options.max_time = Time{first.end_fs / 2};
    forget_simulation();
    simulate(chip, stopped, options);  // leaves events behind
  }
  std::_Exit(0);
}

TEST(SecondRun, AfterTheFirstIsForgottenGivesTheSame) { EXPECT_EXIT(run_often(), testing::ExitedWithCode(0), ""); }

TEST(SecondRun, InAProcessOfItsOwnGivesTheSame) {
  const ChipConfig chip = preset("trn3");
  const Snapshot first = test::simulate_ok(chip, [&] { return some_work(chip); });
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(test::simulate_ok(chip, [&] { return some_work(chip); }) == first);
}

}  // namespace
}  // namespace trnsim
