// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/list_scheduler.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "support/forked.hpp"
#include "support/program_builder.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;

/// Instructions and tiles in the order of the scheduler; an instruction is known by its `line`.
struct Ordered {
  std::vector<std::uint32_t> lines;
  std::size_t most_psum = 0;  ///< Bytes per partition alive at once.
  std::size_t alive = 0;      ///< Tiles at the end.
};

/// Runs a program through the scheduler and checks that every operand is declared and alive.
Ordered ordered(ProgramBuilder& builder, std::size_t window = ListScheduler::kWindow) {
  ListScheduler scheduler(builder.take(), test::preset("trn2"), window);
  const std::size_t tensors = scheduler.info().tensors.size();
  Ordered result;
  std::map<TensorId, TensorInfo> tiles;
  std::size_t psum = 0;
  while (const Record* record = scheduler.next()) {
    if (record->kind == Record::Kind::Tile) {
      EXPECT_TRUE(tiles.emplace(record->tile, record->tensor).second) << "tile " << record->tile << " is alive";
      if (record->tensor.buffer == Buffer::Psum) psum += record->tensor.bytes_per_partition;
      result.most_psum = std::max(result.most_psum, psum);
    } else if (record->kind == Record::Kind::Release) {
      if (tiles.at(record->tile).buffer == Buffer::Psum) psum -= tiles.at(record->tile).bytes_per_partition;
      tiles.erase(record->tile);
    } else {
      result.lines.push_back(record->instruction.line);
      record->instruction.for_each([&](const Operand& operand, bool) {
        EXPECT_TRUE(operand.tensor < tensors || tiles.contains(operand.tensor)) << "line " << record->instruction.line;
      });
    }
  }
  result.alive = tiles.size();
  return result;
}

std::size_t place(const Ordered& order, std::uint32_t line) {
  return static_cast<std::size_t>(std::find(order.lines.begin(), order.lines.end(), line) - order.lines.begin());
}

class ListSchedulerTest : public ::testing::Test {
 protected:
  ProgramBuilder b;
  TensorId in = b.hbm("in", {128, 512}, DType::Bf16, TensorUse::Input);
  TensorId out = b.hbm("out", {128, 512}, DType::Bf16, TensorUse::Output);

  /// dst = copy of src on the Vector engine; both tiles of [128, 512] BF16. Its line.
  std::uint32_t copy(TensorId dst, TensorId src) { return b.add(Opcode::TensorCopy, EngineKind::Vector, {tile(dst), tile(src)}).line; }
  std::uint32_t load(TensorId dst) { return b.load(dst, in, 128, 512).line; }
  std::uint32_t store(TensorId src) { return b.store(out, src, 128, 512).line; }

 public:
  static Operand tile(TensorId id) { return ProgramBuilder::on_chip(id, Buffer::Sbuf, 128, 512); }
};

TEST_F(ListSchedulerTest, AChainKeepsItsOrder) {
  const TensorId x = b.sbuf(128, 1024), y = b.sbuf(128, 1024), z = b.sbuf(128, 1024);
  load(x), copy(y, x), copy(z, y), store(z);
  EXPECT_EQ(ordered(b).lines, (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST_F(ListSchedulerTest, ALoadDoesNotWaitBehindAStore) {
  const TensorId x = b.sbuf(128, 1024), y = b.sbuf(128, 1024), z = b.sbuf(128, 1024);
  load(x), copy(y, x);
  const std::uint32_t stored = store(y), loaded = load(z);
  const Ordered order = ordered(b);
  EXPECT_LT(place(order, loaded), place(order, stored));
}

TEST_F(ListSchedulerTest, IndependentWorkFillsTheWaitOfADependentOne) {
  const TensorId a = b.sbuf(128, 1024), c = b.sbuf(128, 1024), d = b.sbuf(128, 1024), e = b.sbuf(128, 1024);
  const std::uint32_t first = copy(c, a), dependent = copy(d, c), independent = copy(e, a);
  const Ordered order = ordered(b);
  EXPECT_EQ(order.lines, (std::vector<std::uint32_t>{first, independent, dependent}));
}

TEST_F(ListSchedulerTest, AnEarlierReaderKeepsAheadOfALaterWriter) {
  const TensorId x = b.sbuf(128, 1024), y = b.sbuf(128, 1024), z = b.sbuf(128, 1024);
  const std::uint32_t slow = load(x), reads = copy(y, x), writes = copy(x, z);
  const Ordered order = ordered(b);
  EXPECT_LT(place(order, slow), place(order, reads));
  EXPECT_LT(place(order, reads), place(order, writes));
}

TEST_F(ListSchedulerTest, AWindowOfOneIsTheWrittenOrder) {
  const TensorId x = b.sbuf(128, 1024), y = b.sbuf(128, 1024), z = b.sbuf(128, 1024);
  load(x), copy(y, x), store(y), load(z);
  EXPECT_EQ(ordered(b, 1).lines, (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST_F(ListSchedulerTest, ExplicitIdsKeepTheirPlace) {
  const TensorId x = b.sbuf(128, 1024), y = b.sbuf(128, 1024), z = b.sbuf(128, 1024);
  load(x), copy(y, x), store(y);
  b.load(z, in, 128, 512).id = 1;
  EXPECT_EQ(ordered(b).lines, (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST_F(ListSchedulerTest, FromATileWithAnAddressOnNothingMoves) {
  const TensorId x = b.tile(Buffer::Sbuf, 128, 1024, 0), y = b.sbuf(128, 1024), z = b.sbuf(128, 1024);
  load(x), copy(y, x), store(y), load(z);
  EXPECT_EQ(ordered(b).lines, (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST_F(ListSchedulerTest, ReleasedTilesGoAfterTheirLastUse) {
  for (int i = 0; i < 40; ++i) {
    const TensorId x = b.sbuf(128, 1024), y = b.sbuf(128, 1024);
    load(x), copy(y, x);
    b.release(x);
    store(y);
    b.release(y);
  }
  EXPECT_EQ(ordered(b).alive, 0U);
}

TEST_F(ListSchedulerTest, WorkAheadNeverNeedsMorePsumThanThereIs) {
  const TensorId x = b.sbuf(128, 1024);
  load(x);
  for (int i = 0; i < 64; ++i) {  // each takes half of PSUM
    const TensorId bank = b.psum(128, 8192);
    b.add(Opcode::Memset, EngineKind::Vector, {ProgramBuilder::on_chip(bank, Buffer::Psum, 128, 2048, DType::Fp32)});
    b.release(bank);
  }
  EXPECT_LE(ordered(b).most_psum, 16U * 1024);
}

/// Order of conflicting accesses in any program of copies between eight tiles.
RC_GTEST_PROP(ListSchedulerLaw, ConflictingAccessesKeepTheirOrderAndNothingIsLost, ()) {
  ProgramBuilder b;
  std::vector<TensorId> tiles;
  for (int i = 0; i < 8; ++i) tiles.push_back(b.sbuf(128, 1024));
  const auto number = rc::gen::inRange<std::size_t>(0, 8);
  const auto pairs = *rc::gen::container<std::vector<std::pair<std::size_t, std::size_t>>>(rc::gen::pair(number, number));
  std::uint32_t line = 0;
  for (const auto& [to, from] : pairs) {
    const auto engine = std::array{EngineKind::Vector, EngineKind::Scalar, EngineKind::GpSimd}[line % 3];
    b.add(Opcode::TensorCopy, engine, {ListSchedulerTest::tile(tiles[to]), ListSchedulerTest::tile(tiles[from])});
    ++line;
  }
  const Ordered order = ordered(b, *rc::gen::inRange<std::size_t>(1, 40));
  RC_ASSERT(order.lines.size() == pairs.size());
  std::vector<std::size_t> at(pairs.size());
  for (std::size_t k = 0; k < order.lines.size(); ++k) at[order.lines[k] - 1] = k;
  for (std::size_t later = 0; later < pairs.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const auto [to, from] = pairs[later];
      const auto [to_before, from_before] = pairs[earlier];
      if (to == to_before || to == from_before || from == to_before) RC_ASSERT(at[earlier] < at[later]);
    }
  }
}

}  // namespace
}  // namespace trnsim
