// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Laws of any program: it runs, twice alike, its accounts add up, and neither fewer instructions nor more
// waiting make sense of a shorter time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/random_program.hpp"
#include "support/run_result.hpp"
#include "support/written_trace.hpp"
#include "trnsim/trace.hpp"

namespace trnsim {
namespace {

using test::Moves;
using test::Shaping;

constexpr std::size_t kMoves = 40;

/// Presets are read once per test, not once per program.
const ChipConfig& chip(std::size_t which) {
  static const std::vector<ChipConfig> chips{test::preset("trn2"), test::preset("trn1"), test::preset("trn3")};
  return chips[which % chips.size()];
}

Snapshot run(const ChipConfig& config, const Moves& moves, const Shaping& shaping = {}) {
  const test::Outcome outcome = test::simulate_forked(config, [&] { return test::make_workload(moves, shaping); });
  if (!outcome.error.empty()) RC_FAIL(outcome.error);
  return outcome.snapshot;
}

/// What was done, without when: order and waiting must not change it.
struct Counts {
  std::array<std::uint64_t, kEngineCount> instructions{}, elements{};
  TensorCounters tensor;  ///< Without array_cycles: work of two paths of the array may overlap in time.
  std::uint64_t sbuf_read = 0, sbuf_write = 0, psum_read = 0, psum_write = 0;
  std::uint64_t transfers = 0, descriptors = 0, bytes = 0, hbm_read = 0, hbm_write = 0;
  bool operator==(const Counts&) const = default;
};

Counts counts(const Snapshot& snapshot) {
  const CoreSnapshot& core = snapshot.cores.at(0);
  Counts c;
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    c.instructions[e] = core.engines[e].instructions;
    c.elements[e] = core.engines[e].elements;
  }
  c.tensor = core.tensor;
  c.tensor.array_cycles = 0;
  c.sbuf_read = core.sbuf.read_bytes, c.sbuf_write = core.sbuf.write_bytes;
  c.psum_read = core.psum.read_bytes, c.psum_write = core.psum.write_bytes;
  c.transfers = core.dma.transfers, c.descriptors = core.dma.descriptors, c.bytes = core.dma.completed_bytes;
  c.hbm_read = core.dma.hbm_read_bytes, c.hbm_write = core.dma.hbm_write_bytes;
  return c;
}

/// Later starts can leave a busy port or channel to somebody else first; such anomalies stay small.
bool about_at_most(std::uint64_t shorter, std::uint64_t longer) { return shorter <= longer + longer / 100; }

RC_GTEST_PROP(RandomPrograms, AreValidOnEveryGeneration, ()) {
  const Moves moves = *test::moves_gen(kMoves);
  for (std::size_t c = 0; c < 3; ++c) {
    const auto program = test::make_program(moves);
    RC_ASSERT(check_program(*program, chip(c)).empty());
  }
}

RC_GTEST_PROP(RandomPrograms, GiveTheSameSnapshotTwice, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  RC_ASSERT(run(chip(which), moves) == run(chip(which), moves));
}

RC_GTEST_PROP(RandomPrograms, AccountForEveryCycleAndByte, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  const Snapshot snapshot = run(chip(which), moves);
  std::uint64_t instructions = 0;
  for (const EngineCounters& e : snapshot.cores.at(0).engines) {
    const std::uint64_t stalls = std::accumulate(e.stall_cycles.begin(), e.stall_cycles.end(), std::uint64_t{0});
    RC_ASSERT(e.busy_cycles + stalls + e.idle_cycles == e.elapsed_cycles);
    instructions += e.instructions;
  }
  const DmaCounters& dma = snapshot.cores[0].dma;
  const std::uint64_t written = static_cast<std::uint64_t>(
      std::count_if(moves.begin(), moves.end(), [](const test::Move& m) { return m.kind % test::kMoveKinds + 1 != test::kMoveKinds; }));
  RC_ASSERT(instructions == written);
  RC_ASSERT(snapshot.instructions == written);
  RC_ASSERT(dma.issued_bytes == dma.completed_bytes);
  RC_ASSERT(dma.hbm_read_bytes + dma.hbm_write_bytes == test::hbm_bytes(snapshot));
}

RC_GTEST_PROP(RandomPrograms, NeedNoLongerThanOneInstructionAfterTheOther, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  RC_ASSERT(
      about_at_most(run(chip(which), moves).end_fs, run(chip(which), moves, {.chained = true, .one_ring = false, .edges = {}}).end_fs));
}

RC_GTEST_PROP(RandomPrograms, NeedAtLeastWhatTheBusiestResourceNeeds, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  const ChipConfig& config = chip(which);
  const Snapshot snapshot = run(config, moves);
  const double ns = test::to_ns(snapshot);
  const CoreSnapshot& core = snapshot.cores.at(0);
  const std::uint64_t array = std::accumulate(core.tensor.macs.begin(), core.tensor.macs.end(), std::uint64_t{0});
  RC_ASSERT(static_cast<double>(array) / (config.tensor.rows * config.tensor.columns * config.tensor.clock_ghz) <= ns);
  RC_ASSERT(static_cast<double>(core.dma.completed_bytes) / (config.dma.engines * config.dma.engine_gb_per_s) <= ns);
  RC_ASSERT(static_cast<double>(test::hbm_bytes(snapshot)) / config.hbm.stack_gb_per_s <= ns);
  RC_ASSERT(static_cast<double>(core.dma.transfers) / 4 * config.dma.hardware_mode.issue_interval_ns <= ns + 1000);
}

RC_GTEST_PROP(RandomPrograms, MoreWaitingChangesNoCounts, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  const auto edges = *rc::gen::container<std::vector<std::uint16_t>>(20, rc::gen::arbitrary<std::uint16_t>());
  const Snapshot free = run(chip(which), moves), bound = run(chip(which), moves, {.chained = false, .one_ring = false, .edges = edges});
  RC_ASSERT(counts(free) == counts(bound));
}

RC_GTEST_PROP(RandomPrograms, MoreWaitingIsNeverFaster, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  const auto edges = *rc::gen::container<std::vector<std::uint16_t>>(20, rc::gen::arbitrary<std::uint16_t>());
  const Snapshot free = run(chip(which), moves, {.chained = false, .one_ring = true, .edges = {}});
  const Snapshot bound = run(chip(which), moves, {.chained = false, .one_ring = true, .edges = edges});
  RC_ASSERT(about_at_most(free.end_fs, bound.end_fs));
}

// Copies of several rings take turns on the DMA engines: one that waits lets another, more urgent one finish
// first.
RC_GTEST_PROP(RandomPrograms, MoreWaitingHelpsSharedDmaEnginesByLittle, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  const auto edges = *rc::gen::container<std::vector<std::uint16_t>>(20, rc::gen::arbitrary<std::uint16_t>());
  const Snapshot free = run(chip(which), moves), bound = run(chip(which), moves, {.chained = false, .one_ring = false, .edges = edges});
  RC_ASSERT(free.end_fs <= bound.end_fs + bound.end_fs / 4);
}

RC_GTEST_PROP(RandomPrograms, MoreInstructionsAreNeverFaster, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  const auto kept = *rc::gen::inRange<std::size_t>(0, moves.size() + 1);
  const Moves first(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(kept));
  const Snapshot part = run(chip(which), first), whole = run(chip(which), moves);
  RC_ASSERT(about_at_most(part.end_fs, whole.end_fs));
}

RC_GTEST_PROP(RandomPrograms, StoppedEarlyKeepTheirAccounts, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  const Snapshot whole = run(chip(which), moves);
  RunOptions options;
  options.max_time = Time{1 + *rc::gen::resize(100, rc::gen::inRange<std::uint64_t>(0, std::max<std::uint64_t>(whole.end_fs, 1)))};
  const test::Outcome part = test::simulate_forked(
      chip(which), [&] { return test::make_workload(moves); }, options);
  RC_ASSERT(part.error == "");
  check_accounts(part.snapshot);
  RC_ASSERT(part.snapshot.end_fs <= whole.end_fs);
  RC_ASSERT(part.snapshot.instructions <= whole.instructions);
  for (std::size_t e = 0; e < kEngineCount; ++e) {
    RC_ASSERT(part.snapshot.cores.at(0).engines[e].busy_cycles <= whole.cores.at(0).engines[e].busy_cycles);
  }
}

// The other core has a program in both runs, an empty one first, so that tensors lie in the same stacks.
RC_GTEST_PROP(RandomPrograms, ANeighboursWorkDoesNotMakeThemFaster, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves), other = *test::moves_gen(kMoves);
  const Shaping one_ring{.chained = false, .one_ring = true, .edges = {}};
  const auto beside = [&](const Moves& neighbour) {
    const test::Outcome outcome = test::simulate_forked(chip(which), [&] {
      Workload work = test::make_workload(moves, one_ring);
      work.programs.push_back(test::make_program(neighbour, one_ring));
      return work;
    });
    RC_ASSERT(outcome.error == "");
    return outcome.snapshot;
  };
  const Snapshot idle = beside({}), busy = beside(other);
  // The neighbour opens rows and moves requests past a refresh, which may save some of them time.
  RC_ASSERT(idle.cores.at(0).end_fs <= busy.cores.at(0).end_fs + busy.cores.at(0).end_fs / 20);
  RC_ASSERT(busy.end_fs == std::max(busy.cores.at(0).end_fs, busy.cores.at(1).end_fs));
}

RC_GTEST_PROP(RandomPrograms, WrittenAsATraceRunTheSame, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(kMoves);
  const test::WrittenTrace trace(*test::make_program(moves));
  const test::Outcome again = test::simulate_forked(chip(which), [&] { return open_trace(trace.path(), chip(which)); });
  RC_ASSERT(again.error == "");
  const Snapshot direct = run(chip(which), moves);
  RC_ASSERT(direct == again.snapshot);
}

}  // namespace
}  // namespace trnsim
