// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Bandwidth: what copies reach by their size, against caps, and what the report says limits them.
#include <gtest/gtest.h>

#include "support/program_builder.hpp"
#include "support/run_result.hpp"

namespace trnsim {
namespace {

using test::kernel_result;
using test::preset;

struct Stream {
  const char* chip;
  double gb_per_s;  ///< Documented DMA limit of one core.
};

class CopyStreams : public testing::TestWithParam<Stream> {
 protected:
  static constexpr std::uint64_t kBytes = 64 * kMiB;

  [[nodiscard]] Result copy(std::uint64_t per_partition, std::uint64_t bytes = kBytes) const {
    const std::string params = "bytes=" + std::to_string(bytes) + ",bytes_per_partition=" + std::to_string(per_partition);
    return kernel_result(preset(GetParam().chip), "copy", params);
  }
};

TEST_P(CopyStreams, LongRowsReachTheDocumentedLimit) {
  for (const std::uint64_t size : {16384U, 32768U}) {
    EXPECT_NEAR(*copy(size).dma_gb_per_s, GetParam().gb_per_s, 0.05 * GetParam().gb_per_s) << size;
  }
}

TEST_P(CopyStreams, RowsOfFourKibComeWithinTenPercent) {
  EXPECT_NEAR(*copy(4096).dma_gb_per_s, GetParam().gb_per_s, 0.10 * GetParam().gb_per_s);
}

TEST_P(CopyStreams, RateRisesStrictlyWithTheRow) {
  double before = 0;
  for (const std::uint64_t size : {64U, 128U, 256U, 512U, 1024U, 2048U, 4096U}) {
    const double now = *copy(size, 16 * kMiB).dma_gb_per_s;
    EXPECT_GT(now, before) << size;
    before = now;
  }
}

// On Trainium1 two rings start a copy of 8 KiB every 300 ns, 27.3 of 272 GB/s.
TEST_P(CopyStreams, RowsOfSixtyFourBytesStayNearATenth) { EXPECT_LT(*copy(64, 16 * kMiB).dma_gb_per_s, 0.101 * GetParam().gb_per_s); }

TEST_P(CopyStreams, DmaEnginesAreNamedAsTheLimit) { EXPECT_EQ(copy(16384).bottleneck.resource, "DMA engines"); }

TEST_P(CopyStreams, DescriptorOverheadIsNamedForShortRows) {
  for (const std::uint64_t size : {64U, 256U, 512U}) {
    const std::string sentence = copy(size, 4 * kMiB).bottleneck.sentence;
    EXPECT_NE(sentence.find("escriptor overhead"), std::string::npos) << sentence;
  }
}

INSTANTIATE_TEST_SUITE_P(Generations, CopyStreams, testing::Values(Stream{"trn1", 272}, Stream{"trn2", 368}, Stream{"trn3", 528}),
                         [](const auto& test) { return std::string(test.param.chip); });

TEST(Bandwidths, OneGigabytePerSecondMovesABillionBytesInASecond) {
  const ChipConfig chip = preset("trn2", {"dma.engine_gb_per_s=0.0625"});
  const double ns = test::kernel_ns(chip, "copy", "bytes=1000000000,bytes_per_partition=65536");
  EXPECT_GE(ns, 1e9);
  EXPECT_LE(ns, 1e9 + 10'000);
}

TEST(Bandwidths, NoWindowMovesMoreThanTheCap) {
  const ChipConfig chip = preset("trn2", {"dma.engine_gb_per_s=0.625"});  // 10 GB/s
  for (const std::uint64_t us : {20U, 50U, 100U, 200U, 400U}) {
    RunOptions options;
    options.max_time = Time{us * kFsPerUs};
    const Snapshot part = test::simulate_ok(
        chip, [&] { return make_kernel("copy", parse_params({"bytes=8388608,bytes_per_partition=4096"}), chip); }, options);
    // A chunk of at most 1 KiB counts when its engine begins it.
    EXPECT_LE(part.cores.at(0).dma.completed_bytes, us * 10'000 + kKiB * chip.dma.engines) << us << " us";
  }
}

TEST(Bandwidths, ACapAboveWhatTheCoreCanAskForDoesNotStall) {
  const double wide = test::kernel_ns(preset("trn2", {"hbm.stack_gb_per_s=736"}), "matmul", "m=256,n=256,k=256");
  const double wider = test::kernel_ns(preset("trn2", {"hbm.stack_gb_per_s=1472"}), "matmul", "m=256,n=256,k=256");
  EXPECT_NEAR(wider, wide, 0.01 * wide);
}

TEST(Bandwidths, ACapOfTwiceTheAverageDemandCostsNoMoreThanTheBytesTakeAtIt) {
  // The operands come in one burst before any matmul starts, at the rate of the DMA engines.
  const Snapshot free = test::kernel_snapshot(preset("trn2", {"hbm.stack_gb_per_s=1472"}), "matmul", "m=256,n=256,k=256");
  const auto bytes = static_cast<double>(test::hbm_bytes(free));
  EXPECT_EQ(bytes, 393'216);
  const double cap = 2 * bytes / test::to_ns(free);
  const double capped = test::kernel_ns(preset("trn2", {"hbm.stack_gb_per_s=" + std::to_string(cap)}), "matmul", "m=256,n=256,k=256");
  EXPECT_GT(capped, 1.05 * test::to_ns(free));
  EXPECT_LE(capped, test::to_ns(free) + bytes / cap);
}

TEST(Bandwidths, SlowMemoryShowsOnlyWhereItIsOnTheCriticalPath) {
  const std::vector<std::string> slow{"hbm.stack_gb_per_s=100"};
  const auto ns = [](const ChipConfig& chip, const std::string& kernel, const std::string& params) {
    return test::kernel_ns(chip, kernel, params);
  };
  EXPECT_GT(ns(preset("trn2", slow), "copy", "bytes=4194304"), 2 * ns(preset("trn2"), "copy", "bytes=4194304"));
  const Result compute = kernel_result(preset("trn2"), "matmul", "m=2048,n=2048,k=2048");
  EXPECT_EQ(compute.bottleneck.resource, "tensor array");
  EXPECT_NE(compute.bottleneck.sentence.find("a slack of"), std::string::npos) << compute.bottleneck.sentence;
}

TEST(Bandwidths, ALastStoreIsWaitedFor) {
  const ChipConfig chip = preset("trn2");
  const auto run = [&](bool store) {
    test::ProgramBuilder b;
    const TensorId out = b.hbm("out", {32, 64}, DType::Bf16, TensorUse::Output);
    const TensorId tile = b.sbuf(32, 128);
    b.add(Opcode::Memset, EngineKind::Vector, {test::ProgramBuilder::on_chip(tile, Buffer::Sbuf, 32, 64)});
    if (store) b.store(out, tile, 32, 64);
    return test::simulate_ok(chip, [&] { return b.workload(); });
  };
  const Snapshot with = run(true), without = run(false);
  EXPECT_EQ(with.cores[0].dma.issued_bytes, 4096U);
  EXPECT_EQ(with.cores[0].dma.completed_bytes, 4096U);
  EXPECT_EQ(with.hbm[0].write_bytes, 4096U);
  const double least = chip.dma.hardware_mode.store_start_ns + chip.dma.completion_store_ns;
  EXPECT_GE(test::to_ns(with), test::to_ns(without) + least);
}

TEST(Bandwidths, ACastingCopyReadsTheBytesOfItsSourceAndWritesThoseOfItsDestination) {
  using B = test::ProgramBuilder;
  for (const auto& [from, to] : {std::pair{DType::Bf16, DType::Fp32}, {DType::Fp32, DType::Bf16}, {DType::Fp8E4M3, DType::Fp32}}) {
    const Snapshot load = test::simulate_ok(preset("trn2"), [from = from, to = to] {
      B b;
      const TensorId in = b.hbm("in", {128, 300}, from, TensorUse::Input);
      const TensorId tile = b.sbuf(128, 300 * element_bytes(to));
      b.add(Opcode::DmaCopy, EngineKind::Sync,
            {B::on_chip(tile, Buffer::Sbuf, 128, 300, to), B::in_hbm(in, 128, 300, 300 * element_bytes(from), from)});
      return b.workload();
    });
    EXPECT_EQ(load.cores[0].dma.hbm_read_bytes, 128U * 300 * element_bytes(from));
    EXPECT_EQ(load.cores[0].dma.completed_bytes, 128U * 300 * std::max(element_bytes(from), element_bytes(to)));

    const Snapshot copy = test::simulate_ok(preset("trn2"), [from = from, to = to] {
      B b;
      const TensorId in = b.hbm("in", {128, 300}, from, TensorUse::Input), out = b.hbm("out", {128, 300}, to, TensorUse::Output);
      b.add(Opcode::DmaCopy, EngineKind::Sync,
            {B::in_hbm(out, 128, 300, 300 * element_bytes(to), to), B::in_hbm(in, 128, 300, 300 * element_bytes(from), from)});
      return b.workload();
    });
    EXPECT_EQ(copy.cores[0].dma.hbm_read_bytes, 128U * 300 * element_bytes(from));
    EXPECT_EQ(copy.cores[0].dma.hbm_write_bytes, 128U * 300 * element_bytes(to));
  }
}

TEST(Bandwidths, ShallowRingsDoNotDeadlock) {
  const ChipConfig shallow = preset("trn2", {"dma.ring_depth=1"});
  const double one = test::kernel_ns(shallow, "matmul", "m=512,n=512,k=512,dma_queues=3");
  EXPECT_GE(one, test::kernel_ns(preset("trn2"), "matmul", "m=512,n=512,k=512,dma_queues=3"));
}

}  // namespace
}  // namespace trnsim
