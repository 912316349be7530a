// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/workload/trace_support.hpp"
#include "workload/check.hpp"

namespace trnsim {
namespace {

using test::chip;

void expect_says(const std::string& text, const std::string& part) { EXPECT_NE(text.find(part), std::string::npos) << text; }

TensorInfo tile(Buffer buffer, DType dtype, unsigned partitions, unsigned bytes, unsigned partition = 0) {
  TensorInfo t;
  t.name = "t";
  t.buffer = buffer;
  t.dtype = dtype;
  t.partition = static_cast<std::uint16_t>(partition);
  t.partitions = static_cast<std::uint16_t>(partitions);
  t.bytes_per_partition = bytes;
  return t;
}

/// One instruction and its tensors, tried on a chip.
class Trial {
 public:
  explicit Trial(Opcode op) {
    instruction.op = op;
    instruction.engine = info(op).default_engine;
  }

  Operand& on_chip(std::size_t k, Buffer buffer, DType dtype, std::uint32_t partitions, std::uint32_t columns, unsigned start = 0) {
    tensors.push_back(tile(buffer, dtype, partitions, columns * element_bytes(dtype), start));
    return add(k, {static_cast<TensorId>(tensors.size() - 1), buffer, dtype, 1, 0, 1, partitions, 0, 0, {Dim{1, columns}}});
  }
  Operand& sbuf(std::size_t k, std::uint32_t partitions, std::uint32_t columns, DType dtype = DType::Bf16, unsigned start = 0) {
    return on_chip(k, Buffer::Sbuf, dtype, partitions, columns, start);
  }
  Operand& psum(std::size_t k, std::uint32_t partitions, std::uint32_t columns, DType dtype = DType::Fp32) {
    return on_chip(k, Buffer::Psum, dtype, partitions, columns);
  }
  Operand& hbm(std::size_t k, TensorUse use, std::uint64_t rows, std::uint64_t columns) {
    TensorInfo t;
    t.name = "h";
    t.use = use;
    t.shape = {rows, columns};
    tensors.push_back(t);
    return add(k, {static_cast<TensorId>(tensors.size() - 1),
                   Buffer::Hbm,
                   DType::Bf16,
                   1,
                   0,
                   1,
                   static_cast<std::uint32_t>(rows),
                   0,
                   static_cast<std::int64_t>(columns * 2),
                   {Dim{1, static_cast<std::uint32_t>(columns)}}});
  }

  std::string on(const std::string& name) const {
    std::vector<std::string> problems;
    InstructionChecker(chip(name)).check(instruction, tensors, problems);
    std::string text;
    for (const std::string& p : problems) text += p + "\n";
    return text;
  }

  Instruction instruction;
  TensorTable tensors;

 private:
  Operand& add(std::size_t k, const Operand& o) { return instruction.operands[k] = o; }
};

Trial matmul(std::uint32_t k, std::uint32_t m, std::uint32_t n, DType dtype = DType::Bf16) {
  Trial t(Opcode::NcMatmul);
  t.psum(0, m, n);
  t.sbuf(1, k, m, dtype);
  t.sbuf(2, k, n, dtype);
  return t;
}

Trial double_row(std::uint32_t k, std::uint32_t m, std::uint32_t n) {
  Trial t = matmul(k, m, n, DType::Fp8E4M3);
  t.instruction.perf_mode = PerfMode::DoubleRow;
  for (const std::size_t i : {1U, 2U}) {
    Operand& o = t.instruction.operands[i];
    const std::uint32_t columns = o.free[0].count;
    t.tensors[o.tensor].bytes_per_partition = 2 * columns;
    o.rank = 2;
    o.free = {Dim{static_cast<std::int32_t>(columns), 2}, Dim{1, columns}};
  }
  return t;
}

Trial matmul_mx(DType dtype, std::uint32_t n = 512) {
  Trial t(Opcode::NcMatmulMx);
  t.psum(0, 128, n);
  t.sbuf(1, 128, 128, dtype);
  t.sbuf(2, 128, n, dtype);
  t.sbuf(3, 16, 128, DType::Uint8);
  t.sbuf(4, 16, n, DType::Uint8);
  return t;
}

Trial copy(std::uint32_t partitions, std::uint32_t columns) {
  Trial t(Opcode::TensorCopy);
  t.sbuf(0, partitions, columns);
  t.sbuf(1, partitions, columns);
  return t;
}

TEST(CheckTile, WholePartitionFitsAndOneByteMoreDoesNot) {
  const std::vector<std::pair<std::string, unsigned>> sizes{{"trn1", 196608}, {"trn2", 229376}, {"trn3", 262144}};
  for (const auto& [name, bytes] : sizes) {
    const InstructionChecker checker(chip(name));
    std::vector<std::string> problems;
    checker.check_tile(tile(Buffer::Sbuf, DType::Bf16, 128, bytes), {}, problems);
    EXPECT_TRUE(problems.empty()) << problems[0];
    checker.check_tile(tile(Buffer::Sbuf, DType::Bf16, 128, bytes + 1), {}, problems);
    EXPECT_EQ(problems.size(), 1U);
  }
}

TEST(CheckTile, OverflowNamesPartitionSizesAndLiveTiles) {
  TensorTable alive{tile(Buffer::Sbuf, DType::Bf16, 128, 4096), tile(Buffer::Psum, DType::Fp32, 128, 2048),
                    tile(Buffer::Sbuf, DType::Bf16, 0, 7)};
  alive[0].name = "weights";
  std::vector<std::string> problems;
  InstructionChecker(chip("trn1")).check_tile(tile(Buffer::Sbuf, DType::Bf16, 64, 196609, 64), alive, problems);
  EXPECT_EQ(problems.at(0),
            "tile 't': SBUF partition 64: requested 196,609 bytes, available 196,608 on trn1 (NeuronCore-v2); live tiles: weights (4,096)");
}

TEST(CheckTile, AddressPlusSizeStaysInside) {
  TensorInfo t = tile(Buffer::Psum, DType::Fp32, 128, 2048);
  std::vector<std::string> problems;
  t.address = 14336;
  InstructionChecker(chip("trn2")).check_tile(t, {}, problems);
  EXPECT_TRUE(problems.empty());
  t.address = 14340;
  InstructionChecker(chip("trn2")).check_tile(t, {}, problems);
  expect_says(problems.at(0), "PSUM partition 0: address 14,340 + 2,048 bytes end past the available 16,384 bytes");
}

TEST(CheckTile, PartitionsStayInside) {
  std::vector<std::string> problems;
  InstructionChecker(chip("trn2")).check_tile(tile(Buffer::Sbuf, DType::Bf16, 65, 4, 64), {}, problems);
  expect_says(problems.at(0), "partitions 64 + 65 end past the last of 128");
}

TEST(CheckAvailability, OperationOfALaterGenerationNamesThoseThatHaveIt) {
  Trial t(Opcode::RangeSelect);
  t.sbuf(0, 128, 64);
  t.sbuf(1, 128, 64);
  t.sbuf(2, 128, 1, DType::Fp32);
  t.sbuf(3, 128, 1, DType::Fp32);
  EXPECT_EQ(t.on("trn1"), "range_select: not available on trn1 (NeuronCore-v2); generations that have it: v3 (Trn2), v4 (Trn3)\n");
  EXPECT_EQ(t.on("trn2"), "");
}

TEST(CheckAvailability, MxTypesAreRefusedByNameBeforeV4) {
  for (const char* name : {"trn1", "trn2"}) {
    const std::string text = matmul_mx(DType::MxFp8).on(name);
    expect_says(text, std::string("nc_matmul_mx: not available on ") + name);
    expect_says(text, "type mxfp8 is not available on " + std::string(name));
    expect_says(text, "generations that have it: v4 (Trn3)");
  }
  EXPECT_EQ(matmul_mx(DType::MxFp8).on("trn3"), "");
  EXPECT_EQ(matmul_mx(DType::MxFp4).on("trn3"), "");
}

TEST(CheckAvailability, MxTypeInAPlainMatmulNamesTheRightInstruction) {
  expect_says(matmul(128, 128, 512, DType::MxFp8).on("trn3"), "key 'stationary': type mxfp8 needs nc_matmul_mx");
}

TEST(CheckEngine, CopiesOnScalarCameWithV3) {
  Trial t = copy(128, 64);
  t.instruction.engine = EngineKind::Scalar;
  expect_says(t.on("trn1"), "tensor_copy: key 'engine': value \"scalar\"; allowed on trn1 (NeuronCore-v2): vector, gpsimd");
  EXPECT_EQ(t.on("trn2"), "");
}

TEST(CheckBuffers, GpSimdCannotReachPsum) {
  Trial t(Opcode::TensorCopy);
  t.instruction.engine = EngineKind::GpSimd;
  t.sbuf(0, 128, 64);
  t.psum(1, 128, 64);
  expect_says(t.on("trn2"), "key 'data': is in psum, which GpSimd cannot reach");
}

TEST(CheckBuffers, MatmulWritesPsumAndReadsSbuf) {
  Trial t(Opcode::NcMatmul);
  t.sbuf(0, 128, 512, DType::Fp32);
  t.psum(1, 128, 128);
  t.sbuf(2, 128, 512);
  const std::string text = t.on("trn2");
  expect_says(text, "key 'dst': is in sbuf; allowed: psum");
  expect_says(text, "key 'stationary': is in psum; allowed: sbuf");
}

TEST(CheckBuffers, TwoInputsInPsumAreRefused) {
  Trial t(Opcode::TensorTensor);
  t.sbuf(0, 128, 64);
  t.psum(1, 128, 64);
  t.psum(2, 128, 64);
  expect_says(t.on("trn2"), "both inputs are in psum");
}

TEST(CheckBuffers, DmaDoesNotReachPsum) {
  Trial t(Opcode::DmaCopy);
  t.psum(0, 128, 64);
  t.sbuf(1, 128, 64, DType::Fp32);
  expect_says(t.on("trn2"), "key 'dst': is in psum; allowed: hbm, sbuf");
}

TEST(CheckPartitions, StartDependsOnTheirNumber) {
  const auto at = [](unsigned start, std::uint32_t count) {
    Trial t(Opcode::Memset);
    t.sbuf(0, count, 8, DType::Bf16, start);
    return t.on("trn2");
  };
  for (const unsigned start : {0U, 32U, 64U, 96U}) EXPECT_EQ(at(start, 32), "");
  for (const unsigned start : {0U, 64U}) EXPECT_EQ(at(start, 33), "");
  EXPECT_EQ(at(0, 65), "");
  expect_says(at(16, 8), "starts at partition 16; allowed for 8 partitions: 0, 32, 64, 96");
  expect_says(at(32, 33), "starts at partition 32; allowed for 33 partitions: 0, 64");
  expect_says(at(32, 65), "starts at partition 32; allowed for 65 partitions: 0");
}

TEST(CheckPartitions, StartCountsFromTheTile) {
  Trial t(Opcode::Memset);
  Operand& o = t.sbuf(0, 64, 8, DType::Bf16, 64);
  o.partition = 32;
  o.partitions = 32;
  EXPECT_EQ(t.on("trn2"), "");
  o.partition = 16;
  expect_says(t.on("trn2"), "starts at partition 80");
}

TEST(CheckAccess, StartPlusSizeMayNotPassTheEnd) {
  Trial t = copy(128, 64);
  t.instruction.operands[1].offset = 2;
  expect_says(t.on("trn2"), "key 'data': bytes 2 to 130 (start + size) past the end of tile 't', which has 128 per partition");
  t.instruction.operands[1].offset = 0;
  t.instruction.operands[1].partitions = 129;
  expect_says(t.on("trn2"), "129 partitions; allowed: 1 to 128");
}

TEST(CheckAccess, NegativeStridesStayInsideToo) {
  Trial t = copy(128, 64);
  Operand& o = t.instruction.operands[1];
  o.free[0].stride = -1;
  o.offset = 126;
  EXPECT_EQ(t.on("trn2"), "");
  o.offset = 124;
  expect_says(t.on("trn2"), "bytes -2 to 126");
}

TEST(CheckAccess, HugePatternsDoNotOverflow) {
  Trial t(Opcode::DmaCopy);
  t.sbuf(0, 1, 1);
  Operand& o = t.hbm(1, TensorUse::Input, 4, 4);
  o.rank = 4;
  o.free.fill({2147483647, 4294967295U});
  o.row_stride = INT64_MAX;
  o.offset = UINT64_MAX;
  expect_says(t.on("trn2"), "past the end of tensor 'h'");
}

TEST(CheckAccess, RowsOfATensorStayInside) {
  Trial t(Opcode::DmaCopy);
  t.sbuf(0, 128, 64);
  Operand& o = t.hbm(1, TensorUse::Input, 128, 64);
  EXPECT_EQ(t.on("trn2"), "");
  o.row_stride = 130;
  expect_says(t.on("trn2"), "bytes 0 to 16,638 (start + size) past the end of tensor 'h', which has 16,384");
}

TEST(CheckAccess, InputsAreReadAndOutputsWritten) {
  Trial load(Opcode::DmaCopy), store(Opcode::DmaCopy);
  load.sbuf(0, 128, 64);
  load.hbm(1, TensorUse::Output, 128, 64);
  expect_says(load.on("trn2"), "reads tensor 'h', whose use is output");
  store.hbm(0, TensorUse::Input, 128, 64);
  store.sbuf(1, 128, 64);
  expect_says(store.on("trn2"), "writes tensor 'h', whose use is input");
}

TEST(CheckMatmul, ShapesOfTheThreeOperandsFollowFromKmn) {
  EXPECT_EQ(matmul(128, 64, 512).on("trn2"), "");
  EXPECT_EQ(matmul(77, 3, 9).on("trn1"), "");
}

TEST(CheckMatmul, TransposedOutputIsRefusedWithBothConventions) {
  Trial t(Opcode::NcMatmul);
  t.psum(0, 128, 64);
  t.sbuf(1, 128, 64);
  t.sbuf(2, 128, 512);
  EXPECT_EQ(t.on("trn2"),
            "nc_matmul: key 'dst': [128 partitions, 64 columns]; stationary is [K, M] and moving [K, N] with K on the partitions: K=128, "
            "M=64, N=512, "
            "output [M, N] = [64, 512]; in matrix terms C[M, N] = A[M, K] x B[K, N] with stationary = transpose of A\n");
}

TEST(CheckMatmul, ContractionsMustMatch) {
  Trial t = matmul(128, 64, 512);
  t.instruction.operands[2].partitions = 64;
  expect_says(t.on("trn2"), "key 'moving': contracts over 64 partitions, stationary over 128; stationary is [K, M]");
}

TEST(CheckMatmul, MovingSizeDependsOnTheGeneration) {
  EXPECT_EQ(matmul(128, 128, 512).on("trn2"), "");
  expect_says(matmul(128, 128, 513).on("trn2"), "key 'moving': 513 columns; allowed on trn2 (NeuronCore-v3): at most 512");
  EXPECT_EQ(matmul(128, 128, 4096).on("trn3"), "");
  expect_says(matmul(128, 128, 4097).on("trn3"), "at most 4,096");
}

TEST(CheckMatmul, StationaryHasAtMost128Columns) {
  Trial t = matmul(128, 128, 64);
  t.tensors[1].bytes_per_partition = 1000;
  t.instruction.operands[1].free[0].count = 129;
  expect_says(t.on("trn2"), "key 'stationary': 129 columns; allowed: at most 128");
}

TEST(CheckMatmul, OutputStaysInOneBankBeforeV4) {
  Trial t = matmul(128, 128, 256);
  t.tensors[0].bytes_per_partition = 4096;
  t.instruction.operands[0].offset = 1024;
  EXPECT_EQ(t.on("trn2"), "");
  t.instruction.operands[0].offset = 1028;
  expect_says(t.on("trn2"), "key 'dst': bytes 1,028 to 2,052 leave their PSUM bank");
  EXPECT_EQ(t.on("trn3"), "");
}

TEST(CheckMatmul, FixedAddressCountsForTheBank) {
  Trial t = matmul(128, 128, 256);
  t.tensors[0].address = 1024;
  EXPECT_EQ(t.on("trn2"), "");
  t.tensors[0].address = 1536;
  expect_says(t.on("trn2"), "leave their PSUM bank");
}

TEST(CheckMatmul, Fp32GoesOnlyWithFp32AndTf32) {
  Trial t(Opcode::NcMatmul);
  t.psum(0, 64, 64);
  t.sbuf(1, 64, 64, DType::Fp32);
  t.sbuf(2, 64, 64, DType::Tf32);
  EXPECT_EQ(t.on("trn2"), "");
  t.sbuf(2, 64, 64, DType::Bf16);
  expect_says(t.on("trn2"), "fp32 and tf32 only with each other");
  t.sbuf(1, 64, 64, DType::Fp8E5M2);
  EXPECT_EQ(t.on("trn2"), "");
  t.sbuf(1, 64, 64, DType::Int8);
  expect_says(t.on("trn2"), "key 'stationary': type int8; allowed: fp32");
}

TEST(CheckMatmul, Bf16OutputCameWithV4) {
  Trial t(Opcode::NcMatmul);
  t.psum(0, 64, 64, DType::Bf16);
  t.sbuf(1, 64, 64);
  t.sbuf(2, 64, 64);
  expect_says(t.on("trn2"), "key 'dst': type bf16; allowed on trn2 (NeuronCore-v3): fp32; bf16 is available on v4 (Trn3)");
  EXPECT_EQ(t.on("trn3"), "");
}

TEST(CheckMatmul, DoubleRowTakesTwoHalvesOfKInFp8) {
  EXPECT_EQ(double_row(128, 128, 512).on("trn2"), "");
  expect_says(double_row(128, 128, 512).on("trn1"),
              "double_row is not available on trn1 (NeuronCore-v2); generations that have it: v3 (Trn2), v4 (Trn3)");
  Trial flat = matmul(128, 128, 512, DType::Fp8E4M3), wide = matmul(128, 128, 512);
  flat.instruction.perf_mode = wide.instruction.perf_mode = PerfMode::DoubleRow;
  expect_says(flat.on("trn2"), "double_row needs the two halves of K");
  expect_says(wide.on("trn2"), "type bf16 in double_row; allowed: fp8_e4m3, fp8_e5m2");
}

TEST(CheckMatmul, ArrayTilesAreMultiplesInsideTheArray) {
  const auto at = [](unsigned row, unsigned col, unsigned rows, unsigned cols, const char* name) {
    Trial t = matmul(32, 32, 64);
    t.instruction.tile_row = static_cast<std::uint8_t>(row);
    t.instruction.tile_col = static_cast<std::uint8_t>(col);
    t.instruction.tile_rows = static_cast<std::uint8_t>(rows);
    t.instruction.tile_cols = static_cast<std::uint8_t>(cols);
    return t.on(name);
  };
  EXPECT_EQ(at(96, 64, 32, 64, "trn2"), "");
  EXPECT_EQ(at(64, 64, 64, 64, "trn1"), "");
  expect_says(at(0, 0, 32, 32, "trn1"), "key 'tile_size': value [32, 32]; allowed on trn1 (NeuronCore-v2): rows and columns of 64, 128");
  expect_says(at(0, 0, 48, 64, "trn2"), "rows and columns of 32, 64, 128");
  expect_says(at(32, 0, 64, 64, "trn2"), "key 'tile_position': value [32, 0]; allowed: multiples of tile_size [64, 64]");
}

TEST(CheckMatmul, OperandsFitTheArrayTile) {
  Trial t = matmul(64, 64, 64);
  t.instruction.tile_rows = t.instruction.tile_cols = 32;
  const std::string text = t.on("trn2");
  expect_says(text, "64 partitions on an array tile of 32 rows");
  expect_says(text, "64 columns on an array tile of 32 columns");
}

TEST(CheckMatmulMx, SizesAndScalesFollowTheRules) {
  Trial t = matmul_mx(DType::MxFp8);
  t.instruction.operands[3].dtype = DType::Bf16;
  t.tensors[3].bytes_per_partition *= 2;
  expect_says(t.on("trn3"), "key 'stationary_scale': type bf16; allowed: uint8");
  Trial odd = matmul_mx(DType::MxFp8);
  for (const std::size_t k : {1U, 2U}) odd.instruction.operands[k].partitions = 48;
  expect_says(odd.on("trn3"), "48 partitions; allowed: a multiple of 32");
  Trial plain = matmul_mx(DType::MxFp8);
  plain.sbuf(1, 128, 128, DType::Bf16);
  expect_says(plain.on("trn3"), "key 'stationary': type bf16; allowed: mxfp8, mxfp4");
}

TEST(CheckTranspose, OutputIsTheTransposeInsideTheEnginesLimits) {
  Trial t(Opcode::NcTranspose);
  t.psum(0, 64, 128, DType::Bf16);
  t.sbuf(1, 128, 64);
  EXPECT_EQ(t.on("trn2"), "");
  t.instruction.engine = EngineKind::Vector;
  expect_says(t.on("trn2"), "allowed on the vector engine: at most [32 partitions, 32 columns]");
  t.instruction.engine = EngineKind::Tensor;
  t.psum(0, 128, 64, DType::Bf16);
  expect_says(t.on("trn2"), "allowed: the transpose of data [128 partitions, 64 columns]");
}

TEST(CheckElementwise, CountsOfAllOperandsAgree) {
  Trial t(Opcode::TensorScalar);
  t.sbuf(0, 128, 64);
  t.sbuf(1, 128, 64);
  t.sbuf(2, 128, 1, DType::Fp32);
  EXPECT_EQ(t.on("trn2"), "");
  t.sbuf(2, 128, 2, DType::Fp32);
  expect_says(t.on("trn2"), "key 'operand0': [128 partitions, 2 columns]; allowed: one column");
  t.sbuf(2, 64, 1, DType::Fp32);
  expect_says(t.on("trn2"), "key 'operand0': 64 partitions; allowed: as many as dst, 128");
  t.sbuf(1, 128, 63);
  expect_says(t.on("trn2"), "key 'data': [128 partitions, 63 columns]; allowed: as many columns as dst, 64");
}

TEST(CheckElementwise, ReductionKeepsTheLeadingDimensions) {
  Trial t(Opcode::TensorReduce);
  t.sbuf(0, 128, 4);
  t.sbuf(1, 128, 64);
  EXPECT_EQ(t.on("trn2"), "");
  t.sbuf(0, 128, 5);
  expect_says(t.on("trn2"), "a number of columns that divides those of data, 64");
}

TEST(CheckDma, MovesAsManyElementsAsItReads) {
  Trial t(Opcode::DmaCopy);
  t.sbuf(0, 128, 64);
  t.sbuf(1, 64, 128);
  EXPECT_EQ(t.on("trn2"), "");
  t.sbuf(1, 64, 127);
  expect_says(t.on("trn2"), "key 'dst': 8,192 elements; allowed: as many as src, 8,128");
}

TEST(CheckDma, QueueAndDescriptorModeExist) {
  Trial t(Opcode::DmaCopy);
  t.sbuf(0, 128, 64);
  t.sbuf(1, 128, 64);
  t.instruction.ring = static_cast<std::uint8_t>(chip("trn2").dma.rings_per_engine - 1);
  EXPECT_EQ(t.on("trn2"), "");
  ++t.instruction.ring;
  expect_says(t.on("trn2"), "key 'queue': value ");
  t.instruction.ring = kDefaultRing;
  t.instruction.dge = DgeMode::Hardware;
  EXPECT_EQ(t.on("trn2"), "");
  expect_says(t.on("trn1"), "key 'dge': value \"hardware\"; allowed on trn1 (NeuronCore-v2): default, static");
}

TEST(CheckAttributes, KeysOfOtherInstructionsAreRefused) {
  Trial t = copy(128, 64);
  t.instruction.accumulate = true;
  t.instruction.ring = 1;
  const std::string text = t.on("trn2");
  expect_says(text, "tensor_copy: key 'accumulate': has no meaning here; allowed: nc_matmul");
  expect_says(text, "tensor_copy: key 'queue': has no meaning here; allowed: dma_copy");
}

TEST(CheckTrace, ProblemsNameFileAndLine) {
  EXPECT_EQ(test::problem_of(test::trace_of({R"({"tile":"t","buffer":"sbuf","partitions":128,"bytes":64})",
                                             R"({"op":"exponential","dst":"t","data":"t"})"}),
                             chip("trn2")),
            "k.jsonl:3: exponential: not available on trn2 (NeuronCore-v3); generations that have it: v4 (Trn3)");
}

}  // namespace
}  // namespace trnsim
