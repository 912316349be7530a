// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <gtest/gtest.h>

#include "hand_made.hpp"
#include "trnsim/report.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t kRead = 1 << 20;

TensorInfo tensor(const std::string& name, TensorUse use, std::uint64_t bytes) {
  TensorInfo t;
  t.name = name;
  t.use = use;
  t.dtype = DType::Int8;
  t.shape = {bytes};
  return t;
}

/// A run that reads kRead bytes from HBM, `from_inputs` of them from inputs.
Result run(std::uint64_t from_inputs, std::vector<TensorInfo> tensors, unsigned cores = 1) {
  const ChipConfig chip = hand_made::chip("trn2");
  Snapshot snapshot = hand_made::matmul_run(chip, 100, kRead, cores);
  snapshot.cores[0].dma.input_read_bytes = from_inputs;
  ResultContext context = hand_made::matmul_context(0, cores);
  for (ProgramInfo& program : context.programs) program.tensors = tensors;
  return make_result(chip, snapshot, context);
}

ChipConfig with_gap(double ns) {
  ChipConfig chip = hand_made::chip("trn2");
  chip.chip.launch_gap_ns = ns;
  return chip;
}

Result layers(double gap_ns, std::size_t count) {
  const ChipConfig chip = with_gap(gap_ns);
  LayerResult layer;
  layer.layer.name = "a";
  ResultContext context = hand_made::matmul_context(0);
  context.programs[0].tensors = {tensor("x", TensorUse::Input, 4096)};
  layer.result = std::make_shared<const Result>(make_result(chip, hand_made::matmul_run(chip, 100, kRead), context));
  return make_layers_result(chip, std::vector<LayerResult>(count, layer), hand_made::matmul_context(0), 1);
}

TEST(Border, TrafficIsInputsOutputsAndTheRest) {
  const Result r =
      run(kRead / 4, {tensor("x", TensorUse::Input, 1000), tensor("out", TensorUse::Output, 300), tensor("t", TensorUse::Internal, 7)});
  EXPECT_EQ(r.border.input_bytes, 1000U);
  EXPECT_EQ(r.border.output_bytes, 300U);
  EXPECT_EQ(r.border.read_bytes, kRead / 4);
  EXPECT_EQ(r.border.reread_bytes, kRead / 4 - 1000);
  EXPECT_EQ(r.border.inner_bytes, kRead - kRead / 4);
}

TEST(Border, AnInputReadInPartIsNotReadAgain) { EXPECT_EQ(run(500, {tensor("x", TensorUse::Input, 1000)}).border.reread_bytes, 0U); }

TEST(Border, ATensorThatCoresShareCountsOnce) { EXPECT_EQ(run(0, {tensor("x", TensorUse::Input, 1000)}, 4).border.input_bytes, 1000U); }

TEST(Border, LayersAddUp) {
  EXPECT_EQ(layers(0, 3).border.input_bytes, 3U * 4096);
  EXPECT_EQ(layers(0, 3).border.inner_bytes, 3U * kRead);
}

TEST(Border, StandsInTheReport) {
  const std::string page = terminal_report(run(kRead, {tensor("x", TensorUse::Input, kRead / 2)}));
  EXPECT_NE(page.find("Border inputs 512 KiB, outputs 0 B; read again 512 KiB"), std::string::npos) << page;
}

TEST(HostGap, OneKernelHasNone) {
  const ChipConfig chip = with_gap(13000);
  const Result r = make_result(chip, hand_made::matmul_run(chip, 100, kRead), hand_made::matmul_context(0));
  EXPECT_EQ(r.kernels, 1U);
  EXPECT_EQ(r.host_gap_ns, 0);
  EXPECT_DOUBLE_EQ(r.total_ns, r.time_ns + r.launch_ns);
}

TEST(HostGap, LiesBetweenKernelsAndNotInDeviceTime) {
  const Result none = layers(0, 6), some = layers(180000, 6);
  EXPECT_EQ(some.kernels, 6U);
  EXPECT_DOUBLE_EQ(some.host_gap_ns, 5 * 180000.0);
  EXPECT_DOUBLE_EQ(some.total_ns - none.total_ns, 5 * 180000.0);
  EXPECT_EQ(some.time_ns, none.time_ns);
  EXPECT_EQ(some.cycles, none.cycles);
}

TEST(HostGap, IsZeroUnlessSetAndSaid) {
  EXPECT_EQ(hand_made::chip("trn2").chip.launch_gap_ns, 0);
  const std::string page = terminal_report(layers(0, 6));
  EXPECT_NE(page.find("5 gaps of 0"), std::string::npos) << page;
}

}  // namespace
}  // namespace trnsim
