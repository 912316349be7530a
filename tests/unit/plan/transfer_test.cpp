// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/transfer.hpp"

#include <gtest/gtest.h>

#include "support/program_builder.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;

TEST(ByteStream, RowsThatFollowEachOtherAreOneRun) {
  const ByteStream stream = ByteStream::of_hbm(ProgramBuilder::in_hbm(0, 128, 512, 1024), 4096);
  EXPECT_EQ(stream.locate(0).address, 4096U);
  EXPECT_EQ(stream.locate(0).bytes, 128U * 1024);
  EXPECT_EQ(stream.locate(5000).address, 9096U);
}

TEST(ByteStream, ARowStrideEndsTheRun) {
  const ByteStream stream = ByteStream::of_hbm(ProgramBuilder::in_hbm(0, 128, 512, 8192), 0);
  EXPECT_EQ(stream.locate(1000).bytes, 24U);
  EXPECT_EQ(stream.locate(1024).address, 8192U);
  EXPECT_EQ(stream.locate(3 * 1024 + 10).address, 3U * 8192 + 10);
}

TEST(ByteStream, InnerDimensionsAreFollowed) {
  Operand operand = ProgramBuilder::in_hbm(0, 2, 1, 100'000);
  operand.rank = 2;
  operand.free[0] = {1000, 4};  // elements of 2 bytes
  operand.free[1] = {1, 64};
  const ByteStream stream = ByteStream::of_hbm(operand, 0);
  EXPECT_EQ(stream.locate(128).address, 2000U);
  EXPECT_EQ(stream.locate(128).bytes, 128U);
  EXPECT_EQ(stream.locate(4 * 128).address, 100'000U);
}

TEST(ByteStream, ACastingCopyCountsInTheLargerType) {
  // Rows of 512 elements of 2 bytes, moved as 4.
  const ByteStream stream = ByteStream::of_hbm(ProgramBuilder::in_hbm(0, 128, 512, 8192), 0, 4);
  EXPECT_EQ(stream.locate(0).bytes, 2048U);
  EXPECT_EQ(stream.locate(2000).address, 1000U);
  EXPECT_EQ(stream.locate(2000).bytes, 48U);
  EXPECT_EQ(stream.locate(2048).address, 8192U);
  EXPECT_EQ(stream.memory_bytes(2048), 1024U);
}

TEST(TransferPool, HandsOutCleanObjectsAgain) {
  TransferPool pool;
  Transfer* first = pool.acquire();
  first->rows = 5;
  pool.release(first);
  Transfer* again = pool.acquire();
  EXPECT_EQ(again, first);
  EXPECT_EQ(again->rows, 0U);
}

}  // namespace
}  // namespace trnsim
