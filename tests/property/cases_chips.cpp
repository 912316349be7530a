// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Any consistent chip runs any kernel, or the kernel is refused as an input: nothing breaks, every account and
// ratio holds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/random_program.hpp"
#include "support/run_result.hpp"
#include "trnsim/bound.hpp"
#include "trnsim/config/load.hpp"
#include "trnsim/trace.hpp"

namespace trnsim {
namespace {

using Change = void (*)(ChipConfig&, double);

template <class T>
void scale(T& value, double factor) {
  value = static_cast<T>(static_cast<double>(value) * factor);
}

constexpr Change kChanges[]{
    [](ChipConfig& c, double f) { scale(c.tensor.clock_ghz, f); },
    [](ChipConfig& c, double f) { scale(c.tensor.rows, f); },
    [](ChipConfig& c, double f) { scale(c.tensor.columns, f); },
    [](ChipConfig& c, double f) { scale(c.tensor.pipe_latency_cycles, f); },
    [](ChipConfig& c, double f) { scale(c.tensor.max_moving_columns, f); },
    [](ChipConfig& c, double f) { scale(c.vector.clock_ghz, f); },
    [](ChipConfig& c, double f) { scale(c.scalar.clock_ghz, f); },
    [](ChipConfig& c, double f) { scale(c.gpsimd.clock_ghz, f); },
    [](ChipConfig& c, double f) { scale(c.sequencer.base_clock_ghz, f); },
    [](ChipConfig& c, double f) { scale(c.sequencer.semaphore_hop_ns, f); },
    [](ChipConfig& c, double f) { scale(c.sbuf.kib_per_partition, f); },
    [](ChipConfig& c, double f) { scale(c.sbuf.partitions, f); },
    [](ChipConfig& c, double f) { scale(c.psum.banks, f); },
    [](ChipConfig& c, double f) { scale(c.psum.bank_bytes_per_partition, f); },
    [](ChipConfig& c, double f) { scale(c.dma.engines, f); },
    [](ChipConfig& c, double f) { scale(c.dma.engine_gb_per_s, f), scale(c.dma.wire_gb_per_s, f); },
    [](ChipConfig& c, double f) { scale(c.dma.ring_depth, f); },
    [](ChipConfig& c, double f) { scale(c.dma.max_descriptor_bytes, f); },
    [](ChipConfig& c, double f) { scale(c.dma.packet_bytes, f); },
    [](ChipConfig& c, double f) { scale(c.dma.outstanding_bytes, f); },
    [](ChipConfig& c, double f) { scale(c.hbm.stack_gb_per_s, f); },
    [](ChipConfig& c, double f) { scale(c.hbm.pseudo_channels, f); },
    [](ChipConfig& c, double f) { scale(c.hbm.banks, f); },
    [](ChipConfig& c, double f) { scale(c.hbm.row_bytes, f); },
    [](ChipConfig& c, double f) { scale(c.hbm.interleave_bytes, f); },
    [](ChipConfig& c, double f) { scale(c.hbm.queue_depth, f); },
    [](ChipConfig& c, double f) { scale(c.hbm.trefi_ns, f); },
    [](ChipConfig& c, double f) { scale(c.chip.cores_per_stack, f); },
};

constexpr std::pair<const char*, const char*> kKernels[]{
    {"matmul", "m=200,n=600,k=300"},
    {"matmul", "m=200,n=300,k=300,schedule=naive"},
    {"matmul", "m=300,n=600,k=200,schedule=blocked,dtype=fp32"},
    {"attention", "seq_q=200,seq_k=300,causal=true"},
    {"attention", "seq_q=200,seq_k=300,causal=true,pass=backward"},
    {"mlp", "tokens=70,hidden=300,ffn=400"},
    {"softmax", "rows=200,cols=500"},
    {"rmsnorm", "rows=200,cols=500"},
    {"layernorm", "rows=200,cols=500"},
    {"rope", "seq=200,heads=4"},
    {"adamw", "rows=200,cols=500"},
    {"vector_add", "rows=100,cols=1000"},
    {"copy", "bytes=300000,bytes_per_partition=1000"},
};

/// A preset with up to five parameters scaled; discards inconsistent ones.
ChipConfig some_chip() {
  ChipConfig chip = test::preset(*rc::gen::element("trn1", "trn2", "trn3"));
  const auto count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    const auto which = *rc::gen::resize(100, rc::gen::inRange<std::size_t>(0, std::size(kChanges)));
    kChanges[which](chip, *rc::gen::element(0.25, 0.5, 2.0, 4.0));
  }
  RC_PRE(check_chip(chip).empty());
  return chip;
}

/// Runs the workload; a refusal of the input is fine, everything else has to work.
void expect_runs(const ChipConfig& chip, const std::function<Workload()>& make) {
  const test::Outcome outcome = test::simulate_forked(chip, make);
  RC_LOG() << to_json(chip);
  if (outcome.code == ExitCode::BadInput) RC_DISCARD("refused");
  if (!outcome.error.empty()) RC_FAIL(outcome.error);
  ResultContext context;
  Workload workload = make();
  for (const auto& program : workload.programs) context.programs.push_back(program->info());
  const Result result = make_result(chip, outcome.snapshot, context);
  for (const auto& [resource, ns] : lower_bound(chip, workload).resources_ns) {
    RC_LOG() << resource << '\n';
    RC_ASSERT(ns <= test::to_ns(outcome.snapshot));
  }
  for (const Influence& influence : result.influences) RC_ASSERT(influence.lo_ns > 0 && influence.hi_ns > 0);
}

RC_GTEST_PROP(RandomChips, RunKernelsOrRefuseThem, ()) {
  const ChipConfig chip = some_chip();
  const auto kernel = *rc::gen::elementOf(std::vector<std::pair<const char*, const char*>>(std::begin(kKernels), std::end(kKernels)));
  const auto cores = *rc::gen::inRange(1U, 3U);
  expect_runs(chip, [&] { return make_kernel(kernel.first, parse_params({kernel.second}), chip, cores); });
}

RC_GTEST_PROP(RandomChips, RunRandomPrograms, ()) {
  const ChipConfig chip = some_chip();
  RC_PRE(chip.sbuf.partitions >= 128 && chip.tensor.rows >= 128 && chip.tensor.columns >= 128);
  const test::Moves moves = *test::moves_gen(40);
  RC_PRE(check_program(*test::make_program(moves), chip).empty());
  expect_runs(chip, [&] { return test::make_workload(moves); });
}

}  // namespace
}  // namespace trnsim
