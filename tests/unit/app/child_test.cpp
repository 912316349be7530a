// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/child.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "trnsim/error.hpp"

namespace trnsim::app {
namespace {

TEST(Child, TextComesBackWhole) {
  std::string large(1'000'000, 'x');
  large += '\0';
  EXPECT_EQ(in_child([&] { return large; }), large);
}

TEST(Child, MemoryOfTheParentIsNotTouched) {
  int value = 1;
  in_child([&] {
    value = 2;
    return std::string();
  });
  EXPECT_EQ(value, 1);
}

TEST(Child, ErrorsKeepTheirKindAndMessage) {
  EXPECT_THROW(in_child([]() -> std::string { throw WorkloadError("no"); }), InputError);
  EXPECT_THROW(in_child([]() -> std::string { throw IoError("no"); }), IoError);
  EXPECT_THROW(in_child([]() -> std::string { throw std::runtime_error("no"); }), InternalError);
  try {
    in_child([]() -> std::string { throw DeadlockError("who waits for what"); });
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::Fault);
    EXPECT_STREQ(error.what(), "who waits for what");
  }
}

TEST(Child, CrashIsAnErrorOfTheParent) {
  EXPECT_THROW(in_child([]() -> std::string {
                 std::raise(SIGKILL);
                 return "";
               }),
               InternalError);
}

}  // namespace
}  // namespace trnsim::app
