// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "trnsim/bound.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/fields.hpp"
#include "support/only_read.hpp"
#include "unit/analysis/hand_made.hpp"

namespace trnsim {
namespace {

using hand_made::chip;

Workload kernel(const ChipConfig& config, const std::string& name, const std::string& params, unsigned cores = 1) {
  return make_kernel(name, parse_params({params}), config, cores);
}

Bound bound_of(const ChipConfig& config, const std::string& name, const std::string& params) {
  Workload work = kernel(config, name, params);
  return lower_bound(config, work);
}

Bound bound_of_reading(const ChipConfig& config, const std::string& name, const std::string& params, std::uint64_t most_records) {
  Workload work = test::only_read(kernel(config, name, params));
  return lower_bound(config, work, {.most_records = most_records});
}

double of(const Bound& bound, const std::string& resource) {
  for (const auto& [name, ns] : bound.resources_ns) {
    if (name == resource) return ns;
  }
  ADD_FAILURE() << resource << " is missing";
  return -1;
}

TEST(LowerBound, NamesTheResourcesOfTheVerdictInTheirOrder) {
  std::vector<std::string> names;
  for (const auto& [name, ns] : bound_of(chip("trn2"), "copy", "bytes=65536").resources_ns) names.push_back(name);
  EXPECT_EQ(names, resource_names());
}

TEST(LowerBound, OfAMatmulIsAtLeastItsMacsAtPeakRate) {
  const ChipConfig trn2 = chip("trn2");
  const Bound bound = bound_of(trn2, "matmul", "m=1024,n=1024,k=1024");
  const double peak_ns = 1024.0 * 1024 * 1024 / (128.0 * 128 * 2.4);
  EXPECT_GE(of(bound, "tensor array") * (1 + 1e-9), peak_ns);
  EXPECT_LT(of(bound, "tensor array"), 1.1 * peak_ns);
  EXPECT_GT(of(bound, "tensor instructions"), of(bound, "tensor array"));
  EXPECT_EQ(bound.macs, std::uint64_t{1024} * 1024 * 1024);
}

TEST(LowerBound, OfACopyIsItsBytesAtTheRateOfTheEngines) {
  const ChipConfig trn2 = chip("trn2");
  const Bound bound = bound_of(trn2, "copy", "bytes=16777216,bytes_per_partition=65536");
  const double payload_ns = 16777216 / (trn2.dma.engines * trn2.dma.engine_gb_per_s);
  EXPECT_EQ(bound.resource, "DMA engines");
  EXPECT_GE(bound.ns, payload_ns);
  EXPECT_LT(bound.ns, 1.1 * payload_ns);
  EXPECT_DOUBLE_EQ(of(bound, "HBM bandwidth"), 16777216 / trn2.hbm.stack_gb_per_s);
}

TEST(LowerBound, OfShortCopiesIsTheirIssue) {
  const ChipConfig trn2 = chip("trn2");
  EXPECT_EQ(bound_of(trn2, "copy", "bytes=1048576,bytes_per_partition=64").resource, "DMA issue");
}

TEST(LowerBound, IsTheLargestOfItsResources) {
  const Bound bound = bound_of(chip("trn3"), "softmax", "rows=512,cols=1024");
  for (const auto& [name, ns] : bound.resources_ns) EXPECT_LE(ns, bound.ns) << name;
  EXPECT_EQ(of(bound, bound.resource), bound.ns);
}

TEST(LowerBound, OfAPrefixIsNotAboveThatOfTheWhole) {
  const ChipConfig trn2 = chip("trn2");
  const std::string params = "m=512,n=1024,k=512";
  const Bound whole = bound_of(trn2, "matmul", params);
  EXPECT_TRUE(whole.whole);
  for (const std::uint64_t records : {0, 10, 20}) {
    const Bound part = bound_of_reading(trn2, "matmul", params, records);
    EXPECT_FALSE(part.whole) << records;
    EXPECT_LE(part.ns, whole.ns) << records;
  }
}

TEST(LowerBound, OfAPartOfAKernelKeepsTheMacsOfAll) {
  const ChipConfig trn2 = chip("trn2");
  const Bound part = bound_of_reading(trn2, "matmul", "m=4096,n=4096,k=4096", 100);
  EXPECT_GE(part.ns * (1 + 1e-9), 4096.0 * 4096 * 4096 / (128.0 * 128 * 2.4));
  EXPECT_EQ(part.resource, "tensor array");
}

TEST(LowerBound, OfAKernelIsWholeWhateverItsSize) {
  const Bound bound = bound_of(chip("trn2"), "matmul", "m=65536,n=65536,k=65536");
  EXPECT_TRUE(bound.whole);
  EXPECT_GT(bound.instructions, 40'000'000U);
}

TEST(LowerBound, OfCopiesOnSeveralRingsIsTheShareOfOne) {
  const ChipConfig trn2 = chip("trn2");
  const double one = of(bound_of(trn2, "copy", "bytes=104857600,bytes_per_partition=512,dma_queues=1"), "DMA issue");
  const double four = of(bound_of(trn2, "copy", "bytes=104857600,bytes_per_partition=512,dma_queues=4"), "DMA issue");
  EXPECT_NEAR(one / four, 4, 0.05);
}

TEST(LowerBound, OfSeveralCoresIsThatOfTheBusiest) {
  const ChipConfig trn2 = chip("trn2");
  Workload one = kernel(trn2, "matmul", "m=512,n=512,k=512"), two = kernel(trn2, "matmul", "m=1024,n=512,k=512", 2);
  EXPECT_NEAR(of(lower_bound(trn2, one), "tensor array"), of(lower_bound(trn2, two), "tensor array"), 1e-6);
}

TEST(LowerBound, OfNoInstructionsIsNothing) {
  const Bound bound = bound_of_reading(chip("trn2"), "copy", "bytes=65536", 0);
  EXPECT_EQ(bound.ns, 0);
  EXPECT_EQ(bound.resource, "none");
}

TEST(LowerBound, FollowsTheChip) {
  ChipConfig slow = chip("trn2");
  slow.tensor.clock_ghz = 1.2;
  EXPECT_NEAR(of(bound_of(slow, "matmul", "m=512,n=512,k=512"), "tensor array"),
              2 * of(bound_of(chip("trn2"), "matmul", "m=512,n=512,k=512"), "tensor array"), 1e-3);
}

TEST(BoundSums, AddTimesAndNameTheLargestResource) {
  Bound a, b, sum;
  a.ns = 5, a.resources_ns = {{"x", 5}, {"y", 1}};
  b.ns = 6, b.resources_ns = {{"x", 0}, {"y", 6}};
  add_bound(sum, a);
  add_bound(sum, b);
  EXPECT_EQ(sum.ns, 11);
  EXPECT_EQ(sum.resource, "y");
  EXPECT_EQ(sum.resources_ns, (std::vector<std::pair<std::string, double>>{{"x", 5}, {"y", 7}}));
}

class BoundFile : public ::testing::Test {
 protected:
  BoundFile() {
    report.chip = chip("trn2");
    report.command = "trnsim run --bound";
    report.workload_name = "matmul";
    report.params = {{"m", "128"}};
    report.bound = bound_of(report.chip, "matmul", "m=128,n=128,k=128");
    Layer layer;
    layer.name = "first";
    report.layers.push_back({layer, report.bound});
  }
  BoundReport report;
};

TEST_F(BoundFile, SaysWhatItIsAndWhatItRestsOn) {
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["trnsim_bound"], "1.0");
  EXPECT_EQ(json["model"], "bound");
  EXPECT_EQ(json["bound_ns"], report.bound.ns);
  EXPECT_EQ(json["resource"], report.bound.resource);
  EXPECT_EQ(json["bounds_ns"].size(), report.bound.resources_ns.size());
  EXPECT_EQ(json["layers"][0]["name"], "first");
  EXPECT_EQ(json["workload"]["macs"], 128 * 128 * 128);
}

TEST_F(BoundFile, ReportSaysThatNothingWasSimulated) {
  const std::string text = terminal_report(report, ReportStyle{});
  EXPECT_NE(text.find("matmul on trn2: lower bound, nothing was simulated"), std::string::npos) << text;
  EXPECT_NE(text.find("DMA issue"), std::string::npos);
  EXPECT_EQ(text.find("The first"), std::string::npos);
  report.bound.whole = false;
  EXPECT_NE(terminal_report(report, ReportStyle{}).find("the rest counts by its MACs alone"), std::string::npos);
}

}  // namespace
}  // namespace trnsim
