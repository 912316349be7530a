// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/access_ledger.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace trnsim {
namespace {

class NothingSettled : public Progress {
 public:
  [[nodiscard]] std::uint64_t settled(Actor) const override { return 0; }
};

constexpr Actor kTensor = 0, kVector = 1, kRing = kFirstRing;

Region region(std::uint32_t lo, std::uint32_t hi, std::uint16_t first = 0, std::uint16_t end = 128) {
  Region r;
  r.lo = lo;
  r.hi = hi;
  r.first_partition = first;
  r.end_partition = end;
  return r;
}

class Ledger : public ::testing::Test {
 protected:
  NothingSettled progress;
  AccessLedger ledger{65536, 1024, progress};
  WaitSet waits;

  void write(const Region& r, Actor actor, std::uint64_t count) { ledger.write(r, {actor, count, false}, waits); }
  void read(const Region& r, Actor actor, std::uint64_t count) { ledger.read(r, {actor, count, false}, waits); }
  void expect_wait(Actor actor, std::uint64_t count, StallReason reason) {
    ASSERT_EQ(waits.size(), 1U);
    EXPECT_EQ(waits[0].actor, actor);
    EXPECT_EQ(waits[0].count, count);
    EXPECT_EQ(waits[0].reason, static_cast<std::uint64_t>(reason));
  }
};

TEST_F(Ledger, AReadWaitsForTheLastWriter) {
  write(region(0, 512), kRing, 3);
  waits.clear();
  read(region(100, 200), kTensor, 1);
  expect_wait(kRing, 3, StallReason::WaitDma);
}

TEST_F(Ledger, AReadOfEngineResultsIsAnEngineWait) {
  write(region(0, 512), kVector, 5);
  waits.clear();
  read(region(0, 512), kTensor, 1);
  expect_wait(kVector, 5, StallReason::WaitEngine);
}

/// Every `step`-th partition from `first` on.
Region stepped(std::uint16_t first, std::uint16_t count, std::uint16_t step) {
  Region r = region(0, 512, first, static_cast<std::uint16_t>(first + (count - 1) * step + 1));
  r.partition_step = step;
  return r;
}

TEST_F(Ledger, StepsOfPartitionsMeetOnlyWhereTheyMeet) {
  EXPECT_FALSE(overlap(stepped(0, 32, 2), stepped(1, 32, 2)));
  EXPECT_TRUE(overlap(stepped(0, 32, 2), stepped(4, 10, 3)));
  EXPECT_FALSE(overlap(stepped(0, 4, 4), region(0, 512, 13, 128)));
  EXPECT_TRUE(overlap(stepped(0, 4, 4), region(0, 512, 12, 128)));
}

TEST_F(Ledger, AStepOfPartitionsDoesNotReplaceWhatLiesBetween) {
  write(region(0, 512), kRing, 3);
  write(stepped(0, 64, 2), kVector, 1);
  waits.clear();
  read(stepped(1, 64, 2), kTensor, 1);
  expect_wait(kRing, 3, StallReason::WaitDma);
}

TEST_F(Ledger, AReadOfTheOwnResultWaitsToo) {
  write(region(0, 512), kVector, 5);
  waits.clear();
  read(region(0, 512), kVector, 6);
  expect_wait(kVector, 5, StallReason::WaitEngine);
}

TEST_F(Ledger, AWriteWaitsForTheReaders) {
  read(region(0, 512), kTensor, 9);
  waits.clear();
  write(region(0, 512), kRing, 4);
  expect_wait(kTensor, 9, StallReason::WaitBuffer);
}

TEST_F(Ledger, AnEngineIsNotHeldBackByItsOwnEarlierReadsAndWrites) {
  read(region(0, 512), kVector, 1);
  write(region(0, 512), kVector, 2);
  waits.clear();
  write(region(0, 512), kVector, 3);
  EXPECT_EQ(waits.size(), 0U);
}

TEST_F(Ledger, ARingWaitsForItsOwnEarlierReads) {  // its copies run on several engines
  read(region(0, 512), kRing, 1);
  waits.clear();
  write(region(0, 512), kRing, 2);
  expect_wait(kRing, 1, StallReason::WaitBuffer);
}

TEST_F(Ledger, ACopyOntoItsOwnSourceWaitsForTheCopiesBeforeItOnly) {
  read(region(0, 512), kRing, 4);
  write(region(0, 512), kRing, 4);
  expect_wait(kRing, 3, StallReason::WaitBuffer);
}

TEST_F(Ledger, NeighboursDoNotWait) {
  write(region(0, 512), kRing, 1);
  waits.clear();
  read(region(512, 1024), kTensor, 1);
  read(region(0, 512, 0, 0), kTensor, 2);
  EXPECT_EQ(waits.size(), 0U);
}

TEST_F(Ledger, OtherPartitionsDoNotWait) {
  write(region(0, 512, 0, 32), kRing, 1);
  waits.clear();
  read(region(0, 512, 32, 64), kTensor, 1);
  EXPECT_EQ(waits.size(), 0U);
}

TEST_F(Ledger, AWideAccessMeetsWritersInEveryPart) {
  write(region(0, 1024), kRing, 1);
  write(region(5000, 6000), kVector, 2);
  waits.clear();
  read(region(0, 65536), kTensor, 1);
  EXPECT_EQ(waits.size(), 2U);
}

TEST_F(Ledger, ACoveredWriterIsForgotten) {
  write(region(100, 200), kRing, 1);
  write(region(0, 1024), kVector, 2);
  waits.clear();
  read(region(100, 200), kTensor, 1);
  expect_wait(kVector, 2, StallReason::WaitEngine);
}

TEST_F(Ledger, APartlyCoveredWriterIsKept) {
  write(region(100, 300), kRing, 1);
  write(region(200, 1024), kVector, 2);
  waits.clear();
  read(region(100, 150), kTensor, 1);
  expect_wait(kRing, 1, StallReason::WaitDma);
}

/// Reference: every access ever made, compared byte by byte.
struct Naive {
  struct Past {
    std::uint32_t lo, hi;
    Actor actor;
    std::uint64_t count;
    bool write;
  };
  std::vector<Past> past;
  std::map<Actor, std::uint64_t> waits(std::uint32_t lo, std::uint32_t hi, Actor actor, bool write) const {
    std::map<Actor, std::uint64_t> result;
    for (const Past& p : past) {
      const bool hazard = write ? !(p.actor == actor && (p.write || actor < kFirstRing)) : p.write;
      if (hazard && p.lo < hi && lo < p.hi) result[p.actor] = std::max(result[p.actor], p.count);
    }
    return result;
  }
};

/// The ledger may forget a wait only when a later access of the same history implies it, so it is
/// compared through the closure: the latest access per actor that must precede.
RC_GTEST_PROP(LedgerLaw, EveryWaitIsRealAndTheLastWriterIsNeverMissed, ()) {
  NothingSettled progress;
  AccessLedger ledger(8192, 1024, progress);
  Naive naive;
  std::map<Actor, std::uint64_t> counts;
  for (int i = 0; i < 60; ++i) {
    const auto lo = *rc::gen::inRange<std::uint32_t>(0, 8000);
    const auto hi = lo + *rc::gen::inRange<std::uint32_t>(1, 192);
    const auto actor = *rc::gen::element<Actor>(0, 1, 2, kFirstRing);
    const bool write = *rc::gen::arbitrary<bool>();
    const std::uint64_t count = ++counts[actor];
    WaitSet waits;
    if (write) {
      ledger.write(region(lo, hi), {actor, count, false}, waits);
    } else {
      ledger.read(region(lo, hi), {actor, count, false}, waits);
    }
    const auto expected = naive.waits(lo, hi, actor, write);
    for (std::size_t k = 0; k < waits.size(); ++k) {
      const auto found = expected.find(static_cast<Actor>(waits[k].actor));
      RC_ASSERT(found != expected.end());
      RC_ASSERT(waits[k].count <= found->second);
    }
    // The most recent conflicting write of another actor is always waited for.
    for (auto p = naive.past.rbegin(); p != naive.past.rend(); ++p) {
      if (!p->write || p->hi <= lo || hi <= p->lo) continue;
      if (write && p->actor == actor) break;
      bool waited = false;
      for (std::size_t k = 0; k < waits.size(); ++k) waited = waited || (waits[k].actor == p->actor && waits[k].count >= p->count);
      RC_ASSERT(waited);
      break;
    }
    naive.past.push_back({lo, hi, actor, count, write});
  }
}

TEST(TensorLedger, ACopyOntoItsOwnSourceDoesNotWaitForItself) {
  NothingSettled progress;
  TensorLedger tensor;
  WaitSet waits;
  Pattern p;
  p.run = 100;
  tensor.read(p, {kRing, 7, false}, progress, waits);
  tensor.write(p, {kRing, 7, false}, progress, waits);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].count, 6U);
}

TEST(TensorLedger, AReadOfAStoredTensorWaitsForTheStore) {
  NothingSettled progress;
  TensorLedger tensor;
  WaitSet waits;
  Pattern p;
  p.run = 100;
  tensor.write(p, {kRing, 7, false}, progress, waits);
  EXPECT_EQ(waits.size(), 0U);
  tensor.read(p, {static_cast<Actor>(kRing + 1), 1, false}, progress, waits);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].count, 7U);
}

}  // namespace
}  // namespace trnsim
