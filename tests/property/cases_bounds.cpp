// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// The least time by arithmetic is never above the simulated one: any kernel and program, any size, core count and preset.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <ctime>

#include "support/only_read.hpp"
#include "support/random_program.hpp"
#include "support/run_result.hpp"
#include "support/sanitized.hpp"
#include "support/written_trace.hpp"
#include "trnsim/bound.hpp"
#include "trnsim/trace.hpp"

namespace trnsim {
namespace {

using test::Moves;

const ChipConfig& chip(std::size_t which) {
  static const std::vector<ChipConfig> chips{test::preset("trn2"), test::preset("trn1"), test::preset("trn3"), test::preset("inf2"),
                                             test::preset("trn4-projected")};
  return chips[which % chips.size()];
}

void expect_below(const ChipConfig& config, const std::function<Workload()>& make, const BoundOptions& options = {}) {
  const test::Outcome outcome = test::simulate_forked(config, make);
  if (outcome.code == ExitCode::BadInput) RC_DISCARD("refused");
  RC_ASSERT(outcome.error == "");
  Workload work = make();
  const Bound bound = lower_bound(config, work, options);
  for (const auto& [resource, ns] : bound.resources_ns) {
    RC_LOG() << resource << " at least " << ns << " ns, simulated " << test::to_ns(outcome.snapshot) << '\n';
    RC_ASSERT(ns <= test::to_ns(outcome.snapshot));
  }
  if (bound.whole) RC_ASSERT(bound.instructions == outcome.snapshot.instructions);
}

std::uint64_t some_size() { return *rc::gen::resize(100, rc::gen::inRange<std::uint64_t>(1, 700)); }

std::pair<std::string, std::string> some_kernel() {
  const std::uint64_t a = some_size(), b = some_size(), c = some_size();
  const auto text = [](const char* form, auto... sizes) { return fmt::format(fmt::runtime(form), sizes...); };
  switch (*rc::gen::inRange(0, 6)) {
    case 0: {
      const std::string schedule = *rc::gen::element("naive", "hoisted", "blocked", "optimized");
      const std::string dtype = *rc::gen::element("bf16", "fp32", "fp16");
      return {"matmul", text("m={},n={},k={},schedule={},dtype={}", a, b, c, schedule, dtype)};
    }
    case 1: return {"attention", text("seq_q={},seq_k={},heads=2,head_dim=64,causal={}", a, a + b, *rc::gen::arbitrary<bool>())};
    case 2: return {"softmax", text("rows={},cols={}", a, b)};
    case 3: return {"rmsnorm", text("rows={},cols={}", a, b)};
    case 4: return {"vector_add", text("rows={},cols={}", a, b)};
    default: return {"copy", text("bytes={},bytes_per_partition={}", 2 * a * b, 2 * c)};
  }
}

RC_GTEST_PROP(Bounds, OfKernelsAreNeverAboveTheSimulatedTime, (std::uint8_t which)) {
  const auto kernel = some_kernel();
  const auto &name = kernel.first, &params = kernel.second;
  const unsigned cores = *rc::gen::element(1U, 1U, 1U, 2U);
  RC_LOG() << chip(which).name << ' ' << name << ' ' << params << " cores=" << cores << '\n';
  expect_below(chip(which), [&] { return make_kernel(name, parse_params({params}), chip(which), cores); });
}

RC_GTEST_PROP(Bounds, OfAPartOfAKernelAreNeverAboveTheSimulatedTimeOfAll, (std::uint8_t which)) {
  const auto kernel = some_kernel();
  const auto &name = kernel.first, &params = kernel.second;
  BoundOptions options;
  options.most_records = *rc::gen::inRange<std::uint64_t>(0, 300);
  RC_LOG() << chip(which).name << ' ' << name << ' ' << params << '\n';
  expect_below(
      chip(which), [&] { return test::only_read(make_kernel(name, parse_params({params}), chip(which))); }, options);
}

/// Kernels of several blocks in every dimension, which are read but not simulated.
std::pair<std::string, std::string> some_large_kernel() {
  const auto size = [](std::uint64_t most) { return *rc::gen::resize(100, rc::gen::inRange<std::uint64_t>(1, most)); };
  const auto text = [](const char* form, auto... sizes) { return fmt::format(fmt::runtime(form), sizes...); };
  const std::string queues = *rc::gen::element("1", "2", "auto");
  const std::string dtype = *rc::gen::element("bf16", "fp32", "fp8_e4m3", "mxfp8");
  const bool causal = *rc::gen::arbitrary<bool>();
  switch (*rc::gen::inRange(0, 12)) {
    case 0:
    case 1:
    case 2: {
      const std::string schedule = *rc::gen::element("naive", "hoisted", "blocked", "optimized", "optimized");
      return {"matmul", text("m={},n={},k={},schedule={},dtype={}", size(6000), size(6000), size(6000), schedule, dtype)};
    }
    case 3: return {"attention", text("batch=2,seq_q={},seq_k={},heads=2,head_dim=64,causal={}", size(2000), size(5000), causal)};
    case 4:
      return {"attention",
              text("seq_q={},seq_k={},heads=4,kv_heads=2,head_dim=128,causal={},pass=backward", size(2000), size(4000), causal)};
    case 5: return {"softmax", text("rows={},cols={},dma_queues={}", size(2000), size(50000), queues)};
    case 6: return {"rmsnorm", text("rows={},cols={},dma_queues={}", size(2000), size(50000), queues)};
    case 7: return {"layernorm", text("rows={},cols={},dma_queues={}", size(2000), size(50000), queues)};
    case 8: return {"rope", text("batch={},seq={},heads={},head_dim=128,dma_queues={}", size(4), size(2000), size(40), queues)};
    case 9: return {"adamw", text("rows={},cols={},dma_queues={}", size(2000), size(5000), queues)};
    case 10: return {"mlp", text("tokens={},hidden={},ffn={},gated={},dtype={}", size(2000), size(5000), size(5000), causal, dtype)};
    default: return {"copy", text("bytes={},bytes_per_partition={},dma_queues={}", size(10'000'000), size(2000), queues)};
  }
}

RC_GTEST_PROP(Bounds, OfASummedUpKernelAreThoseOfReadingIt, (std::uint8_t which)) {
  const auto kernel = some_large_kernel();
  const auto &name = kernel.first, &params = kernel.second;
  RC_LOG() << chip(which).name << ' ' << name << ' ' << params << '\n';
  const auto make = [&] { return make_kernel(name, parse_params({params}), chip(which)); };
  Bound summed, read;
  try {
    Workload workload = make(), again = test::only_read(make());
    summed = lower_bound(chip(which), workload);
    read = lower_bound(chip(which), again, {.most_records = ~std::uint64_t{0}});
  } catch (const InputError& e) {
    RC_DISCARD(e.what());  // another generation's type
  }
  RC_ASSERT(summed.instructions == read.instructions);
  for (std::size_t i = 0; i < read.resources_ns.size(); ++i) {
    const auto& [resource, ns] = read.resources_ns[i];
    RC_LOG() << resource << " summed up " << summed.resources_ns[i].second << " ns, read " << ns << '\n';
    // Rings share the copies as evenly as they can.
    const double sum = summed.resources_ns[i].second;
    RC_ASSERT((resource == "DMA issue" ? sum <= ns : sum == ns));
  }
}

RC_GTEST_PROP(Bounds, OfRandomProgramsAreNeverAboveTheSimulatedTime, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(60);
  expect_below(chip(which), [&] { return test::make_workload(moves); });
}

RC_GTEST_PROP(Bounds, OfOverriddenChipsAreNeverAboveTheSimulatedTime, (std::uint8_t which)) {
  ChipConfig config = chip(which);
  const double f = *rc::gen::element(0.1, 0.5, 2.0, 8.0);
  switch (*rc::gen::inRange(0, 6)) {
    case 0: config.dma.engine_gb_per_s *= f, config.dma.wire_gb_per_s *= f; break;
    case 1: config.hbm.stack_gb_per_s *= f; break;
    case 2: config.dma.hardware_mode.issue_interval_ns *= f, config.dma.static_mode.issue_interval_ns *= f; break;
    case 3: config.vector.clock_ghz *= f; break;
    case 4: config.tensor.issue_overhead_cycles += 100; break;
    default: config.dma.descriptor_ns *= 20 * f; break;
  }
  const auto kernel = some_kernel();
  const auto &name = kernel.first, &params = kernel.second;
  RC_LOG() << config.name << ' ' << name << ' ' << params << '\n';
  expect_below(config, [&] { return make_kernel(name, parse_params({params}), config); });
}

double processor_seconds(clockid_t of) {
  timespec t{};
  clock_gettime(of, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

TEST(SpeedOfBounds, IsAHundredTimesThatOfTheSimulation) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers slow both down, not alike";
  const ChipConfig& config = chip(0);
  for (const char* const params : {"m=4096,n=4096,k=4096", "m=2048,n=4096,k=4096,schedule=naive"}) {
    const auto make = [&] { return make_kernel("matmul", parse_params({params}), config); };
    double bound = 1;
    for (int i = 0; i < 20; ++i) {
      const double start = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
      Workload workload = make();
      lower_bound(config, workload);
      bound = std::min(bound, processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
    }
    const auto of_children = [] {
      rusage used{};
      getrusage(RUSAGE_CHILDREN, &used);
      return static_cast<double>(used.ru_utime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec) / 1e6;
    };
    const double before = of_children();
    test::simulate_ok(config, make);
    EXPECT_GE((of_children() - before) / bound, 100) << params << ": bound " << bound * 1e6 << " us";
  }
}

RC_GTEST_PROP(Bounds, OfAProgramAndItsTraceAreTheSame, (std::uint8_t which)) {
  const Moves moves = *test::moves_gen(40);
  const test::WrittenTrace trace(*test::make_program(moves));
  Workload direct = test::make_workload(moves), traced = open_trace(trace.path(), chip(which));
  RC_ASSERT(lower_bound(chip(which), direct).resources_ns == lower_bound(chip(which), traced).resources_ns);
}

}  // namespace
}  // namespace trnsim
