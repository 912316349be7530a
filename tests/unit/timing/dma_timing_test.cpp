// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include "timing/dma_timing.hpp"

#include <gtest/gtest.h>

namespace trnsim {
namespace {

TEST(DmaTiming, DefaultIsTheHardwareBlockWhereThereIsOne) {
  DmaConfig config;
  EXPECT_EQ(DmaTiming(config).resolve(DgeMode::Default), DgeMode::Hardware);
  config.hardware_mode.available = false;
  EXPECT_EQ(DmaTiming(config).resolve(DgeMode::Default), DgeMode::Static);
}

TEST(DmaTiming, PayloadTakesBytesOverRateRoundedUp) {
  DmaConfig config;
  config.engine_gb_per_s = 1.024;
  EXPECT_EQ(DmaTiming(config).payload(1024).value, 1000 * kFsPerNs);
  EXPECT_EQ(DmaTiming(config).payload(1).value, ceil_div(1000 * kFsPerNs, 1024));
}

TEST(DmaTiming, AGigabytePerSecondIsTenToTheNine) {
  DmaConfig config;
  config.engine_gb_per_s = 1;
  EXPECT_EQ(DmaTiming(config).payload(1'000'000).value, 1'000'000 * kFsPerNs);
}

TEST(DmaTiming, SoftwareDescriptorsBeyondTheFirstCostTime) {
  DmaConfig config;
  config.software_mode.gpsimd_start_ns = 850;
  config.software_mode.gpsimd_ns_per_descriptor = 2;
  const DmaTiming timing(config);
  EXPECT_EQ(timing.generation(DgeMode::Software, 128).value, 850 * kFsPerNs);
  EXPECT_EQ(timing.generation(DgeMode::Software, 129).value, 852 * kFsPerNs);
}

TEST(DmaTiming, TransposesRunAtTheirShareOfTheRate) {
  DmaConfig config;
  config.transpose_hbm_rate = 0.5;
  const DmaTiming timing(config);
  EXPECT_NEAR(to_ns(timing.transposed_payload(4096, 2, true)), 2 * to_ns(timing.payload(4096)), 0.01);
}

TEST(DmaTiming, WithoutTransposeHardwareEveryElementCosts) {
  DmaConfig config;
  config.transpose_hbm_rate = 0;
  config.element_ns = 7;
  EXPECT_EQ(DmaTiming(config).transposed_payload(64, 2, true).value, 32 * 7 * kFsPerNs);
}

}  // namespace
}  // namespace trnsim
