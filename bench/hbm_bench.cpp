// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "timing/hbm_timing.hpp"

namespace trnsim {
namespace {

/// Counts one request of `bytes` per iteration: items are bursts.
void count(benchmark::State& state, const HbmConfig& config, std::uint32_t bytes) {
  const auto requests = static_cast<double>(state.iterations());
  state.counters["bursts"] = benchmark::Counter(requests * bytes / config.access_bytes, benchmark::Counter::kIsRate);
  state.SetBytesProcessed(state.iterations() * bytes);
}

HbmConfig bursts_of_64() {
  HbmConfig c;
  c.access_bytes = 64;
  return c;
}

/// One stream in chunks of the given size; 64 B bursts.
void stream(benchmark::State& state) {
  const HbmConfig config = bursts_of_64();
  HbmTiming hbm(config);
  const auto chunk = static_cast<std::uint32_t>(state.range(0));
  Time now{0};
  std::uint64_t address = 0;
  for (auto _ : state) {
    now = hbm.reserve(now, address, chunk, false).accepted;
    address += chunk;
  }
  count(state, config, chunk);
}
BENCHMARK(stream)->ArgName("chunk")->Arg(64)->Arg(256)->Arg(1024)->Arg(4096);

/// Pieces of 256 B of one row of one pseudo-channel: the cheapest path.
void row_run(benchmark::State& state) {
  HbmConfig config = bursts_of_64();
  config.pseudo_channels = 1;
  HbmTiming hbm(config);
  Time now{0};
  for (auto _ : state) now = hbm.reserve(now, 256, 256, false).accepted;
  count(state, config, 256);
}
BENCHMARK(row_run);

/// Requesters that take turns, each in its own matrix row of 8 KiB, chunks of 1 KiB; every `state.range(1)`th one writes.
void matrix_rows(benchmark::State& state) {
  const HbmConfig config = bursts_of_64();
  HbmTiming hbm(config);
  const auto requesters = static_cast<std::uint64_t>(state.range(0));
  const auto writer = static_cast<std::uint64_t>(state.range(1));
  Time now{0};
  std::uint64_t n = 0;
  for (auto _ : state) {
    const std::uint64_t who = n % requesters;
    const std::uint64_t chunk = n / requesters;
    const bool write = writer != 0 && who % writer == 0;
    now = hbm.reserve(now, (chunk / 8 * requesters + who) * 8192 + chunk % 8 * 1024, 1024, write).accepted;
    ++n;
  }
  count(state, config, 1024);
}
BENCHMARK(matrix_rows)->ArgNames({"requesters", "writer"})->Args({16, 0})->Args({32, 0})->Args({32, 2});

/// Scattered reads: every piece opens a row and searches the bus for room.
void scattered(benchmark::State& state) {
  const HbmConfig config = bursts_of_64();
  HbmTiming hbm(config);
  const auto bytes = static_cast<std::uint32_t>(state.range(0));
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> addresses(4096);
  for (std::uint64_t& a : addresses) a = random() % (8 * kGiB) / bytes * bytes;
  Time now{0};
  std::size_t i = 0;
  for (auto _ : state) now = hbm.reserve(now, addresses[i++ % addresses.size()], bytes, false).accepted;
  count(state, config, bytes);
}
BENCHMARK(scattered)->ArgName("bytes")->Arg(64)->Arg(256)->Arg(1024);

/// The address map alone.
void place(benchmark::State& state) {
  const HbmAddressMap map{HbmConfig{}};
  std::uint64_t address = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.place(address));
    address += 256;
  }
}
BENCHMARK(place);

}  // namespace
}  // namespace trnsim
