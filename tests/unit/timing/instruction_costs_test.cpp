// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Every instruction of the Vector, Scalar and GpSimd engines against its printed or measured cost, on
// every generation that has it: fixed part and part per element.
#include <gtest/gtest.h>

#include <map>

#include "support/forked.hpp"
#include "support/program_builder.hpp"
#include "timing/elementwise_timing.hpp"

namespace trnsim {
namespace {

using test::ProgramBuilder;

constexpr auto V = EngineKind::Vector, A = EngineKind::Scalar, G = EngineKind::GpSimd;
constexpr auto S = Buffer::Sbuf, P = Buffer::Psum;
constexpr auto f32 = DType::Fp32, b16 = DType::Bf16;

/// Streaming time in cycles at a number of columns, per generation; -1 where it lacks the instruction.
struct Row {
  const char* name;
  Opcode op;
  EngineKind engine;
  std::array<std::int64_t, 3> at_64, at_1024;  ///< Work without fixed parts: NeuronCore-v2, v3, v4.
  DType type = f32;
  Buffer from = S, from2 = S;
  AluOp alu0 = AluOp::Bypass, alu1 = AluOp::Bypass;
  bool read_out = false;  ///< Adds the read-out of the accumulator.
};

constexpr std::array<std::int64_t, 3> same(std::int64_t n) { return {n, n, n}; }

// From the estimated costs of the nki.isa pages (Neuron SDK 2.21 to 2.33) and the modes of the architecture guides; where a
// profile of Trainium2 says otherwise, that counts for v3 and v4: two inputs from SBUF 1 cycle, 16-bit ones 0.5, reciprocal 6,
// memset 0.8, copies of 16-bit types to fp32 1.3 elements per cycle, and 16-bit reduction 1.
const Row kRows[]{
    {"copy of 16-bit in SBUF", Opcode::TensorCopy, V, {64, 16, 16}, {1024, 256, 256}, b16},
    {"copy of fp32 in SBUF", Opcode::TensorCopy, V, {64, 32, 32}, {1024, 512, 512}},
    {"copy of fp8 in SBUF", Opcode::TensorCopy, V, {64, 32, 16}, {1024, 512, 256}, DType::Fp8E4M3},
    {"copy of 16-bit from PSUM", Opcode::TensorCopy, V, {64, 32, 32}, {1024, 512, 512}, b16, P},
    {"copy of fp32 from PSUM", Opcode::TensorCopy, V, same(64), same(1024), f32, P},
    {"copy on Scalar", Opcode::TensorCopy, A, {-1, 64, 64}, {-1, 1024, 1024}},
    {"copy of 16-bit on Scalar", Opcode::TensorCopy, A, {-1, 64, 32}, {-1, 1024, 512}, b16},
    {"tensor_scalar of 16-bit", Opcode::TensorScalar, V, {64, 16, 16}, {1024, 256, 256}, b16, S, S, AluOp::Add},
    {"tensor_scalar of 16-bit on Scalar", Opcode::TensorScalar, A, {-1, 64, 32}, {-1, 1024, 512}, b16, S, S, AluOp::Add},
    {"sum of fp32", Opcode::TensorTensor, V, {128, 64, 64}, {2048, 1024, 1024}, f32, S, S, AluOp::Add},
    {"sum of bf16", Opcode::TensorTensor, V, {64, 32, 32}, {1024, 512, 512}, b16, S, S, AluOp::Add},
    {"sum of fp16", Opcode::TensorTensor, V, {128, 32, 32}, {2048, 512, 512}, DType::Fp16, S, S, AluOp::Add},
    {"maximum of bf16", Opcode::TensorTensor, V, {128, 32, 32}, {2048, 512, 512}, b16, S, S, AluOp::Max},
    {"sum of fp8", Opcode::TensorTensor, V, {128, 64, 32}, {2048, 1024, 512}, DType::Fp8E5M2, S, S, AluOp::Add},
    {"sum with PSUM", Opcode::TensorTensor, V, same(64), same(1024), f32, S, P, AluOp::Add},
    {"scalar_tensor_tensor", Opcode::ScalarTensorTensor, V, {128, 64, 64}, {2048, 1024, 1024}, b16, S, S, AluOp::Multiply, AluOp::Add},
    {"its fast case", Opcode::ScalarTensorTensor, V, same(64), same(1024), b16, S, S, AluOp::Subtract, AluOp::Multiply},
    {"it with PSUM", Opcode::ScalarTensorTensor, V, same(64), same(1024), f32, P, S, AluOp::Multiply, AluOp::Add},
    {"scan", Opcode::TensorTensorScan, V, same(128), same(2048)},
    {"reduction of bf16", Opcode::TensorReduce, V, {32, 64, 64}, {512, 1024, 1024}, b16, S, S, AluOp::Add},
    {"reduction by abs_max", Opcode::TensorReduce, V, same(64), same(1024), b16, S, S, AluOp::AbsMax},
    {"tensor_scalar_reduce", Opcode::TensorScalarReduce, V, same(64), same(1024), f32, S, S, AluOp::Add, AluOp::Add, true},
    {"result left in the accumulator", Opcode::TensorScalarReduce, V, same(64), same(1024), f32, S, S, AluOp::Add},
    {"tensor_scalar_cumulative", Opcode::TensorScalarCumulative, V, same(64), same(1024), f32, S, S, AluOp::Add, AluOp::Max},
    {"predicated copy", Opcode::TensorCopyPredicated, V, {128, 64, 64}, {2048, 1024, 1024}, b16},
    {"predicated copy with PSUM", Opcode::TensorCopyPredicated, V, same(64), same(1024), f32, P},
    {"select_reduce", Opcode::SelectReduce, V, {128, 64, 64}, {2048, 1024, 1024}},
    {"select_reduce with PSUM, read out", Opcode::SelectReduce, V, same(64), same(1024), f32, P, S, AluOp::Max, AluOp::Bypass, true},
    {"range_select", Opcode::RangeSelect, V, {-1, 64, 64}, {-1, 1024, 1024}},
    {"exponential", Opcode::Exponential, V, {-1, -1, 16}, {-1, -1, 256}},
    {"exponential read out", Opcode::Exponential, V, {-1, -1, 16}, {-1, -1, 256}, f32, S, S, AluOp::Bypass, AluOp::Bypass, true},
    {"reciprocal", Opcode::Reciprocal, V, {512, 384, 384}, {8192, 6144, 6144}},
    {"quantize_mx", Opcode::QuantizeMx, V, {-1, -1, 16}, {-1, -1, 256}, b16},
    {"dropout", Opcode::Dropout, V, same(64), same(1024)},
    {"memset of fp32", Opcode::Memset, V, {64, 52, 52}, {1024, 820, 820}},
    {"memset of bf16", Opcode::Memset, V, {32, 52, 52}, {512, 820, 820}, b16},
    {"bn_stats", Opcode::BnStats, V, same(64), same(1024)},
    {"bn_aggr", Opcode::BnAggr, V, same(278), same(4438)},
    {"nc_stream_shuffle", Opcode::NcStreamShuffle, V, same(64), same(1024)},
    {"max8", Opcode::Max8, V, same(64), same(1024)},
    {"nc_find_index8", Opcode::NcFindIndex8, V, same(64), same(1024)},
    {"nc_match_replace8", Opcode::NcMatchReplace8, V, same(64), same(1024)},
    {"rng", Opcode::Rng, V, same(64), same(1024), DType::Uint32},
    {"rand2", Opcode::Rand2, V, {-1, -1, 16}, {-1, -1, 256}},
    {"rand_get_state on Vector", Opcode::RandGetState, V, {-1, -1, 24}, {-1, -1, 24}, DType::Uint32},
    {"nc_transpose on Vector", Opcode::NcTranspose, V, same(64), same(1024)},
    {"activation", Opcode::Activation, A, same(64), same(1024)},
    {"activate2", Opcode::Activate2, A, {-1, -1, 64}, {-1, -1, 1024}},
    {"activation on GpSimd", Opcode::Activation, G, {-1, -1, 406}, {-1, -1, 4246}},
    {"activate2 on GpSimd", Opcode::Activate2, G, {-1, -1, 406}, {-1, -1, 4246}},
    {"copy on GpSimd", Opcode::TensorCopy, G, same(150), same(1024)},
    {"rsqrt on GpSimd", Opcode::TensorScalar, G, same(406), same(4246), f32, S, S, AluOp::Rsqrt},
    {"power on GpSimd", Opcode::TensorTensor, G, same(1174), same(16534), f32, S, S, AluOp::Power},
    {"sum of integers on GpSimd", Opcode::TensorTensor, G, same(278), same(2198), DType::Int32, S, S, AluOp::Add},
    {"memset on GpSimd", Opcode::Memset, G, same(214), same(1174)},
    {"rng on GpSimd", Opcode::Rng, G, {-1, 214, 214}, {-1, 1174, 1174}, DType::Uint32},
    {"rand_get_state", Opcode::RandGetState, G, {-1, 156, 156}, {-1, 156, 156}, DType::Uint32},
    {"iota", Opcode::Iota, G, same(214), same(1174)},
    {"affine_select", Opcode::AffineSelect, G, same(214), same(1174)},
    {"tensor_partition_reduce", Opcode::TensorPartitionReduce, G, same(1068), same(12588)},
    {"nc_n_gather", Opcode::NcNGather, G, same(406), same(4396)},
    {"nonzero_with_count", Opcode::NonzeroWithCount, G, {-1, 406, 406}, {-1, 4246, 4246}},
    {"sequence_bounds", Opcode::SequenceBounds, G, same(278), same(2198)},
    {"builtin_custom_op", Opcode::BuiltinCustomOp, G, same(406), same(4246)},
};

Instruction made(const Row& row, std::uint32_t columns) {
  Instruction i;
  i.op = row.op;
  i.engine = row.engine;
  i.alu0 = row.alu0;
  i.alu1 = row.alu1;
  const auto rules = info(row.op).operands;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const Role role = rules[k].role;
    const bool wanted = rules[k].required || role == Role::Dst || role == Role::Data || (role == Role::ReduceRes && row.read_out);
    if (!wanted || rules[k].fetched()) continue;
    const Buffer buffer = role == Role::Data ? row.from : role == Role::Data2 ? row.from2 : S;
    i.operands[k] = ProgramBuilder::on_chip(static_cast<TensorId>(k), buffer, 128, rules[k].streamed() ? columns : 8, row.type);
  }
  return i;
}

constexpr std::array<const char*, 3> kChips{"trn1", "trn2", "trn3"};

EngineCost cost_on(std::size_t generation, const Instruction& i) {
  const ChipConfig chip = test::preset(kChips[generation]);
  switch (i.engine) {
    case V: return VectorTiming(chip.vector, chip.gen()).cost(i);
    case A: return ScalarTiming(chip.scalar).cost(i);
    default: return GpSimdTiming(chip.gpsimd).cost(i);
  }
}

// Fixed cycles of the presets, restated: floor of the interval, what is added to it, latency beyond the streaming time.
struct Fixed {
  std::uint64_t floor, overhead, pipe;
};
Fixed fixed_of(std::size_t generation, const Row& row) {
  const bool v2 = generation == 0;
  if (row.engine == G) return {1, 0, v2 ? 0U : 62U};
  if (row.engine == A) return {64, 0, v2 ? 222U : 243U};
  const std::uint64_t pipe = v2 ? 100 : row.op == Opcode::Memset ? 55 : 150;
  return {64, v2 ? 0U : 68U, pipe};
}

class EveryInstruction : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Costs, EveryInstruction, ::testing::ValuesIn(kRows), [](const auto& param) {
  std::string name;
  for (const char c : std::string(param.param.name)) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST_P(EveryInstruction, TakesItsFixedPartAndItsPartPerElement) {
  const Row& row = GetParam();
  for (std::size_t g = 0; g < kChips.size(); ++g) {
    for (const auto& [columns, expected] : {std::pair{64U, row.at_64[g]}, {1024U, row.at_1024[g]}}) {
      if (expected < 0) continue;
      const Fixed fixed = fixed_of(g, row);
      const std::uint64_t work = static_cast<std::uint64_t>(expected) + (row.read_out ? 64 : 0);
      const EngineCost cost = cost_on(g, made(row, columns));
      EXPECT_EQ(cost.latency.value, work + fixed.pipe) << kChips[g] << ", " << columns << " columns";
      EXPECT_EQ(cost.interval.value, std::max(fixed.floor, work + fixed.overhead)) << kChips[g] << ", " << columns << " columns";
    }
  }
}

TEST(WideningCopy, Takes13ElementsPerCycleWhereItWasMeasured) {
  Instruction copy = made(kRows[0], 1024);
  copy.operands[0].dtype = DType::Fp32;
  EXPECT_EQ(cost_on(0, copy).interval.value, 1024U);
  EXPECT_EQ(cost_on(1, copy).interval.value, 788U + fixed_of(1, kRows[0]).overhead);  // 1024 / 1.3
}

TEST(SiluOnScalar, TakesLongerThanOtherFunctions) {
  Instruction act;
  act.op = Opcode::Activation;
  act.engine = EngineKind::Scalar;
  act.function = ActFn::Silu;
  act.operands[0] = act.operands[1] = made(kRows[1], 1000).operands[0];
  EXPECT_EQ(cost_on(1, act).interval.value, 1591U);  // 1.59 in steps of 1/1024, rounded up
  act.function = ActFn::Exp;
  EXPECT_EQ(cost_on(1, act).interval.value, 1000U);
}

TEST_P(EveryInstruction, IsThereOnTheGenerationsThatHaveACost) {
  const Row& row = GetParam();
  for (std::size_t g = 0; g < kChips.size(); ++g) {
    const bool there = (info(row.op).engines[g] >> static_cast<unsigned>(row.engine) & 1U) != 0;
    EXPECT_EQ(there, row.at_64[g] >= 0) << kChips[g];
  }
}

TEST(InstructionCosts, EveryInstructionOfTheLanesIsInTheTable) {
  std::map<Opcode, int> rows;
  for (const Row& row : kRows) ++rows[row.op];
  for (std::size_t op = 0; op < kOpcodeCount; ++op) {
    const auto opcode = static_cast<Opcode>(op);
    if (info(opcode).executor != Executor::Lanes) continue;
    constexpr std::array kElsewhere{Opcode::ActivationReduce, Opcode::SetRngSeed, Opcode::RandSetState, Opcode::LocalGather, Opcode::Topk};
    const bool elsewhere = std::find(kElsewhere.begin(), kElsewhere.end(), opcode) != kElsewhere.end();
    EXPECT_TRUE(elsewhere || rows[opcode] > 0) << info(opcode).name;
  }
}

Operand at(std::uint32_t partitions, std::uint32_t columns, DType type) { return ProgramBuilder::on_chip(1, S, partitions, columns, type); }

TEST(InstructionCosts, ActivationReduceReadsTheAccumulatorOut) {
  Instruction i;
  i.op = Opcode::ActivationReduce;
  i.engine = A;
  i.operands[0] = i.operands[1] = at(128, 1024, f32);
  EXPECT_EQ(cost_on(0, i).interval.value, 1024U + 64);
  EXPECT_EQ(cost_on(1, i).interval.value, 1024U + 222);
}

TEST(InstructionCosts, SeedsAndStatesTakeTheTimeOfOneElementOrTheirWords) {
  Instruction i;
  i.op = Opcode::SetRngSeed;
  i.operands[0] = at(1, 1, DType::Uint32);
  EXPECT_EQ(cost_on(0, i).interval.value, 64U);
  i.op = Opcode::RandSetState;
  i.engine = G;
  i.operands[0] = at(128, 6, DType::Uint32);
  EXPECT_EQ(cost_on(1, i).interval.value, 156U);
  i.engine = V;
  EXPECT_EQ(cost_on(2, i).interval.value, 24U + 68);
}

/// 16 × 64 indices for each processor of GpSimd.
Instruction local_gather(std::uint32_t per_index, DType type) {
  Instruction i;
  i.op = Opcode::LocalGather;
  i.engine = G;
  i.operands[0] = at(128, 1024 * per_index, type);
  i.operands[1] = at(128, 4096, type);
  i.operands[2] = at(128, 64, DType::Uint16);
  return i;
}

TEST(InstructionCosts, LocalGatherAmortisesItsSetUpOverLongRuns) {
  EXPECT_EQ(cost_on(1, local_gather(1, f32)).interval.value, 150U + 1024 * 8);       // (28 + 4) / 4 per index
  EXPECT_EQ(cost_on(1, local_gather(8, f32)).interval.value, 150U + 1024 * 15);      // (28 + 32) / 4
  EXPECT_EQ(cost_on(1, local_gather(8, b16)).interval.value, 150U + 1024 * 15 / 2);  // two at a time
  EXPECT_EQ(cost_on(1, local_gather(1, b16)).interval.value, 150U + 1024 * 8);       // one element has no pair
}

TEST(InstructionCosts, TopKReadsSixteenPartitionsAsOneRow) {
  Instruction i;
  i.op = Opcode::Topk;
  i.engine = G;
  i.operands[0] = at(128, 2, b16);
  i.operands[1] = at(128, 512, b16);
  i.operands[2] = at(128, 2, DType::Uint32);
  EXPECT_EQ(cost_on(1, i).interval.value, 4U * 512 * 16 + 32);
}

TEST(InstructionCosts, SendrecvByGpSimdMovesItsBytesAtThePublishedRate) {
  Instruction i;
  i.op = Opcode::Sendrecv;
  i.engine = G;
  i.operands[0] = i.operands[1] = at(128, 256, f32);
  // 131,072 bytes at 153 GB/s are 857 ns, 1,029 cycles of 1.2 GHz.
  EXPECT_NEAR(static_cast<double>(cost_on(1, i).interval.value), 150 + 131072 / 153.0 * 1.2, 2);
}

TEST(InstructionCosts, ARunTimeAddressHasItsFloorOnEveryEngine) {
  for (const EngineKind engine : {V, A, G}) {
    Instruction i;
    i.op = Opcode::TensorCopy;
    i.engine = engine;
    i.operands[0] = i.operands[1] = at(128, 8, f32);
    i.dynamic_address = true;
    EXPECT_EQ(cost_on(1, i).interval.value, 600U) << name_of(engine);
  }
}

TEST(InstructionCosts, APredicatedNumberStreamsThePredicateOnly) {
  Instruction i;
  i.op = Opcode::TensorCopyPredicated;
  i.operands[0] = i.operands[1] = at(128, 1024, f32);
  i.operands[2] = ProgramBuilder::on_chip(2, S, 128, 1024, DType::Uint8);
  EXPECT_EQ(cost_on(0, i).interval.value, 1024U);
  i.operands[1].tensor = 3;
  EXPECT_EQ(cost_on(0, i).interval.value, 2048U);
}

TEST(InstructionCosts, SayWhichNumberTheyComeFrom) {
  Instruction i;
  i.op = Opcode::NcNGather;
  i.engine = G;
  i.operands[0] = i.operands[1] = i.operands[2] = at(128, 64, DType::Uint32);
  EXPECT_EQ(path_of(cost_on(1, i).charge), "gpsimd.gather");
}

}  // namespace
}  // namespace trnsim
