// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <nlohmann/json.hpp>

#include "integration/cli.hpp"

namespace trnsim {
namespace {

class TimelineCli : public Cli {};

TEST_F(TimelineCli, ChangesNoResult) {
  const std::vector<std::string> plain{"run", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "-q", "--json", "-"};
  std::vector<std::string> seen = plain;
  seen.insert(seen.end(), {"--timeline", "t.json"});
  auto a = nlohmann::json::parse(trnsim(plain).out), b = nlohmann::json::parse(trnsim(seen).out);
  a.erase("run_info");
  b.erase("run_info");
  EXPECT_EQ(a, b);
}

TEST_F(TimelineCli, AnUnknownSuffixIsRefused) {
  const Outcome outcome = trnsim({"run", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "--timeline", "t.txt"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find(".pftrace"), std::string::npos) << outcome.err;
}

TEST_F(TimelineCli, ALimitNeedsATimeline) {
  const Outcome outcome =
      trnsim({"run", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "--timeline-limit", "10MB"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("belongs to --timeline"), std::string::npos) << outcome.err;
}

TEST_F(TimelineCli, AFileThatCannotBeMadeIsSaidBefore) {
  EXPECT_EQ(trnsim({"run", "--chip", "trn2", "--kernel", "softmax", "--param", "rows=256,cols=512", "--timeline", "no/t.json"}).code, 4);
}

}  // namespace
}  // namespace trnsim
