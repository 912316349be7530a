// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The estimate of the default report against simulations of the ends of each range, one number at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "support/run_result.hpp"

namespace trnsim {
namespace {

struct Case {
  const char* chip;
  const char* kernel;
  const char* params;
};

constexpr Case kCases[]{
    {"trn2", "matmul", "m=512,n=512,k=512"},   {"trn1", "softmax", "rows=1024,cols=1024"},
    {"trn3", "softmax", "rows=512,cols=512"},  {"trn3", "attention", "seq_q=2048,heads=1,head_dim=64"},
    {"trn3", "rmsnorm", "rows=512,cols=1024"}, {"trn3", "copy", "bytes=1048576,bytes_per_partition=256"},
};

class InfluenceLaws : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, InfluenceLaws, testing::ValuesIn(kCases),
                         [](const auto& item) { return fmt::format("{}_{}_{}", item.param.chip, item.param.kernel, item.index); });

/// Change of the simulated time between the ends of the range, over the time.
double simulated_share(const Case& c, const ValueSource& source, const std::string& path, double time_ns) {
  double least = time_ns, most = time_ns;
  for (const double end : {source.range->lo, source.range->hi}) {
    const ChipConfig changed = test::preset(c.chip, {fmt::format("{}={}", path, end)});
    const double ns = test::kernel_ns(changed, c.kernel, c.params);
    least = std::min(least, ns), most = std::max(most, ns);
  }
  return (most - least) / time_ns;
}

/// What the range of each assumed number really changes, by simulation of both ends.
std::map<std::string, double> simulated_shares(const Case& c, const Result& result) {
  std::map<std::string, double> shares;
  for (const std::string& path : result.assumed) {
    const ValueSource& source = result.chip.sources.at(path);
    if (!source.range || source.range->lo >= source.range->hi || path.starts_with("energy.") || path == "chip.launch_ns") continue;
    if (path == "hbm.row_bytes" || path == "hbm.interleave_bytes") continue;  // not free of each other
    shares[path] = simulated_share(c, source, path, result.time_ns);
  }
  return shares;
}

double estimated_share(const Influence& i, double time_ns) {
  return (std::max({i.lo_ns, i.hi_ns, time_ns}) - std::min({i.lo_ns, i.hi_ns, time_ns})) / time_ns;
}

// One test, since the simulations are most of its time: the strongest number is among the first two of the
// estimate, and what the report would name is no false alarm.
TEST_P(InfluenceLaws, TheEstimateAgreesWithSimulationsOfBothEnds) {
  const Case& c = GetParam();
  const Result result = test::kernel_result(test::preset(c.chip), c.kernel, c.params);
  const std::map<std::string, double> simulated = simulated_shares(c, result);
  const auto strongest =
      std::max_element(simulated.begin(), simulated.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  ASSERT_NE(strongest, simulated.end());
  std::string estimate;
  bool found = false;
  for (std::size_t i = 0; i < result.influences.size(); ++i) {
    const Influence& influence = result.influences[i];
    const double share = estimated_share(influence, result.time_ns);
    estimate += fmt::format("{} {:.3f}; ", influence.path, share);
    found = found || (i < 2 && influence.path == strongest->first);
    if (i < 2 && share > 0.05 && simulated.contains(influence.path)) {
      EXPECT_GT(simulated.at(influence.path), share / 4) << influence.path;
    }
  }
  if (strongest->second > 0.05) {
    EXPECT_TRUE(found) << "simulated: " << strongest->first << ' ' << strongest->second << "; estimated: " << estimate;
  }
}

}  // namespace
}  // namespace trnsim
