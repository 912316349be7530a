// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "memory/ports.hpp"
#include "memory/semaphore_file.hpp"

namespace trnsim {
namespace {

TEST(SemaphoreFile, KnowsNothingOfWhatIsNotComplete) {
  SemaphoreFile file("semaphores", 8);
  EXPECT_FALSE(file.reached(0, 1));
}

TEST(SemaphoreFile, RemembersWhenACountIsReached) {
  SemaphoreFile file("semaphores", 8);
  file.complete(2, Time{100}, Time{130});
  EXPECT_EQ(file.reached(2, 1), Time{130});
  EXPECT_FALSE(file.reached(2, 2));
  EXPECT_FALSE(file.reached(1, 1));
}

TEST(SemaphoreFile, CountsInOrder) {
  SemaphoreFile file("semaphores", 8);
  file.complete(0, Time{500}, Time{500});
  file.complete(0, Time{300}, Time{300});  // quicker, but behind the first
  EXPECT_EQ(file.reached(0, 2), Time{500});
}

TEST(SemaphoreFile, KeepsAsManyFutureTimesAsItIsGiven) {
  SemaphoreFile file("semaphores", 8);
  for (std::uint64_t i = 1; i <= 5000; ++i) file.complete(0, Time{1000 + i}, Time{1000 + i});
  EXPECT_EQ(file.reached(0, 1), Time{1001});
  EXPECT_EQ(file.reached(0, 5000), Time{6000});
  EXPECT_EQ(file.settled(0), 0U);
}

TEST(SemaphoreFile, TheLastVisibleResultEndsTheRun) {
  SemaphoreFile file("semaphores", 8);
  file.complete(0, Time{500}, Time{530});
  file.complete(1, Time{400}, Time{430});
  EXPECT_EQ(file.last_visible(), Time{500});
}

SequencerConfig exclusive_psum() {
  SequencerConfig config;
  config.psum_bank_exclusive = true;
  return config;
}

TEST(PortsUnit, ABankIsFreeOneFemtosecondAfterItsUse) {
  Ports ports("ports", exclusive_psum());
  ports.occupy({EngineKind::Vector, false, 1, false}, Time{1000});
  EXPECT_EQ(ports.query({EngineKind::Scalar, false, 1, false}, Time{999}).from, Time{1000});
  EXPECT_EQ(ports.query({EngineKind::Scalar, false, 1, false}, Time{1000}).from, Time{1000});
}

TEST(PortsUnit, AnEngineDoesNotBlockItself) {
  Ports ports("ports", exclusive_psum());
  ports.occupy({EngineKind::Vector, false, 1, false}, Time{1000});
  EXPECT_EQ(ports.query({EngineKind::Vector, false, 1, false}, Time{10}).from, Time{10});
}

TEST(PortsUnit, TheReasonNamesTheBank) {
  Ports ports("ports", exclusive_psum());
  ports.occupy({EngineKind::Vector, false, 4, false}, Time{1000});
  EXPECT_EQ(ports.query({EngineKind::Scalar, false, 6, false}, Time{10}).reason, StallReason::PsumBank);
}

}  // namespace
}  // namespace trnsim
