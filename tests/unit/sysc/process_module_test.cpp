// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "sysc/process_module.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace trnsim {
namespace {

/// Notes the times at which its process runs.
class Recorder : public ProcessModule {
 public:
  Recorder(Context& context, std::vector<Time> waits, bool fail = false)
      : ProcessModule("recorder", context), waits_(std::move(waits)), fail_(fail) {
    start(run());
  }
  std::vector<Time> seen;

 private:
  Process run() {
    for (const Time t : waits_) {
      if (t == kForever) {
        co_await woken();
      } else {
        co_await until(t);
      }
      seen.push_back(now());
    }
    if (fail_) throw std::runtime_error("broken");
  }
  std::vector<Time> waits_;
  bool fail_;
};

TEST(ProcessModule, ResumesAtTheTimesItAsksFor) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  Context context;
  Recorder module(context, {Time{5}, Time{9}});
  sc_core::sc_start();
  EXPECT_EQ(module.seen, (std::vector{Time{5}, Time{9}}));
}

TEST(ProcessModule, AWakeUpEndsOnlyAWait) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  Context context;
  Recorder sleeper(context, {kForever}), other(context, {Time{100}});
  sc_core::sc_start(sc_core::sc_time::from_value(1));
  sleeper.wake_at(Time{50});
  other.wake_at(Time{50});  // it waits for a time, not for a wake-up
  sc_core::sc_start();
  EXPECT_EQ(sleeper.seen, std::vector{Time{50}});
  EXPECT_EQ(other.seen, std::vector{Time{100}});
}

TEST(ProcessModule, AnErrorKeepsItsType) {
  Context context;
  Recorder module(context, {}, true);
  sc_core::sc_start();
  ASSERT_TRUE(context.failure);
  EXPECT_THROW(std::rethrow_exception(context.failure), std::runtime_error);
}

TEST(ProcessModule, CountsItsActivations) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  Context context;
  Recorder module(context, {Time{5}, Time{9}});
  sc_core::sc_start();
  EXPECT_EQ(context.activations, 3U);  // the start and two resumptions
}

}  // namespace
}  // namespace trnsim
