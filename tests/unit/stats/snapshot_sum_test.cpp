// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "trnsim/error.hpp"
#include "trnsim/snapshot.hpp"

namespace trnsim {
namespace {

/// A run of one core whose counters are all different.
Snapshot run(std::uint32_t core, std::uint64_t seed) {
  Snapshot s;
  s.end_fs = seed + 1;
  s.instructions = seed + 2;
  s.events = seed + 3;
  CoreSnapshot c;
  c.core = core;
  for (EngineCounters& e : c.engines) e.busy_cycles = e.elapsed_cycles = ++seed;
  c.tensor.macs[2] = ++seed;
  c.tensor.matmuls = ++seed;
  c.sbuf = {++seed, ++seed, ++seed, ++seed, ++seed};
  c.dma.completed_bytes = ++seed;
  c.dma.engines = 16;
  c.end_fs = ++seed;
  s.cores.push_back(c);
  s.partitions = {{core, Buffer::Sbuf, 0, 64, seed}, {core, Buffer::Sbuf, 64, 128, 50}, {core, Buffer::Psum, 0, 128, 7}};
  s.hbm.resize(2);
  s.hbm[1].read_bytes = ++seed;
  s.hbm[1].data_bus_fs = ++seed;
  return s;
}

TEST(SnapshotSum, CountersAndTimesAddUp) {
  const Snapshot a = run(0, 100), b = run(0, 5000);
  Snapshot sum = no_runs();
  add_run(sum, a);
  add_run(sum, b);
  EXPECT_EQ(sum.runs, 2u);
  EXPECT_EQ(sum.end_fs, a.end_fs + b.end_fs);
  EXPECT_EQ(sum.instructions, a.instructions + b.instructions);
  ASSERT_EQ(sum.cores.size(), 1u);
  EXPECT_EQ(sum.cores[0].engines[3].busy_cycles, a.cores[0].engines[3].busy_cycles + b.cores[0].engines[3].busy_cycles);
  EXPECT_EQ(sum.cores[0].tensor.macs[2], a.cores[0].tensor.macs[2] + b.cores[0].tensor.macs[2]);
  EXPECT_EQ(sum.cores[0].dma.completed_bytes, a.cores[0].dma.completed_bytes + b.cores[0].dma.completed_bytes);
  EXPECT_EQ(sum.cores[0].end_fs, a.cores[0].end_fs + b.cores[0].end_fs);
  EXPECT_EQ(sum.hbm[1].read_bytes, a.hbm[1].read_bytes + b.hbm[1].read_bytes);
}

TEST(SnapshotSum, PeaksAndCapacitiesAreTheLargest) {
  const Snapshot a = run(0, 100), b = run(0, 5000);
  Snapshot sum = no_runs();
  add_run(sum, b);
  add_run(sum, a);
  EXPECT_EQ(sum.cores[0].sbuf.peak_bytes, b.cores[0].sbuf.peak_bytes);
  EXPECT_EQ(sum.cores[0].sbuf.capacity_bytes, b.cores[0].sbuf.capacity_bytes);
  EXPECT_EQ(sum.cores[0].sbuf.read_bytes, a.cores[0].sbuf.read_bytes + b.cores[0].sbuf.read_bytes);
  EXPECT_EQ(sum.cores[0].dma.engines, 16u);
}

TEST(SnapshotSum, PeaksOfPartitionsAreTheLargestOfEach) {
  Snapshot a, b;
  a.partitions = {{0, Buffer::Sbuf, 0, 64, 100}, {0, Buffer::Sbuf, 64, 128, 10}, {0, Buffer::Psum, 0, 128, 0}};
  b.partitions = {{0, Buffer::Sbuf, 0, 1, 500}, {0, Buffer::Sbuf, 1, 128, 10}, {0, Buffer::Psum, 0, 128, 8}, {2, Buffer::Sbuf, 0, 128, 3}};
  Snapshot sum = no_runs();
  add_run(sum, a);
  add_run(sum, b);
  const std::vector<PartitionPeak> expected{{0, Buffer::Sbuf, 0, 1, 500},
                                            {0, Buffer::Sbuf, 1, 64, 100},
                                            {0, Buffer::Sbuf, 64, 128, 10},
                                            {0, Buffer::Psum, 0, 128, 8},
                                            {2, Buffer::Sbuf, 0, 128, 3}};
  EXPECT_EQ(sum.partitions, expected);
}

TEST(SnapshotSum, CoresAreMatchedByNumber) {
  Snapshot sum = no_runs();
  for (const std::uint32_t core : {2u, 0u, 2u}) add_run(sum, run(core, 100));
  ASSERT_EQ(sum.cores.size(), 2u);
  EXPECT_EQ(sum.cores[0].core, 0u);
  EXPECT_EQ(sum.cores[1].core, 2u);
  EXPECT_EQ(sum.cores[1].tensor.matmuls, 2 * sum.cores[0].tensor.matmuls);
}

TEST(SnapshotSum, OneRunIsItsOwnSum) {
  const Snapshot a = run(0, 100);
  Snapshot sum = no_runs();
  add_run(sum, a);
  EXPECT_EQ(sum, a);
}

TEST(SnapshotBytes, ComeBackAsTheyWere) {
  Snapshot a = run(3, 100);
  a.truncated = "stopped";
  a.runs = 7;
  EXPECT_EQ(snapshot_from_bytes(to_bytes(a)), a);
  EXPECT_EQ(snapshot_from_bytes(to_bytes(no_runs())), no_runs());
}

TEST(SnapshotBytes, CutOrForeignOnesAreRefused) {
  const std::string bytes = to_bytes(run(0, 1));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW((void)snapshot_from_bytes(std::string_view(bytes).substr(0, size)), InternalError) << size;
  }
  EXPECT_THROW((void)snapshot_from_bytes(bytes + "x"), InternalError);
  EXPECT_THROW((void)snapshot_from_bytes("x" + bytes), InternalError);
}

}  // namespace
}  // namespace trnsim
