// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The timeline of a run with five million events, half a minute or so.
#include <cstdint>
#include <filesystem>
#include <string>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kMostBytes = 200'000'000;  ///< Beyond that a browser runs out of memory.

class TimelineOfAMillionLines : public Cli {
 protected:
  /// 64 × 16 × 112 tile products load two operands each; every copy shows on its ring and on sixteen DMA engines.
  Outcome run(const std::string& file) const {
    return trnsim({"run", "--chip", "trn2", "--kernel", "matmul", "--param", "m=8192,n=8192,k=14336,schedule=naive", "--timeline", file});
  }
  /// "… 4967218 slices, 230392 arrows, 4251 counter values, 14141497 bytes": the number before a word.
  static std::uint64_t number_before(const std::string& text, const std::string& word) {
    const std::size_t end = text.rfind(" " + word);  // behind the warnings
    if (end == std::string::npos) return 0;
    return std::stoull(text.substr(text.find_last_of(" ", end - 1) + 1));
  }
};

TEST_F(TimelineOfAMillionLines, PackedItIsWholeAndSmallAndItsEventsAreCounted) {
  const Outcome outcome = run("t.pftrace.gz");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_GE(number_before(outcome.err, "slices") + number_before(outcome.err, "arrows"), 5'000'000U) << outcome.err;
  EXPECT_EQ(outcome.err.find("limit"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::filesystem::file_size(path("t.pftrace.gz")), number_before(outcome.err, "bytes"));
  EXPECT_LT(std::filesystem::file_size(path("t.pftrace.gz")), kMostBytes / 4);
}

TEST_F(TimelineOfAMillionLines, PlainItStaysBelowTheLimitAndSaysWhereItWasCut) {
  const Outcome outcome = run("t.pftrace");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LE(std::filesystem::file_size(path("t.pftrace")), kMostBytes);
  EXPECT_NE(outcome.err.find("reached its size limit; slices after about"), std::string::npos) << outcome.err;
  EXPECT_GE(number_before(outcome.err, "slices"), 3'000'000U) << outcome.err;
}

}  // namespace
}  // namespace trnsim
