// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "plan/hbm_layout.hpp"

#include <gtest/gtest.h>

#include "support/forked.hpp"
#include "trnsim/error.hpp"
#include "trnsim/units.hpp"

namespace trnsim {
namespace {

ProgramInfo with(std::vector<std::pair<std::string, std::uint64_t>> tensors) {
  ProgramInfo info;
  for (const auto& [name, bytes] : tensors) {
    TensorInfo tensor;
    tensor.name = name;
    tensor.dtype = DType::Uint8;
    tensor.shape = {bytes};
    info.tensors.push_back(tensor);
  }
  return info;
}

TEST(HbmLayout, PrivateTensorsLieInTheStackOfTheirCore) {
  const ProgramInfo a = with({{"a", 100}}), b = with({{"b", 100}}), c = with({{"c", 100}});
  const HbmLayout layout(test::preset("trn2"), {&a, &b, &c});
  EXPECT_EQ(layout.locate(layout.base(0, 0)).stack, 0U);
  EXPECT_EQ(layout.locate(layout.base(1, 0)).stack, 0U);  // neighbours share a stack
  EXPECT_EQ(layout.locate(layout.base(2, 0)).stack, 1U);
}

TEST(HbmLayout, TensorsDoNotOverlap) {
  const ProgramInfo a = with({{"x", 5000}, {"y", 100}});
  const HbmLayout layout(test::preset("trn2"), {&a});
  EXPECT_GE(layout.base(0, 1), layout.base(0, 0) + 5000);
}

TEST(HbmLayout, SharedTensorsAreInterleavedOverTheStacksInUse) {
  const ProgramInfo a = with({{"shared", 1 << 20}}), b = a, c = a;
  const HbmLayout layout(test::preset("trn2"), {&a, &b, &c});
  EXPECT_EQ(layout.base(0, 0), layout.base(2, 0));
  EXPECT_EQ(layout.locate(layout.base(0, 0)).stack, 0U);
  EXPECT_EQ(layout.locate(layout.base(0, 0) + 4096).stack, 1U);
  EXPECT_EQ(layout.locate(layout.base(0, 0) + 8192).stack, 0U);
}

TEST(HbmLayout, ATensorLargerThanAStackIsSpread) {
  const ProgramInfo a = with({{"big", 40 * kGiB}});
  const HbmLayout layout(test::preset("trn2"), {&a});
  EXPECT_NE(layout.locate(layout.base(0, 0)).stack, layout.locate(layout.base(0, 0) + 4096).stack);
}

TEST(HbmLayout, MoreThanTheChipHasIsRefusedWithTheSizes) {
  const ProgramInfo a = with({{"huge", 97 * kGiB}});
  try {
    const HbmLayout layout(test::preset("trn2"), {&a});
    FAIL() << "accepted";
  } catch (const WorkloadError& error) {
    EXPECT_NE(std::string(error.what()).find("huge"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(std::to_string(97 * kGiB)), std::string::npos);
  }
}

}  // namespace
}  // namespace trnsim
