// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "app/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace trnsim::app {
namespace {

constexpr Time kTime{12'300'000'000};  // 12.3 us

struct Fixture {
  std::ostringstream out, err;
  double now = 0;
  Console console{out, err, {}, {}};
  Progress make(ProgressMode mode, bool interactive) {
    console.err_terminal = {interactive, 80, false, false};
    return Progress(mode, 100, console, [this] { return now; });
  }
};

TEST(Progress, LineFitsAnyWidth) {
  for (unsigned width = 1; width < 130; ++width) {
    for (const std::uint64_t total : {0u, 1000u}) {
      EXPECT_LE(progress_line({250, total, kTime, 10}, width, false).size(), width) << width;
    }
  }
}

TEST(Progress, LineTellsShareAndWhatIsLeft) {
  const std::string line = progress_line({250, 1000, kTime, 10}, 100, false);
  EXPECT_NE(line.find("[######"), std::string::npos) << line;
  EXPECT_NE(line.find("25 %, 30 s left"), std::string::npos) << line;
  EXPECT_NE(line.find("12.3 us simulated"), std::string::npos) << line;
}

TEST(Progress, AsciiTerminalGetsAscii) {
  const std::string line = progress_line({250, 1000, kTime, 10}, 100, false);
  EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](unsigned char c) { return c < 128; }));
  EXPECT_NE(progress_line({250, 1000, kTime, 10}, 100, true).find("█"), std::string::npos);
}

TEST(Progress, ShareNeverExceedsHundredPercent) {
  EXPECT_NE(progress_line({1500, 1000, kTime, 10}, 100, false).find("100 %"), std::string::npos);
}

TEST(Progress, BarAppearsAfterTwoSecondsAndIsCleared) {
  Fixture f;
  Progress progress = f.make(ProgressMode::Auto, true);
  f.now = 1.9;
  progress.update(10, kTime);
  EXPECT_EQ(f.err.str(), "");
  f.now = 2.1;
  progress.update(20, kTime);
  EXPECT_TRUE(f.err.str().starts_with("\r"));
  progress.finish();
  EXPECT_TRUE(f.err.str().ends_with("\r\033[K"));
}

TEST(Progress, LogGetsOneLineAMinute) {
  Fixture f;
  Progress progress = f.make(ProgressMode::Auto, false);
  for (f.now = 0; f.now <= 185; f.now += 0.5) progress.update(10, kTime);
  progress.finish();
  const std::string text = f.err.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(Progress, AskedForItShowsAtOnce) {
  Fixture f;
  Progress progress = f.make(ProgressMode::Always, true);
  progress.update(1, kTime);
  EXPECT_NE(f.err.str(), "");
}

TEST(Progress, QuietShowsNothing) {
  Fixture f;
  Progress progress = f.make(ProgressMode::Off, true);
  f.now = 1000;
  progress.update(50, kTime);
  progress.finish();
  EXPECT_EQ(f.err.str() + f.out.str(), "");
}

}  // namespace
}  // namespace trnsim::app
