// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/page.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "support/forked.hpp"
#include "trnsim/workload.hpp"

namespace trnsim {
namespace {

using nlohmann::json;
using test::preset;

constexpr const char* kAttention = "batch=1,heads=1,seq_q=512,seq_k=512,head_dim=64";

struct Collected {
  Snapshot snapshot;
  Result result;
  std::string text;
  json timeline;
};

Collected run(const PageBudget& budget, const std::string& chip, const std::string& kernel, const std::string& params, unsigned cores = 1,
              std::optional<Time> max_time = {}) {
  const ChipConfig config = preset(chip);
  Workload workload = make_kernel(kernel, parse_params({params}), config, cores);
  PageObserver observer(budget);
  RunOptions how;
  how.observer = &observer;
  how.max_time = max_time;
  ResultContext context;
  for (const auto& program : workload.programs) context.programs.push_back(program->info());
  Collected collected;
  collected.snapshot = simulate(config, workload, how);
  forget_simulation();
  collected.result = make_result(config, collected.snapshot, context);
  collected.text = observer.timeline(collected.result);
  collected.timeline = json::parse(collected.text);
  return collected;
}

const json& lane(const json& timeline, std::uint64_t core, const std::string& name) {
  for (const json& l : timeline.at("lanes")) {
    if (l.at("core") == core && l.at("name") == name) return l;
  }
  throw std::runtime_error("no lane " + name);
}

const json& series(const json& timeline, const std::string& name, const json& core = nullptr) {
  for (const json& s : timeline.at("series")) {
    if (s.at("core") == core && s.at("name") == name) return s;
  }
  throw std::runtime_error("no series " + name);
}

double integral(const json& timeline, const json& s) {
  const double width = s.at("width_ns"), until = timeline.at("until_ns");
  double sum = 0, at = 0;
  for (const double value : s.at("values")) {
    sum += value * std::min(width, until - at);
    at += width;
  }
  return sum;
}

/// ns by kind, from slices or bins.
std::map<std::string, double> ns_by_kind(const json& timeline, const json& l) {
  std::map<std::string, double> sums;
  const json& kinds = timeline.at("kinds");
  if (l.contains("slices")) {
    const json& s = l.at("slices");
    for (std::size_t i = 0; i < s.at("kind").size(); ++i)
      sums[kinds.at(s.at("kind")[i].get<std::size_t>()).at("name")] += s.at("length_ns")[i].get<double>();
    return sums;
  }
  const json& bins = l.at("bins");
  const double width = bins.at("width_ns"), until = timeline.at("until_ns");
  for (std::size_t k = 0; k < bins.at("kinds").size(); ++k) {
    double at = 0;
    for (const double share : bins.at("share")[k]) {
      sums[kinds.at(bins.at("kinds")[k].get<std::size_t>()).at("name")] += share * std::min(width, until - at);
      at += width;
    }
  }
  return sums;
}

void expect_account(const Collected& c) {
  for (const CoreSnapshot& core : c.snapshot.cores) {
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      const json& l = lane(c.timeline, core.core, std::string(name_of(static_cast<EngineKind>(e))));
      std::uint64_t busy = 0;
      std::map<std::string, std::uint64_t> stalls;
      for (const auto& [name, cycles] : l.at("cycles").items()) {
        bool is_busy = false;
        for (const json& kind : c.timeline.at("kinds")) is_busy |= kind.at("name") == name && kind.at("busy");
        if (is_busy) {
          busy += cycles.get<std::uint64_t>();
        } else {
          stalls[name] = cycles;
        }
      }
      EXPECT_EQ(busy, core.engines[e].busy_cycles) << l.at("name");
      for (std::size_t r = 0; r < kStallReasonCount; ++r)
        EXPECT_EQ(stalls[std::string(name_of(static_cast<StallReason>(r)))], core.engines[e].stall_cycles[r]) << l.at("name");
    }
  }
}

/// The slices or bins of every engine take the time that its account has, as far as their digits go.
void expect_times(const Collected& c, double tolerance) {
  for (const json& l : c.timeline.at("lanes")) {
    if (!l.contains("cycles")) continue;
    const auto ns = ns_by_kind(c.timeline, l);
    for (const auto& [name, cycles] : l.at("cycles").items()) {
      const double expected = cycles.get<double>() / l.at("clock_ghz").get<double>();
      EXPECT_NEAR(ns.at(name), expected, tolerance * c.result.time_ns) << l.at("name") << ' ' << name;
    }
  }
}

TEST(PageTimeline, AShortRunHasExactSlices) {
  const Collected c = run({}, "trn2", "attention", kAttention);
  expect_account(c);
  for (const json& l : c.timeline.at("lanes")) {
    ASSERT_TRUE(l.contains("slices")) << l.at("name");
    const json& s = l.at("slices");
    double done = 0;
    for (std::size_t i = 0; i < s.at("from_ns").size(); ++i) {
      EXPECT_GE(s.at("from_ns")[i].get<double>(), done - 1e-6);
      done = s.at("from_ns")[i].get<double>() + s.at("length_ns")[i].get<double>();
    }
    EXPECT_LE(done, c.timeline.at("until_ns").get<double>() + 1);
  }
  expect_times(c, 1e-3);
}

TEST(PageTimeline, EveryInstructionThatWorksHasASlice) {
  const Collected c = run({}, "trn2", "matmul", "m=512,n=512,k=512");
  const json& l = lane(c.timeline, 0, "vector");
  std::size_t busy = 0;
  for (const std::size_t kind : l.at("slices").at("kind")) busy += c.timeline.at("kinds").at(kind).at("busy").get<bool>() ? 1 : 0;
  EXPECT_EQ(busy, c.snapshot.cores[0].engines[static_cast<std::size_t>(EngineKind::Vector)].instructions);
}

TEST(PageTimeline, BeyondTheBudgetTheLongestLanesAreBins) {
  PageBudget budget;
  budget.slices = 60;
  const Collected c = run(budget, "trn2", "attention", kAttention);
  std::size_t slices = 0, binned = 0;
  for (const json& l : c.timeline.at("lanes")) {
    if (l.contains("slices")) slices += l.at("slices").at("kind").size();
    binned += l.contains("bins") ? 1 : 0;
  }
  EXPECT_LE(slices, budget.slices);
  EXPECT_GT(binned, 0U);
  EXPECT_TRUE(lane(c.timeline, 0, "gpsimd").contains("slices"));
  expect_account(c);
  expect_times(c, 1e-3);
}

TEST(PageTimeline, SharesOfABinAreAtMostTheWhole) {
  PageBudget budget;
  budget.slices = 0;
  const Collected c = run(budget, "trn2", "matmul", "m=512,n=1024,k=512,schedule=naive", 2);
  for (const json& l : c.timeline.at("lanes")) {
    if (!l.contains("bins")) continue;
    const json& share = l.at("bins").at("share");
    for (std::size_t bin = 0; !share.empty() && bin < share[0].size(); ++bin) {
      double sum = 0;
      for (const json& row : share) sum += row[bin].get<double>();
      EXPECT_LE(sum, 1 + 0.0005 * static_cast<double>(share.size())) << l.at("name") << ' ' << bin;
    }
  }
}

TEST(PageTimeline, BinsStayWithinTheirBudget) {
  PageBudget budget;
  budget.slices = 0;
  budget.shares = 1000;
  const Collected c = run(budget, "trn2", "attention", kAttention);
  std::size_t numbers = 0;
  for (const json& l : c.timeline.at("lanes")) {
    if (!l.contains("bins")) continue;
    for (const json& row : l.at("bins").at("share")) numbers += row.size();
  }
  EXPECT_GT(numbers, 0U);
  EXPECT_LE(numbers, budget.shares);
}

TEST(PageTimeline, EveryCoreHasLanesThatAddUp) {
  const Collected c = run({}, "trn2", "matmul", "m=512,n=512,k=512,schedule=naive", 2);
  expect_account(c);
  EXPECT_EQ(lane(c.timeline, 1, "tensor").at("core"), 1);
  EXPECT_FALSE(lane(c.timeline, 1, "ring 0").contains("cycles"));
}

TEST(PageTimeline, ARingIsBusyWhileACopyIsUnderWay) {
  const Collected c = run({}, "trn2", "copy", "bytes=65536");
  const auto ns = ns_by_kind(c.timeline, lane(c.timeline, 0, "ring 0"));
  double busy = 0;
  for (const auto& [name, time] : ns) busy += time;
  EXPECT_GT(busy, 0.5 * c.result.time_ns);
  EXPECT_LE(busy, c.result.time_ns + 1);
}

TEST(PageTimeline, PowerOverTimeIsTheEnergyOfTheRun) {
  for (const char* chip : {"trn1", "trn2", "trn3"}) {
    const Collected c = run({}, chip, "attention", kAttention);
    const json& power = series(c.timeline, "power");
    EXPECT_EQ(power.at("unit"), "W");
    EXPECT_NEAR(1000 * integral(c.timeline, power) / c.result.energy.total_pj, 1.0, 1e-6) << chip;
  }
}

TEST(PageTimeline, BandwidthOverTimeIsTheTraffic) {
  const Collected c = run({}, "trn2", "matmul", "m=512,n=1024,k=512", 2);
  double read = 0, write = 0, dma = 0;
  for (const HbmStackCounters& s : c.snapshot.hbm) {
    read += static_cast<double>(s.read_bytes);
    write += static_cast<double>(s.write_bytes);
  }
  for (const CoreSnapshot& core : c.snapshot.cores) dma += static_cast<double>(core.dma.completed_bytes);
  EXPECT_NEAR(integral(c.timeline, series(c.timeline, "HBM read")) / read, 1.0, 1e-4);
  EXPECT_NEAR(integral(c.timeline, series(c.timeline, "HBM write")) / write, 1.0, 1e-4);
  EXPECT_NEAR(integral(c.timeline, series(c.timeline, "DMA")) / dma, 1.0, 1e-4);
}

TEST(PageTimeline, UtilisationOverTimeIsTheBusyTimeOfTheArray) {
  const Collected c = run({}, "trn2", "matmul", "m=512,n=1024,k=512");
  const double busy_ns = integral(c.timeline, series(c.timeline, "PE utilisation", 0)) / 100;
  const auto cycles = static_cast<double>(c.snapshot.cores[0].tensor.array_cycles);
  EXPECT_NEAR(busy_ns * c.result.chip.tensor.clock_ghz / cycles, 1.0, 1e-4);
}

TEST(PageTimeline, OccupancyStaysWithinTheMemory) {
  const Collected c = run({}, "trn2", "attention", kAttention);
  for (const auto& [name, memory] : {std::pair("SBUF in use", c.snapshot.cores[0].sbuf), {"PSUM in use", c.snapshot.cores[0].psum}}) {
    std::uint64_t most = 0;
    for (const json& value : series(c.timeline, name, 0).at("values")) {
      ASSERT_TRUE(value.is_number_unsigned()) << name << ' ' << value;
      most = std::max(most, value.get<std::uint64_t>());
    }
    EXPECT_GT(most, 0U);
    EXPECT_LE(most, memory.capacity_bytes);
  }
}

TEST(PageTimeline, AStoppedRunIsCutAtItsEnd) {
  for (const std::size_t slices : {std::size_t{50'000}, std::size_t{0}}) {
    PageBudget budget;
    budget.slices = slices;
    const Collected c = run(budget, "trn2", "matmul", "m=512,n=1024,k=512", 1, Time{9 * kFsPerUs});
    ASSERT_FALSE(c.snapshot.truncated.empty());
    EXPECT_EQ(c.timeline.at("until_ns"), 9000);
    expect_account(c);
    expect_times(c, 1e-3);
    for (const double percent : series(c.timeline, "PE utilisation", 0).at("values")) EXPECT_LE(percent, 100.0);
  }
}

TEST(PageTimeline, TheSameRunGivesTheSameBytes) {
  EXPECT_EQ(run({}, "trn2", "attention", kAttention).text, run({}, "trn2", "attention", kAttention).text);
}

TEST(PageTimeline, AResultOfAnotherRunIsRefused) {
  const ChipConfig config = preset("trn2");
  Workload workload = make_kernel("softmax", parse_params({"rows=256,cols=512"}), config, 1);
  PageObserver observer;
  RunOptions how;
  how.observer = &observer;
  ResultContext context;
  for (const auto& program : workload.programs) context.programs.push_back(program->info());
  const Snapshot snapshot = simulate(config, workload, how);
  forget_simulation();
  Result other = make_result(config, snapshot, context);
  ++other.snapshot.cores[0].engines[static_cast<std::size_t>(EngineKind::Vector)].busy_cycles;
  EXPECT_THROW((void)observer.timeline(other), InternalError);
}

}  // namespace
}  // namespace trnsim
