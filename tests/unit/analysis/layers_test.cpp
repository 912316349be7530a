// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "hand_made.hpp"
#include "trnsim/error.hpp"
#include "trnsim/report.hpp"
#include "trnsim/text.hpp"

namespace trnsim {
namespace {

using hand_made::component;

/// A layer of `tiles` tiles of 128 x 128 x 512 on trn2.
LayerResult layer(const std::string& name, std::uint64_t tiles, std::uint64_t bytes, DType dtype = DType::Bf16) {
  const ChipConfig chip = hand_made::chip("trn2");
  const std::uint64_t macs = tiles * 128 * 128 * 512;
  LayerResult l;
  l.layer.name = name;
  l.layer.m = 128 * tiles;
  l.layer.n = 512;
  l.layer.k = 128;
  l.result = std::make_shared<const Result>(
      make_result(chip, hand_made::matmul_run(chip, tiles, bytes), hand_made::matmul_context(macs, 1, dtype)));
  return l;
}

Result whole(const std::vector<LayerResult>& layers, const std::string& truncated = {}) {
  ResultContext context;
  context.workload_name = "net";
  return make_layers_result(hand_made::chip("trn2"), layers, context, 1, truncated);
}

TEST(LayersResult, TimesWorkAndEnergyAreSums) {
  const LayerResult a = layer("a", 100, 1 << 20), b = layer("b", 300, 1 << 22);
  const Result r = whole({a, b, b});
  EXPECT_EQ(r.cycles, a.result->cycles + 2 * b.result->cycles);
  EXPECT_EQ(r.macs, a.result->macs + 2 * b.result->macs);
  EXPECT_EQ(r.flops, a.result->flops + 2 * b.result->flops);
  EXPECT_DOUBLE_EQ(r.time_ns, a.result->time_ns + 2 * b.result->time_ns);
  EXPECT_DOUBLE_EQ(r.energy.total_pj, a.result->energy.total_pj + 2 * b.result->energy.total_pj);
  EXPECT_DOUBLE_EQ(component(r, "hbm"), component(*a.result, "hbm") + 2 * component(*b.result, "hbm"));
  EXPECT_EQ(r.launch_ns, a.result->launch_ns);
}

TEST(LayersResult, WholeIsAtLeastAsLongAsTheLongestLayer) {
  const LayerResult a = layer("a", 100, 1 << 20), b = layer("b", 300, 1 << 22);
  const Result r = whole({a, b});
  EXPECT_LE(r.cycles, a.result->cycles + b.result->cycles);
  EXPECT_GE(r.cycles, b.result->cycles);
}

TEST(LayersResult, RatiosAreMadeOfTheSums) {
  const LayerResult a = layer("a", 100, 1 << 20), b = layer("b", 300, 1 << 22);
  const Result r = whole({a, b});
  const double expected = (*a.result->mfu * a.result->time_ns + *b.result->mfu * b.result->time_ns) / r.time_ns;
  EXPECT_NEAR(*r.mfu, expected, 1e-12);
  EXPECT_NEAR(*r.tflops, static_cast<double>(r.flops) / r.time_ns / 1000, 1e-9);
  for (const auto& [name, share] : r.bottleneck.shares) EXPECT_LE(share, 1) << name;
}

TEST(LayersResult, OneLayerIsLikeItsRun) {
  const LayerResult a = layer("a", 100, 1 << 20);
  const Result r = whole({a});
  EXPECT_EQ(r.snapshot, a.result->snapshot);
  EXPECT_EQ(r.time_ns, a.result->time_ns);
  EXPECT_EQ(r.bottleneck.resource, a.result->bottleneck.resource);
  EXPECT_EQ(csv_values(r)[12], csv_values(*a.result)[12]);
}

TEST(LayersResult, SentenceNamesTheLongestLayerAndWhatLimitsMost) {
  const Result r = whole({layer("short", 10, 1 << 16), layer("long one", 3000, 1 << 20)});
  EXPECT_NE(r.bottleneck.sentence.find("the longest layer is long one"), std::string::npos) << r.bottleneck.sentence;
}

TEST(LayersResult, StoppedBeforeTheFirstLayerHasNoRatios) {
  const Result r = whole({}, "interrupted with 0 of 3 layers done");
  EXPECT_EQ(r.time_ns, 0);
  EXPECT_FALSE(r.mfu.has_value());
  EXPECT_FALSE(r.average_w.has_value());
  EXPECT_EQ(r.bottleneck.resource, "none");
  const auto json = hand_made::document(r);
  EXPECT_TRUE(json["layers"].empty());
  EXPECT_NE(terminal_report(r).find("TRUNCATED"), std::string::npos);
}

TEST(LayersResult, FileHasOneEntryPerLayer) {
  const auto json = hand_made::document(whole({layer("a", 100, 1 << 20), layer("b", 300, 1 << 22)}));
  ASSERT_EQ(json["layers"].size(), 2u);
  EXPECT_EQ(json["layers"][1]["name"], "b");
  EXPECT_EQ(json["layers"][1]["m"], 128 * 300);
  EXPECT_EQ(json["layers"][1]["macs"], 300ull * 128 * 128 * 512);
}

TEST(LayersReport, NoLineIsWiderThanTheTerminal) {
  std::vector<LayerResult> layers;
  for (int i = 0; i < 30; ++i) layers.push_back(layer("a layer with a long näme " + std::to_string(i), 1000 + 100 * i, 1 << 22));
  const Result r = whole(layers);
  for (const unsigned width : {60u, 72u, 80u, 95u, 96u, 100u, 120u}) {
    const std::string page = terminal_report(r, {width, false, true});
    EXPECT_NE(page.find("layers: 30"), std::string::npos);
    EXPECT_NE(page.find("15 shorter"), std::string::npos);
    for (std::size_t at = 0; at < page.size(); at = page.find('\n', at) + 1) {
      const std::string line = page.substr(at, page.find('\n', at) - at);
      EXPECT_LE(text_width(line), width) << line;
    }
  }
}

TEST(LayersReport, RunWithoutLayersHasNoTable) {
  EXPECT_EQ(terminal_report(*layer("a", 10, 1 << 16).result).find("layers:"), std::string::npos);
}

}  // namespace
}  // namespace trnsim
