// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <map>
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

/// Slices of a track of a Chrome file: name, begin and length in ns.
struct Slice {
  std::string name;
  double from_ns, length_ns;
};

std::vector<Slice> slices_of(const nlohmann::json& file, const std::string& track) {
  std::map<std::pair<int, int>, std::string> names;
  std::vector<Slice> slices;
  for (const auto& e : file.at("traceEvents")) {
    if (e.at("name") == "thread_name") names[{e.at("pid"), e.at("tid")}] = e.at("args").at("name");
  }
  for (const auto& e : file.at("traceEvents")) {
    if (e.at("ph") == "X" && names[{e.at("pid"), e.at("tid")}] == track)
      slices.push_back({e.at("name"), 1000 * e.at("ts").get<double>(), 1000 * e.at("dur").get<double>()});
  }
  return slices;
}

/// Sixfold the same kernel, with the host's gap between two.
TEST_F(TimelineCli, GapsOfTheHostAreATrackOfTheirOwn) {
  write("net.csv", "Layer,M,N,K\na,256,256,256\nb,256,256,256\nc,256,256,256\nd,256,256,256\ne,256,256,256\nf,256,256,256\n");
  double last_end = 0;
  for (const double gap : {13'000.0, 180'000.0}) {
    const Outcome outcome = trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "--set", "chip.launch_gap_ns=" + std::to_string(gap),
                                    "-q", "--json", "-", "--timeline", "t.json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto result = nlohmann::json::parse(outcome.out), trace = nlohmann::json::parse(read("t.json"));
    const auto gaps = slices_of(trace, "gaps"), layers = slices_of(trace, "layers");
    ASSERT_EQ(gaps.size(), 5U);
    ASSERT_EQ(layers.size(), 6U);
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      EXPECT_NEAR(gaps[i].length_ns, gap, 1);
      EXPECT_NEAR(gaps[i].from_ns, layers[i].from_ns + layers[i].length_ns, 1) << "after its layer";
      EXPECT_NEAR(layers[i + 1].from_ns, gaps[i].from_ns + gap, 1) << "before the next one";
    }
    const double end = layers.back().from_ns + layers.back().length_ns;
    EXPECT_NEAR(end, result["time_ns"].get<double>() + result["host_gap_ns"].get<double>(), 6);
    if (last_end > 0) {
      EXPECT_NEAR(end - last_end, 5 * (180'000 - 13'000), 6) << "five gaps of 167 us more";
    }
    last_end = end;
  }
}

TEST_F(TimelineCli, WithoutGapsTheTrackIsEmpty) {
  write("net.csv", "Layer,M,N,K\na,256,256,256\nb,128,128,128\n");
  ASSERT_EQ(trnsim({"run", "--chip", "trn2", "--gemm-list", "net.csv", "-q", "--json", "r.json", "--timeline", "t.json"}).code, 0);
  EXPECT_TRUE(slices_of(nlohmann::json::parse(read("t.json")), "gaps").empty());
}

}  // namespace
}  // namespace trnsim
