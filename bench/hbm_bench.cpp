// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <benchmark/benchmark.h>

#include "timing/hbm_timing.hpp"

namespace trnsim {
namespace {

/// Back-to-back chunks of one sequential stream; items are bursts.
void sequential(benchmark::State& state) {
  const HbmConfig config;
  HbmTiming hbm(config);
  const auto chunk = static_cast<std::uint32_t>(state.range(0));
  Time now{0};
  std::uint64_t address = 0;
  for (auto _ : state) {
    now = hbm.reserve(now, address, chunk, false).accepted;
    address += chunk;
  }
  state.SetItemsProcessed(state.iterations() * (chunk / config.access_bytes));
  state.SetBytesProcessed(state.iterations() * chunk);
}
BENCHMARK(sequential)->Arg(64)->Arg(256)->Arg(1024)->Arg(4096);

}  // namespace
}  // namespace trnsim
