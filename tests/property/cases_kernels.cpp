// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Bounds of the built-in kernels: between the busiest resource and the serial sum, and not slower on a better chip.
#include <gtest/gtest.h>

#include <cctype>

#include "support/chained.hpp"
#include "support/run_result.hpp"
#include "support/written_trace.hpp"

namespace trnsim {
namespace {

struct Kernel {
  const char* name;
  const char* params;
};

constexpr Kernel kKernels[]{
    {"matmul", "m=384,n=1024,k=512"},
    {"matmul", "m=100,n=700,k=300,schedule=naive"},
    {"matmul", "m=256,n=1024,k=256,schedule=hoisted"},
    {"matmul", "m=512,n=1024,k=256,schedule=blocked,dtype=fp32"},
    {"attention", "seq_q=1024,heads=2,kv_heads=1"},
    {"attention", "seq_q=256,seq_k=512,head_dim=64,causal=true"},
    {"attention", "seq_q=384,seq_k=640,head_dim=64,heads=2,kv_heads=1,pass=backward"},
    {"mlp", "tokens=300,hidden=384,ffn=640"},
    {"mlp", "tokens=1,hidden=1024,ffn=2048"},  // long enough that a step of the power ramp, 0.2 us, is below a percent
    {"softmax", "rows=512,cols=1000"},
    {"rmsnorm", "rows=384,cols=2048"},
    {"layernorm", "rows=384,cols=2048"},
    {"rope", "seq=384,heads=16,head_dim=64,batch=2"},
    {"adamw", "rows=384,cols=2048"},
    {"vector_add", "rows=512,cols=1024"},
    {"copy", "bytes=2097152,bytes_per_partition=2048"},
    {"copy", "bytes=1048576,bytes_per_partition=4096,from=sbuf,to=hbm"},
};

using Case = std::tuple<const char*, Kernel>;

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const Kernel& kernel = std::get<1>(info.param);
  std::string text = std::string(std::get<0>(info.param)) + "_" + kernel.name + "_" + kernel.params;
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return text;
}

class KernelLaws : public testing::TestWithParam<Case> {
 protected:
  ChipConfig chip_ = test::preset(std::get<0>(GetParam()));
  Kernel kernel_ = std::get<1>(GetParam());

  [[nodiscard]] double ns(const ChipConfig& chip) const { return test::kernel_ns(chip, kernel_.name, kernel_.params); }
  [[nodiscard]] Workload make() const { return make_kernel(kernel_.name, parse_params({kernel_.params}), chip_); }
};

TEST_P(KernelLaws, NoSlowerThanOneInstructionAfterTheOther) {
  const Snapshot parallel = test::simulate_ok(chip_, [&] { return make(); });
  const Snapshot serial = test::simulate_ok(chip_, [&] { return test::chained(make()); });
  EXPECT_EQ(parallel.instructions, serial.instructions);
  EXPECT_LE(parallel.end_fs, serial.end_fs);
}

TEST_P(KernelLaws, NoFasterThanAnyResourceAlone) {
  const Result result = test::kernel_result(chip_, kernel_.name, kernel_.params);
  for (const auto& [resource, bound] : result.bottleneck.bounds_ns) EXPECT_LE(bound, result.time_ns * (1 + 1e-9)) << resource;
  const double macs = static_cast<double>(result.macs);
  const double peak = chip_.tensor.rows * chip_.tensor.columns * chip_.tensor.clock_ghz;
  const double rate = rate_multiplier(chip_.tensor, result.context.programs.at(0).dtype, result.context.programs[0].double_row);
  EXPECT_LE(macs / (peak * rate), result.time_ns);
}

TEST_P(KernelLaws, AccountsForEveryCycleAndByte) {
  const Snapshot snapshot = test::simulate_ok(chip_, [&] { return make(); });
  for (const EngineCounters& e : snapshot.cores.at(0).engines) {
    std::uint64_t sum = e.busy_cycles + e.idle_cycles;
    for (const std::uint64_t cycles : e.stall_cycles) sum += cycles;
    EXPECT_EQ(sum, e.elapsed_cycles);
  }
  const DmaCounters& dma = snapshot.cores[0].dma;
  EXPECT_EQ(dma.issued_bytes, dma.completed_bytes);
  EXPECT_EQ(dma.hbm_read_bytes + dma.hbm_write_bytes, test::hbm_bytes(snapshot));
}

TEST_P(KernelLaws, WrittenAsATraceRunsTheSame) {
  const test::WrittenTrace trace(*make().programs.at(0));
  const Snapshot direct = test::simulate_ok(chip_, [&] { return make(); });
  EXPECT_TRUE(direct == test::simulate_ok(chip_, [&] { return open_trace(trace.path(), chip_); }));
}

TEST_P(KernelLaws, NotSlowerOnABetterChip) {
  const double before = ns(chip_);
  const auto with = [&](const char* what, const std::function<void(ChipConfig&)>& improve, double most = 1.01) {
    ChipConfig better = chip_;
    improve(better);
    EXPECT_LE(ns(better), most * before) << what;
  };
  with("twice the SBUF", [](ChipConfig& c) { c.sbuf.kib_per_partition *= 2; });
  with("twice the HBM bandwidth", [](ChipConfig& c) { c.hbm.stack_gb_per_s *= 2; });
  with("twice the DMA rate", [](ChipConfig& c) { c.dma.engine_gb_per_s *= 2, c.dma.wire_gb_per_s *= 2; });
  with("deeper rings", [](ChipConfig& c) { c.dma.ring_depth *= 4; });
  with("faster Tensor clock", [](ChipConfig& c) { c.tensor.clock_ghz *= 1.3; });
  with("faster Vector clock", [](ChipConfig& c) { c.vector.clock_ghz *= 1.3; });
  with("faster Scalar clock", [](ChipConfig& c) { c.scalar.clock_ghz *= 1.3; });
  with("faster GpSimd clock", [](ChipConfig& c) { c.gpsimd.clock_ghz *= 1.3; });
  with("faster sequencers", [](ChipConfig& c) { c.sequencer.base_clock_ghz *= 1.3, c.sequencer.semaphore_hop_ns /= 2; });
  // The schedule of a matmul follows what copies cost: other blocks, which may not be better in a run of some microseconds.
  with(
      "copies issued twice as fast",
      [](ChipConfig& c) { c.dma.static_mode.issue_interval_ns /= 2, c.dma.hardware_mode.issue_interval_ns /= 2; }, 1.1);
}

INSTANTIATE_TEST_SUITE_P(All, KernelLaws, testing::Combine(testing::Values("trn1", "trn2", "trn3"), testing::ValuesIn(kKernels)),
                         case_name);

TEST(KernelSweeps, MoreSbufIsNeverSlower) {
  double before = 1e300;
  for (const double kib : {24.0, 48.0, 96.0, 192.0, 384.0}) {
    ChipConfig chip = test::preset("trn2");
    chip.sbuf.kib_per_partition = kib;
    const double now = test::kernel_ns(chip, "matmul", "m=1024,n=1024,k=1024");
    EXPECT_LE(now, 1.01 * before) << kib << " KiB";
    before = now;
  }
}

TEST(KernelSweeps, MoreHbmBandwidthIsNeverSlower) {
  double before = 1e300;
  for (double rate = 50; rate < 2000; rate *= 1.5) {
    ChipConfig chip = test::preset("trn2");
    chip.hbm.stack_gb_per_s = rate;
    const double now = test::kernel_ns(chip, "vector_add", "rows=512,cols=2048");
    EXPECT_LE(now, 1.01 * before) << rate << " GB/s";
    before = now;
  }
}

TEST(KernelSweeps, FasterDmaEnginesAreNeverSlower) {
  double before = 1e300;
  for (double rate = 2; rate < 100; rate *= 1.6) {
    ChipConfig chip = test::preset("trn3");
    chip.dma.engine_gb_per_s = rate;
    chip.dma.wire_gb_per_s = 2 * rate;
    const double now = test::kernel_ns(chip, "softmax", "rows=512,cols=2048");
    EXPECT_LE(now, 1.01 * before) << rate << " GB/s";
    before = now;
  }
}

}  // namespace
}  // namespace trnsim
